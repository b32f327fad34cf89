"""Window mode on threads without locks: the default trainer, and the fastest."""

from __future__ import annotations

import numpy as np

from w2v.tables import padded
from w2v.trainers import Task, Trained
from w2v.trainers.alias import alias_slots
from w2v.trainers.grouping import centres_in_group, negatives_of_group
from w2v.trainers.hogwild._hogwild import Model, Thread, usable_isas
from w2v.trainers.isa import choose_isa
from w2v.trainers.reference import Windows
from w2v.trainers.traffic import traffic


class Hogwild:
    """All modes of `w2v.trainers.reference`, in SIMD kernels on many threads.

    Parameters
    ----------
    isa : str, optional
        The instruction set to use, of `usable_isas()`; the best one if not given.
    group : int, optional
        Neighbouring centres that share negatives, 1 to MOST_IN_GROUP; what `centres_in_group` says if not given.

    Raises
    ------
    ValueError
        If this processor can't run `isa`.
    """

    def __init__(self, task: Task, isa: str | None = None, group: int | None = None) -> None:
        params, vocabulary = task.params, task.corpus.vocabulary
        self._corpus = task.corpus
        self._isa = choose_isa(isa, usable_isas())
        tree = vocabulary.tree if params.hs else None
        group = group or centres_in_group(params, vocabulary)
        drawn, weight = negatives_of_group(params.negative, group)
        self._model = Model(
            padded(task.syn0),
            padded(task.syn1neg) if task.syn1neg is not None else None,
            padded(task.syn1) if task.syn1 is not None else None,
            vocabulary.keep_thresholds(params.sample),
            alias_slots(vocabulary.noise_probabilities(params.ns_exponent)),
            len(vocabulary) - 2 - tree.points if tree else None,  # the root, most used of all, first
            np.append(tree.codes, np.zeros(7, np.uint8)) if tree else None,  # read eight at a time
            tree.offsets if tree else None,
            task.lockf,
            *traffic(params, vocabulary),
            window=params.window,
            group=group,
            drawn=drawn,
            negative_weight=weight,
            shrink_windows=params.shrink_windows,
            skip_gram=bool(params.sg),
            cbow_mean=bool(params.cbow_mean),
            compute_loss=params.compute_loss,
            threads=params.workers,
        )

        self._threads: list[Thread] = []

    def worker(self, index: int) -> _Worker:
        """Thread `index`, with its own copies of the most frequent rows if there are several."""
        thread = Thread(self._model, self._isa)
        self._threads.append(thread)
        return _Worker(thread, self._corpus.ids, self._corpus.offsets)

    def reload(self) -> None:
        """Bring the threads' copies up to date."""
        for thread in self._threads:
            thread.merge()


class _Worker:
    def __init__(self, thread: Thread, ids: np.ndarray, offsets: np.ndarray) -> None:
        self._thread, self._ids, self._offsets = thread, ids, offsets

    def train_chunk(self, begin: int, end: int, alpha: float, seed: int) -> Trained:
        return Trained(*self._thread.train_chunk(self._ids, self._offsets, begin, end, alpha, seed))

    def train_windows(self, windows: Windows, alpha: float) -> Trained:
        """Train on given samples rather than drawn ones."""
        return Trained(*self._thread.train_windows(*windows, alpha))

    def finish(self) -> None:
        self._thread.merge()
