"""word2vec: our trainers and gensim's, on one text and the same hyper-parameters."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any

from compare import workloads
from compare.cell import Cell
from mnist import backends, device

OURS = ("hogwild", "numba", "exact", "cupy")
GENSIM = ("gensim", "gensim-file")
"""The rows to be matched. gensim's iterator comes first: its corpus_file decays the learning rate by each thread's own
progress, so what it learns depends on the number of workers, and its loss is nobody's measure."""
ON_GPU = ("cupy",)
LIBRARIES = ("numba", "cupy")
"""Rows that need what mnist's rows of these names need."""
SYNTHETIC = "synthetic"
"""What a made-up text is called, which has no meaning to learn: rows on it are not judged by what they learnt."""
GROUPS = {"w2v_compare.w2v": "cpu", "w2v_compare.w2v.gpu": "gpu"}
"""The entry point groups of backends of other distributions, by device; see docs/backends.md."""
PLUGINS = {
    each.name: each for group in GROUPS for each in entry_points(group=group) if each.name not in (*OURS, *GENSIM)
}
WORDS_PER_SECOND = {"hogwild": 5e6, "numba": 3e6, "exact": 1.3e6, "gensim": 2.8e5, "gensim-file": 2.8e5}
"""Of one thread at dimension 100: guesses, for planning alone."""
UNTRAINED_SECONDS = 3.0
"""Of a run: its start, and scoring, whose questions and examples are as many for any large text."""


class Trial(workloads.Trial):
    """Prepare is reading and vocabulary, with encoding where there is any; steady is the training alone.

    cell.shape: dim. cell.threads: workers. cell.options: epochs, window, negative, sample, min_count, and of the
    text its name, words, types and sha256; maybe sg (else 1), hs (else 0), and `judged`, False to leave quality
    alone. cell.files: source, as it was found; corpus, as `datasets.lay_out` wrote it.
    """

    backends = (*OURS, *GENSIM, *PLUGINS)

    @classmethod
    def unavailable(cls, backend: str) -> str | None:
        from w2v.trainers import TRAINERS, trainer_class

        if backend in LIBRARIES:
            return backends.unavailable(backend)
        if device_of(backend) == "gpu" and (reason := device.unavailable()):
            return reason
        try:
            if backend in TRAINERS:
                trainer_class(backend)
        except RuntimeError as error:
            return str(error)
        return None

    @classmethod
    def expected_seconds(cls, cell: Cell) -> float:
        """From rates of an ordinary core, and what all but training takes."""
        words = cell.options["words"] * cell.options["epochs"]
        rate = WORDS_PER_SECOND.get(cell.backend, 1e6) * cell.threads * 100 / cell.shape["dim"]
        return UNTRAINED_SECONDS + words / rate

    def load(self) -> None:
        common = {"workers": self.cell.threads, "seed": self.seed, **self.hyperparameters()}
        self.model: Any
        self.trained = False
        if self.cell.backend in OURS:
            from w2v import Word2Vec as Ours

            self.model = Ours(**common, trainer=self.cell.backend)
        elif self.cell.backend in PLUGINS:
            self.model = PLUGINS[self.cell.backend].load()(**common)
        else:
            from gensim.models import Word2Vec

            self.model = Word2Vec(**common)

    def prepare(self) -> None:
        self.model.build_vocab(**self.source())

    def compile(self) -> None:
        if self.cell.backend == "numba":
            from w2v import Word2Vec as Ours

            options = {name: value for name, value in self.cell.options.items() if name in ("sg", "hs", "negative")}
            Ours([["a", "b"] * 9], min_count=1, workers=1, epochs=1, trainer="numba", **{"sg": 1, **options})

    def step(self) -> None:
        model = self.model
        source = {} if self.cell.backend in OURS else self.source()
        if "corpus_file" in source:
            source["total_words"] = model.corpus_total_words
        from w2v import Diverged

        try:
            model.train(**source, total_examples=model.corpus_count, epochs=model.epochs)
        except Diverged as error:
            raise workloads.Diverged(str(error)) from error
        self.trained = True

    def finish(self) -> None:
        # Before training, not every backend has vectors. Ours have theirs in memory when train() returns; `wv` would
        # import gensim, which would be taken for unfinished work and counted as memory.
        if self.trained and self.cell.backend not in OURS:
            float(self.model.wv.vectors[0, 0])

    def hyperparameters(self) -> dict[str, Any]:
        """What decides what is learnt, under gensim's names."""
        options = self.cell.options
        return {
            "vector_size": self.cell.shape["dim"],
            "sg": options.get("sg", 1),
            **{name: options[name] for name in ("epochs", "window", "negative", "sample", "min_count")},
            **({"hs": options["hs"]} if "hs" in options else {}),  # which a backend need not have
        }

    def source(self) -> dict[str, Any]:
        """The corpus as the backend takes it."""
        path = self.cell.files["corpus"]
        if self.cell.backend == "gensim":
            from gensim.models.word2vec import LineSentence

            return {"corpus_iterable": LineSentence(path)}
        return {"corpus_file": path}

    def quality(self) -> Mapping[str, float | None]:
        options = self.cell.options
        if not options.get("judged", True):
            return {}
        from compare.quality import evaluate, mean_loss
        from w2v.corpus import EncodedCorpus
        from w2v.params import Params
        from w2v.trainers import Task

        corpus = EncodedCorpus.from_file(self.cell.files["corpus"], options["min_count"])
        rows = [self.model.wv.key_to_index[word] for word in corpus.vocabulary.words]
        task = Task(
            corpus,
            Params(**self.hyperparameters()),
            self.model.wv.vectors[rows],
            self.model.syn1neg[rows] if options["negative"] else None,
            self.model.syn1 if options.get("hs") else None,
        )
        return {"loss": mean_loss(task), **evaluate(self.model.wv)}

    def facts(self) -> Mapping[str, Any]:
        from compare.work.w2v import spectrum

        counts = self.model.wv.expandos.get("count")  # not every backend's vectors tell
        return {"vocabulary": len(self.model.wv), **({} if counts is None else {"spectrum": spectrum(counts)})}


def device_of(backend: str) -> str:
    if backend in PLUGINS:
        return GROUPS[PLUGINS[backend].group]
    return "gpu" if backend in ON_GPU else "cpu"
