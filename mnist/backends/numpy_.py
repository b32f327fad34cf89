"""The specification itself, batch by batch; NumPy hands the matrix products to BLAS."""

from __future__ import annotations

import numpy as np

from mnist.backends import InPlace, Task, batches
from mnist.model import pixels, sgd_step


class NumPy(InPlace):
    """`mnist.model.sgd_step` over the batches, in the dtype of the task's weights."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._X = pixels(task.images)

    def train_epoch(self, order: np.ndarray) -> float:
        total = 0.0
        for batch in batches(order, self._task.batch_size):
            X = self._X[batch].astype(self._task.dtype, copy=False)
            total += self._train_batch(X, self._task.labels[batch]) * len(batch)
        return total / len(order)

    def _train_batch(self, X: np.ndarray, labels: np.ndarray) -> float:
        """The mean loss before the update."""
        return sgd_step(self._weights, X, labels, self._task.learning_rate)
