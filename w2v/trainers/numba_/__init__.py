"""Window mode in loops that Numba compiles: for people without a compiler."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from w2v.tables import padded
from w2v.trainers import Task, Trained
from w2v.trainers.reference import CONTEXT_BATCH, Windows

MAX_SENTENCE = 10_000  # words; the corpus holds none longer
GUIDES_PER_WORD = 4


class Numba:
    """All modes of `w2v.trainers.reference`, on threads without locks. Compiles on construction, if not before.

    Raises
    ------
    RuntimeError
        If Numba is not installed.
    """

    def __init__(self, task: Task) -> None:
        if find_spec("numba") is None:
            raise RuntimeError("Numba is not installed: pip install 'w2v-compare[numba]'")
        from w2v.trainers.numba_ import kernels

        params, vocabulary = task.params, task.corpus.vocabulary
        self._task, self._kernels = task, kernels
        self._keep = vocabulary.keep_probabilities(params.sample)
        self._cumulative = np.cumsum(vocabulary.noise_probabilities(params.ns_exponent))
        self._cumulative[-1] = 1  # rounding may leave it below what is drawn
        words, guides = len(vocabulary), GUIDES_PER_WORD * len(vocabulary)
        self._guide = np.searchsorted(self._cumulative, np.arange(guides) / guides).astype(np.int32)
        self._syn0 = padded(task.syn0)
        stride = self._syn0.shape[1]
        none = np.empty((0, stride), np.float32)
        self._lockf = np.ones(words, np.float32) if task.lockf is None else task.lockf
        if task.syn1 is None:
            paths = np.empty(0, np.int32), np.empty(0, np.uint8), np.zeros(words + 1, np.int64)
        else:
            paths = vocabulary.tree.points, vocabulary.tree.codes, vocabulary.tree.offsets
        self._heads = kernels.Heads(
            none if task.syn1neg is None else padded(task.syn1neg),
            none if task.syn1 is None else padded(task.syn1),
            *paths,
        )
        self._most_outputs = max(params.negative + 1, int(np.diff(paths[2]).max()))
        self.worker(0).train_chunk(0, 0, params.alpha, 0)

    def worker(self, index: int) -> _Worker:
        """A thread with room for a centre's rows."""
        return _Worker(self)


class _Worker:
    def __init__(self, trainer: Numba) -> None:
        self._trainer = trainer
        params, stride = trainer._task.params, trainer._syn0.shape[1]
        contexts, outputs = 2 * min(params.window, MAX_SENTENCE), trainer._most_outputs
        self._scratch = trainer._kernels.Scratch(
            contexts=np.empty(contexts, np.int32),
            outputs=np.empty(outputs, np.int32),
            labels=np.empty(outputs, np.float32),
            inputs=np.empty((max(contexts, CONTEXT_BATCH), stride), np.float32),
            old=np.empty((outputs, stride), np.float32),
            steps=np.empty((CONTEXT_BATCH, outputs), np.float32),
            transposed=np.empty((outputs, CONTEXT_BATCH), np.float32),
            ones=np.ones((1, contexts), np.float32),
            hidden=np.empty((1, stride), np.float32),
            change=np.empty((1, stride), np.float32),
        )

    def train_chunk(self, begin: int, end: int, alpha: float, seed: int) -> Trained:
        trainer, params, corpus = self._trainer, self._trainer._task.params, self._trainer._task.corpus
        most = int(corpus.offsets[end] - corpus.offsets[begin])
        tokens, first, last = (np.empty(most, np.int32) for _ in range(3))
        kept = trainer._kernels.draw_windows(
            corpus.ids,
            corpus.offsets,
            begin,
            end,
            trainer._keep,
            params.window,
            params.shrink_windows,
            seed % 2**32,
            tokens,
            first,
            last,
        )
        negatives = np.empty((kept, params.negative), np.int32)
        trainer._kernels.draw_negatives(trainer._cumulative, trainer._guide, negatives)
        return self.train_windows(Windows(tokens[:kept], first[:kept], last[:kept], negatives), alpha)

    def train_windows(self, windows: Windows, alpha: float) -> Trained:
        """Train on given samples rather than drawn ones."""
        trainer, params = self._trainer, self._trainer._task.params
        loss, examples = trainer._kernels.train_windows(
            windows,
            trainer._syn0,
            trainer._lockf,
            trainer._heads,
            bool(params.sg),
            bool(params.cbow_mean),
            np.float32(alpha),
            params.compute_loss,
            self._scratch,
        )
        return Trained(len(windows.tokens), loss, examples)

    def finish(self) -> None:
        """Nothing is kept back."""
