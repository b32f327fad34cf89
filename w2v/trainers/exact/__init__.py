"""gensim's own skip-gram with negative sampling, several times as fast."""

from __future__ import annotations

import numpy as np

from w2v.tables import padded
from w2v.trainers import Task, Trained
from w2v.trainers.exact._exact import Model, subsample, usable_isas
from w2v.trainers.isa import choose_isa

CUMULATIVE_DOMAIN = 2**31 - 1


class Exact:
    """gensim's arithmetic, sampling order and random streams.

    With one worker and one seed the vectors are those of `gensim.models.Word2Vec(sg=1, workers=1)` but for
    float32 rounding. Several workers share the random streams, so what each draws depends on their timing.

    Parameters
    ----------
    isa : str, optional
        The instruction set to use, of `usable_isas()`; the best one if not given.

    Raises
    ------
    ValueError
        If this processor can't run `isa`.
    """

    def __init__(self, task: Task, isa: str | None = None) -> None:
        params, vocabulary = task.params, task.corpus.vocabulary
        self._corpus, self._params = task.corpus, params
        self._keep_thresholds = vocabulary.keep_thresholds(params.sample)
        self._random = np.random.RandomState(params.seed)  # no newer generator repeats gensim's draws
        self._model = Model(
            padded(task.syn0),
            padded(task.syn1neg),
            cumulative_noise(vocabulary.counts, params.ns_exponent),
            params.window,
            params.negative,
            choose_isa(isa, usable_isas()),
        )

    def worker(self, index: int) -> Exact:
        """The trainer itself: it keeps nothing of a thread's own, and RandomState guards itself."""
        return self

    def train_chunk(self, begin: int, end: int, alpha: float, seed: int) -> Trained:
        """Train on sentences [begin, end).

        seed: unused, for gensim's streams run through all chunks.
        """
        state = 2**24 * self._random.randint(0, 2**24) + self._random.randint(0, 2**24)
        words, ends, state = self._subsampled(begin, end, state)
        if self._params.shrink_windows:
            reduced_windows = self._random.randint(0, self._params.window, len(words))
        else:
            reduced_windows = np.zeros(len(words), np.int64)
        self._model.train(words, ends, reduced_windows.astype(np.int64, copy=False), alpha, state)
        return Trained(len(words))

    def finish(self) -> None:
        """Nothing is kept back."""

    def _subsampled(self, begin: int, end: int, state: int) -> tuple[np.ndarray, np.ndarray, int]:
        # The words of sentences [begin, end), where each sentence ends in them, and the random state after.
        ids, offsets = self._corpus.ids, self._corpus.offsets[begin : end + 1]
        if not self._params.sample:  # draws nothing, where a threshold that keeps every word would still draw
            return ids[offsets[0] : offsets[-1]], offsets[1:] - offsets[0], state
        words, ends = np.empty(offsets[-1] - offsets[0], np.int32), np.empty(end - begin, np.int64)
        kept, state = subsample(ids, offsets, self._keep_thresholds, state, words, ends)
        return words[:kept], ends, state


def cumulative_noise(counts: np.ndarray, ns_exponent: float) -> np.ndarray:
    """uint32 (V,): gensim's `cum_table`, each word's cumulative share of the negatives, the last 2**31 - 1.

    counts: int64 (V,).
    """
    weights = [count**ns_exponent for count in counts.tolist()]  # an array's power may differ in the last bit
    cumulative = np.cumsum(weights)
    return np.rint(cumulative / cumulative[-1] * CUMULATIVE_DOMAIN).astype(np.uint32)
