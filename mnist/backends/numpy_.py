"""The specification itself, batch by batch; NumPy hands the five matrix products to BLAS."""

from __future__ import annotations

import numpy as np

from mnist.backends import Task, batches
from mnist.model import Weights, pixels, sgd_step


class NumPy:
    """`mnist.model.sgd_step` over float32 batches."""

    dtype: type = np.float32

    def __init__(self, task: Task) -> None:
        self._task = task
        self._X = pixels(task.images)
        self.reset()

    def reset(self) -> None:
        self._weights = self._task.weights.astype(self.dtype)

    def weights(self) -> Weights:
        return self._weights

    def train_epoch(self, order: np.ndarray) -> float:
        total = 0.0
        for batch in batches(order, self._task.batch_size):
            X, labels = self._X[batch].astype(self.dtype, copy=False), self._task.labels[batch]
            loss = sgd_step(self._weights, X, labels, self._task.learning_rate)
            total += loss * len(batch)
        return total / len(order)


class Reference(NumPy):
    """The same in float64, from the same float32 pixels: what all others are judged by."""

    dtype = np.float64
