"""gensim's own word2vec, several times as fast."""

from __future__ import annotations

import numpy as np

from w2v.tables import padded
from w2v.trainers import Task, Trained
from w2v.trainers.exact._exact import Model, subsample, usable_isas
from w2v.trainers.isa import choose_isa


class Exact:
    """gensim's arithmetic, sampling order and random streams.

    With one worker and one seed the vectors are those of `gensim.models.Word2Vec(workers=1)` but for float32 rounding,
    in every mode. The loss is not gensim's, which leaves examples out and is summed in float32. Several workers share
    the random streams, so what each draws depends on their timing.

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
        self._random = task.random  # no newer generator repeats gensim's draws
        self._model = Model(
            padded(task.syn0),
            task.lockf,
            params.window,
            params.negative,
            bool(params.sg),
            bool(params.cbow_mean),
            params.compute_loss,
            choose_isa(isa, usable_isas()),
        )
        if task.syn1neg is not None:
            self._model.add_negative_sampling(padded(task.syn1neg), vocabulary.cumulative_noise(params.ns_exponent))
        if task.syn1 is not None:
            tree = vocabulary.tree
            self._model.add_hierarchical_softmax(padded(task.syn1), tree.points, tree.codes, tree.offsets)

    def worker(self, index: int) -> Exact:
        """The trainer itself: it keeps nothing of a thread's own, and RandomState guards itself."""
        return self

    def train_chunk(self, begin: int, end: int, alpha: float, seed: int) -> Trained:
        """Train on sentences [begin, end).

        seed: unused, for gensim's streams run through all chunks.
        """
        params, state = self._params, 0
        if params.negative or params.sample:
            state = 2**24 * self._random.randint(0, 2**24) + self._random.randint(0, 2**24)
        words, ends, state = self._subsampled(begin, end, state)
        if params.shrink_windows:
            reduced_windows = self._random.randint(0, params.window, len(words))
        else:
            reduced_windows = np.zeros(len(words), np.int64)
        loss, examples = self._model.train(words, ends, reduced_windows.astype(np.int64, copy=False), alpha, state)
        return Trained(len(words), loss, examples)

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
