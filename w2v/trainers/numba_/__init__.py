"""Window mode in loops that Numba compiles: for people without a compiler. RuntimeError on import without Numba."""

from __future__ import annotations

from threading import Timer

import numpy as np

from w2v.progress import tell
from w2v.tables import new_table, padded
from w2v.trainers import Task, Trained
from w2v.trainers.alias import alias_slots
from w2v.trainers.grouping import MOST_IN_GROUP, centres_in_group, negatives_of_group, require_drawn
from w2v.trainers.reference import CONTEXT_BATCH, Windows

try:
    from w2v.trainers.numba_ import sampler, step_kernel, vectors, window_kernel
except ImportError as error:
    raise RuntimeError(f"Numba can't be imported ({error}): pip install 'w2v-compare[numba]'") from error

SLOW_SECONDS = 3  # what is compiled already is loaded sooner


class Numba:
    """All modes of `w2v.trainers.reference`, on threads without locks. Compiles on construction, if not before.

    Parameters
    ----------
    group : int, optional
        Neighbouring centres that share negatives, 1 to MOST_IN_GROUP; what `centres_in_group` says if not given.
    """

    def __init__(self, task: Task, group: int | None = None) -> None:
        params, vocabulary = task.params, task.corpus.vocabulary
        group = group or centres_in_group(params, vocabulary)
        drawn, weight = negatives_of_group(params.negative, group)
        self._task = task
        self._keep = vocabulary.keep_thresholds(params.sample)
        self._noise = alias_slots(vocabulary.noise_probabilities(params.ns_exponent))
        syn0, words = padded(task.syn0), len(vocabulary)
        none = np.empty((0, syn0.shape[1]), np.float32)
        if task.syn1 is None:
            paths = np.empty(0, np.int32), np.empty(0, np.uint8), np.zeros(words + 1, np.int64)
        else:
            paths = vocabulary.tree.points, vocabulary.tree.codes, vocabulary.tree.offsets
        self._model = window_kernel.Model(
            syn0,
            none if task.syn1neg is None else padded(task.syn1neg),
            none if task.syn1 is None else padded(task.syn1),
            *paths,
            np.ones(words, np.float32) if task.lockf is None else task.lockf,
            group=group,
            drawn=drawn,
            negative_weight=np.float32(weight),
            skip_gram=bool(params.sg),
            cbow_mean=bool(params.cbow_mean),
            compute_loss=params.compute_loss,
        )
        self._most_outputs = max(drawn + MOST_IN_GROUP, int(np.diff(paths[2]).max()))
        notice = Timer(SLOW_SECONDS, tell, ["Numba compiles its loops, which takes about a minute, once on a machine"])
        notice.daemon = True
        notice.start()
        try:
            self.worker(0).train_chunk(0, 0, params.alpha, 0)
        finally:
            notice.cancel()

    def worker(self, index: int) -> _Worker:
        """A thread with room for a step."""
        return _Worker(self._task, self._model, self._keep, self._noise, self._most_outputs)


class _Worker:
    def __init__(
        self, task: Task, model: window_kernel.Model, keep: np.ndarray, noise: np.ndarray, most_outputs: int
    ) -> None:
        self._task, self._model, self._keep, self._noise = task, model, keep, noise
        outputs, stride = -(-most_outputs // vectors.TILE) * vectors.TILE, model.syn0.shape[1]
        pairs = CONTEXT_BATCH * outputs
        changes = new_table(outputs, vectors.LANES)
        self._step = step_kernel.Step(
            inputs=np.empty(CONTEXT_BATCH, np.int64),
            locks=np.empty(CONTEXT_BATCH, np.float32),
            outputs=np.empty(outputs, np.int64),
            labels=np.empty(pairs, np.float32),
            weights=np.empty(pairs, np.float32),
            steps=np.empty(pairs, np.float32),
            changes=changes.ctypes.data + np.arange(outputs) * changes.strides[0],
            ahead=np.empty(outputs + MOST_IN_GROUP, np.int64),
        )
        self._scratch = window_kernel.Scratch(
            rows=np.empty(outputs, np.int64),
            labels=np.zeros(outputs, np.float32),  # of padding too: its weight is 0, but 0 * nan is not
            weights=np.empty((MOST_IN_GROUP, outputs), np.float32),
            hidden=new_table(MOST_IN_GROUP, stride),
            before=new_table(MOST_IN_GROUP, stride),
            zeros=new_table(1, stride),
        )
        self._changes = changes  # the step has but its addresses

    def train_chunk(self, begin: int, end: int, alpha: float, seed: int) -> Trained:
        params, corpus = self._task.params, self._task.corpus
        most = int(corpus.offsets[end] - corpus.offsets[begin])
        tokens, first, last = (np.empty(most + 1, np.int32) for _ in range(3))
        kept = sampler.draw_windows(
            corpus.ids,
            corpus.offsets,
            begin,
            end,
            self._keep,
            params.window,
            params.shrink_windows,
            np.uint64(seed),
            tokens,
            first,
            last,
        )
        negatives = np.empty((kept, self._model.drawn), np.int32)
        sampler.draw_negatives(self._noise, self._model.group, np.uint64(seed), negatives)
        return self.train_windows(Windows(tokens[:kept], first[:kept], last[:kept], negatives), alpha)

    def train_windows(self, windows: Windows, alpha: float) -> Trained:
        """Train on given samples rather than drawn ones."""
        require_drawn(windows.negatives, self._model.drawn)
        loss, examples = window_kernel.train_windows(self._model, windows, np.float32(alpha), self._scratch, self._step)
        return Trained(len(windows.tokens), loss, examples)

    def finish(self) -> None:
        """Nothing is kept back."""
