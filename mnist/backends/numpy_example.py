"""One example at a time, as a first hand-written version does: the same sums, by matrix-vector products."""

from __future__ import annotations

import numpy as np

from mnist.backends import Task, batches
from mnist.model import Weights, pixels, update


class NumPyExample:
    """Adds up the examples' gradients and updates once a batch, so that its result is everyone's."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._X = pixels(task.images)
        self.reset()

    def reset(self) -> None:
        self._weights = self._task.weights.astype(np.float32)

    def weights(self) -> Weights:
        return self._weights

    def train_epoch(self, order: np.ndarray) -> float:
        total = 0.0
        for batch in batches(order, self._task.batch_size):
            gradients = Weights(*(np.zeros_like(weight) for weight in self._weights))
            for example in batch:
                total += self._add_gradients(gradients, self._X[example], self._task.labels[example])
            update(self._weights, gradients, self._task.learning_rate / len(batch))
        return total / len(order)

    def _add_gradients(self, gradients: Weights, x: np.ndarray, label: int) -> float:
        """Add the gradients of one example x (784,); return its loss."""
        W1, b1, W2, b2 = self._weights
        h = np.maximum(x @ W1 + b1, 0)
        z = h @ W2 + b2
        z -= z.max()
        exp_z = np.exp(z)
        sum_exp = exp_z.sum()

        dz = exp_z / sum_exp
        dz[label] -= 1
        dh = (W2 @ dz) * (h > 0)
        for gradient, term in zip(gradients, (np.outer(x, dh), dh, np.outer(h, dz), dz), strict=True):
            gradient += term
        return float(np.log(sum_exp)) - float(z[label])
