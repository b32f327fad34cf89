"""The specification itself, batch by batch; NumPy hands the matrix products to BLAS."""

from __future__ import annotations

import numpy as np

from mnist.backends import Task, batches
from mnist.model import Weights, astype, pixels, sgd_step


class NumPy:
    """`mnist.model.sgd_step` over the batches, in the dtype of the task's weights."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._X = pixels(task.images)
        self.reset()

    def reset(self) -> None:
        self._weights = astype(self._task.weights, self._task.dtype)

    def weights(self) -> Weights:
        return self._weights

    def train_epoch(self, order: np.ndarray) -> float:
        total = 0.0
        for batch in batches(order, self._task.batch_size):
            X = self._X[batch].astype(self._task.dtype, copy=False)
            total += self._train_batch(X, self._task.labels[batch]) * len(batch)
        return total / len(order)

    def _train_batch(self, X: np.ndarray, labels: np.ndarray) -> float:
        """The mean loss before the update."""
        return sgd_step(self._weights, X, labels, self._task.learning_rate)
