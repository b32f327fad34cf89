"""Every mode of the compiled trainers, and the tokenizer, over a small corpus: a program for sanitizers to watch."""

import tempfile
from itertools import product
from pathlib import Path

import numpy as np

from w2v.corpus import EncodedCorpus
from w2v.driver import train
from w2v.params import Params
from w2v.tables import initial_syn0, new_table
from w2v.trainers import Task, trainer_class
from w2v.trainers.exact import _exact
from w2v.trainers.hogwild import _hogwild

ISAS = {"hogwild": _hogwild.usable_isas(), "exact": _exact.usable_isas()}
# Both heads, few and many outputs, windows that take turns, odd vector sizes, one word a sentence.
HEADS = [{"negative": 5}, {"negative": 23}, {"negative": 1, "hs": 1}, {"negative": 0, "hs": 1}]
SHAPES = [{"vector_size": 17, "window": 2}, {"vector_size": 112, "window": 20, "shrink_windows": False}]


def small_corpus() -> EncodedCorpus:
    """Sentences of 0 to 900 words, through the tokenizer."""
    rng = np.random.default_rng(1)
    lines = [" ".join(f"é{word}" for word in rng.zipf(1.5, length)) for length in (0, 1, 1, 4, 4, 4, 300, 900)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text")
        path.write_text("\n".join(lines) + "\u3000\x85 end")
        return EncodedCorpus.from_file(path, min_count=1, workers=2)


def main() -> None:
    corpus = small_corpus()
    words = len(corpus.vocabulary)
    modes = product(ISAS, HEADS, SHAPES, (0, 1), (0, 1), (1, 3))
    for trainer, head, shape, sg, cbow_mean, workers in modes:
        params = Params(
            sg=sg,
            cbow_mean=cbow_mean,
            workers=workers,
            compute_loss=True,
            epochs=1,
            sample=0.0,
            alpha=0.001,
            batch_words=50,
            **head,
            **shape,
        )
        for isa in ISAS[trainer]:
            task = Task(
                corpus,
                params,
                initial_syn0(words, params.vector_size, seed=1),
                new_table(words, params.vector_size) if params.negative else None,
                new_table(words - 1, params.vector_size) if params.hs else None,
                lockf=np.ones(words, np.float32),
            )
            train(trainer_class(trainer)(task, isa), task)


if __name__ == "__main__":
    main()
