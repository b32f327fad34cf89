"""The trainers: one driver, many inner loops. Each is chosen by name and imported on first use."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple, Protocol

import numpy as np

from w2v.corpus import EncodedCorpus
from w2v.params import Params


@dataclass(frozen=True)
class Task:
    """What a trainer works on. All tables have rows padded to whole cache lines (see `w2v.tables`).

    syn0: float32 (V, d), the input rows, one a word.
    syn1neg: float32 (V, d), the output rows of negative sampling, one a word; None without it.
    syn1: float32 (V - 1, d), the output rows of hierarchical softmax, one an inner node of the tree; None without it.
    lockf: float32 (V,), what each input row's updates are multiplied by; None for 1 throughout.
    run: how many runs these weights have behind them: no two draw the same samples.
    rank, ranks: this process, from 0, among so many that train parts of a corpus: no two draw the same samples.
    device: the number of the device to train on, counted round; None for the current one. For trainers that have one.
    random: gensim's stream, for the exact trainer alone; it goes on from run to run. A new one if None is given.
    """

    corpus: EncodedCorpus
    params: Params
    syn0: np.ndarray
    syn1neg: np.ndarray | None = None
    syn1: np.ndarray | None = None
    lockf: np.ndarray | None = None
    run: int = 0
    rank: int = 0
    ranks: int = 1
    device: int | None = None
    random: np.random.RandomState = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.random is None:
            object.__setattr__(self, "random", np.random.RandomState(self.params.seed))

    @property
    def tables(self) -> dict[str, np.ndarray]:
        """Those that are there, by name."""
        named = {"syn0": self.syn0, "syn1neg": self.syn1neg, "syn1": self.syn1}
        return {name: table for name, table in named.items() if table is not None}


class Trained(NamedTuple):
    """What a chunk of training did.

    kept_words: words that survived subsampling.
    loss: the sum of -log(likelihood) over all examples, 0 unless `params.compute_loss`.
    examples: predictions trained: pairs in skip-gram, centres in CBOW; 0 unless `params.compute_loss`.
    """

    kept_words: int
    loss: float = 0.0
    examples: int = 0

    def plus(self, other: Trained) -> Trained:
        """Both together."""
        return Trained(self.kept_words + other.kept_words, self.loss + other.loss, self.examples + other.examples)


class Worker(Protocol):
    """One thread's share of a trainer."""

    def train_chunk(self, begin: int, end: int, alpha: float, seed: int) -> Trained:
        """Train on sentences [begin, end) of the corpus."""

    def finish(self) -> None:
        """Publish whatever the thread still keeps to itself."""


class Trainer(Protocol):
    """One way to run the inner loop.

    A trainer that wants other chunks than those of `params.batch_words` words has an int attribute `chunk_words`. One
    that trains copies of the tables brings them back when all workers have finished, and has a method `reload()`, which
    copies them anew before they go on.
    One that can't run everywhere, or with all settings, has a static method `check(params)`, which raises what the
    constructor would.
    """

    def __init__(self, task: Task) -> None: ...

    def worker(self, index: int) -> Worker:
        """The state of thread `index`."""


TRAINERS = {
    "hogwild": "w2v.trainers.hogwild:Hogwild",
    "exact": "w2v.trainers.exact:Exact",
    "numba": "w2v.trainers.numba_:Numba",
    "cupy": "w2v.trainers.cuda:Cupy",
    "reference": "w2v.trainers.reference:Reference",
}


def trainer_class(name: str) -> type[Trainer]:
    """The trainer called `name`.

    Raises
    ------
    ValueError
        If there is none, with the near names.
    RuntimeError
        If it is not compiled, or a library is missing, with the cure.
    """
    if str(name) not in TRAINERS:
        near = difflib.get_close_matches(str(name), TRAINERS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(TRAINERS)}"
        raise ValueError(f"no trainer is called {name!r}: {hint}")
    module, attribute = TRAINERS[name].split(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name != f"{module}._{name}":
            raise
        raise RuntimeError(
            f"the trainer {name!r} is not compiled: install a C++ compiler, GCC or Clang, and then w2v-compare again, "
            "or take trainer='numba'"
        ) from error


def check_trainer(name: str, params: Params) -> None:
    """Raise before a corpus is read what `trainer_class` does, and what keeps that trainer from training so, and here.

    ValueError for a setting; RuntimeError for what the machine lacks, with the cure.
    """
    check = getattr(trainer_class(name), "check", None)
    if check:
        check(params)
