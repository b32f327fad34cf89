"""JAX on the CPU: gather, loss, gradient and update compiled into one step."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from mnist.backends import Task, batches
from mnist.model import Weights, layers, pixels


def batch_loss(weights: Weights, X: jax.Array, labels: jax.Array) -> jax.Array:
    """Mean cross-entropy of a batch, as in `mnist.model`."""
    *hidden_layers, (W_out, b_out) = layers(weights)
    A = X
    for W, b in hidden_layers:
        A = jax.nn.relu(A @ W + b)
    log_p = jax.nn.log_softmax(A @ W_out + b_out)
    return -jnp.take_along_axis(log_p, labels[:, None], axis=1).mean()


class Jax:
    """One call of the compiled step a batch. A last, smaller one has a shape and a compilation of its own."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._device = jax.devices("cpu")[0]
        if task.dtype == np.float64:
            jax.config.update("jax_enable_x64", True)
        self._X, self._labels = jax.device_put((pixels(task.images, task.dtype), task.labels), self._device)
        self._step = jax.jit(self._one_step)
        self.reset()

    def reset(self) -> None:
        self._weights = jax.device_put(self._task.weights, self._device)

    def weights(self) -> Weights:
        return tuple(map(np.array, self._weights))

    def train_epoch(self, order: np.ndarray) -> float:
        losses, sizes = [], []
        for batch in batches(order, self._task.batch_size):
            self._weights, loss = self._step(self._weights, self._X, self._labels, batch)
            losses.append(loss)
            sizes.append(len(batch))
        return float(np.average(jax.device_get(losses), weights=sizes))

    def _one_step(
        self, weights: Weights, X: jax.Array, labels: jax.Array, batch: jax.Array
    ) -> tuple[Weights, jax.Array]:
        loss, gradients = jax.value_and_grad(batch_loss)(weights, X[batch], labels[batch])
        return jax.tree.map(lambda w, g: w - self._task.learning_rate * g, weights, gradients), loss
