"""Our own: an epoch is one call into C++ without Python's lock, with products, threads and buffers of its own."""

from __future__ import annotations

import numpy as np

from mnist.backends import Task, Unavailable
from mnist.model import CLASSES, PIXELS, Weights

try:
    from mnist.backends.native._native import BF16, BF16_COMPILED, has_bf16, train_epoch, usable_isas
except ModuleNotFoundError:
    COMPILED = False
else:
    COMPILED = True


class Native:
    """Computes in the dtype of the task, on `task.threads` threads: the same weights come out for any number.

    isa: the instruction set to use, of `usable_isas()`; the best one if not given.
    """

    def __init__(self, task: Task, isa: str | None = None) -> None:
        if reason := why_not():
            raise Unavailable(reason)
        if len(task.labels) and task.labels.max() >= CLASSES:
            raise ValueError(f"label {task.labels.max()}: labels must be below {CLASSES}")
        self._task = task
        self._images = np.ascontiguousarray(task.images)
        self._isa = isa or usable_isas()[0]
        self.reset()

    def reset(self) -> None:
        self._flat = np.concatenate([array.ravel() for array in self._task.weights])

    def weights(self) -> Weights:
        arrays = self._task.weights
        pieces = np.split(self._flat, np.cumsum([array.size for array in arrays])[:-1])
        return tuple(piece.reshape(array.shape).copy() for piece, array in zip(pieces, arrays, strict=True))

    def train_epoch(self, order: np.ndarray) -> float:
        task = self._task
        if len(order) and not 0 <= order.min() <= order.max() < len(task.labels):
            raise IndexError(f"the order must name examples 0 to {len(task.labels) - 1}")
        total = train_epoch(
            self._flat,
            self._images,
            task.labels,
            order,
            sizes=[PIXELS, *(len(b) for b in task.weights[1::2])],
            batch=task.batch_size,
            learning_rate=task.learning_rate,
            threads=task.threads,
            isa=self._isa,
        )
        return total / len(order)


class NativeBFloat16(Native):
    """Products of bfloat16 numbers with float32 sums, weights and updates."""

    def __init__(self, task: Task) -> None:
        if reason := why_not_bf16():
            raise Unavailable(reason)
        if task.dtype != np.float32:
            raise ValueError(f"native-bf16 keeps float32 weights, not {task.dtype}: choose float32, or native")
        super().__init__(task, BF16)


def why_not() -> str | None:
    """Why `Native` can't run here; None when it can."""
    if COMPILED:
        return None
    return "not compiled: install a C++ compiler, GCC or Clang, and then w2v-compare again"


def why_not_bf16() -> str | None:
    """Why this machine can't run `NativeBFloat16`; None when it can."""
    if reason := why_not():
        return reason
    if has_bf16():
        return None
    if not BF16_COMPILED:
        return "native-bf16 is not compiled: build with GCC for x86-64 (CC=gcc CXX=g++ pip install .), or use native"
    return "this processor has no AVX-512 BF16 instructions (Intel since Cooper Lake, AMD since Zen 4): use native"
