"""The specification itself, batch by batch; NumPy hands the five matrix products to BLAS."""

from __future__ import annotations

import numpy as np

from mnist.backends import Task, batches
from mnist.model import Weights, pixels, sgd_step


class NumPy:
    """`mnist.model.sgd_step` over float32 batches; in float64 it is the reference of all others."""

    def __init__(self, task: Task, dtype: type = np.float32) -> None:
        self._task = task
        self._dtype = dtype
        self._X = pixels(task.images).astype(dtype, copy=False)
        self.reset()

    def reset(self) -> None:
        self._weights = self._task.weights.astype(self._dtype)

    def weights(self) -> Weights:
        return self._weights

    def train_epoch(self, order: np.ndarray) -> float:
        total = 0.0
        for batch in batches(order, self._task.batch_size):
            labels = self._task.labels[batch]
            loss = sgd_step(self._weights, self._X[batch], labels, self._task.learning_rate)
            total += loss * len(batch)
        return total / len(order)
