"""JAX: gather, loss, gradient and update compiled into one step, or a whole epoch of them into one call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from mnist.backends import Task, batches
from mnist.model import Weights, layers, pixels

jax.config.update("jax_enable_x64", True)  # types are those of the task's weights; without it float64 would be cut


def batch_loss(weights: Weights, X: jax.Array, labels: jax.Array) -> jax.Array:
    """Mean cross-entropy of a batch, as in `mnist.model`."""
    *hidden_layers, (W_out, b_out) = layers(weights)
    A = X
    for W, b in hidden_layers:
        A = jax.nn.relu(A @ W + b)
    log_p = jax.nn.log_softmax(A @ W_out + b_out)
    return -jnp.take_along_axis(log_p, labels[:, None], axis=1).mean()


def sgd_step(
    learning_rate: jax.Array, X: jax.Array, labels: jax.Array, weights: Weights, batch: jax.Array
) -> tuple[Weights, jax.Array]:
    """The weights after training on the examples `batch` of X and labels, and the loss before it."""
    loss, gradients = jax.value_and_grad(batch_loss)(weights, X[batch], labels[batch])
    return jax.tree.map(lambda weight, gradient: weight - learning_rate * gradient, weights, gradients), loss


def sgd_epoch(
    learning_rate: jax.Array, X: jax.Array, labels: jax.Array, weights: Weights, order: jax.Array, batch_size: int
) -> tuple[Weights, jax.Array]:
    """The weights after training on the examples `order`, batch by batch, and the loss of each batch."""
    step = partial(sgd_step, learning_rate, X, labels)
    full = len(order) - len(order) % batch_size
    weights, losses = jax.lax.scan(step, weights, order[:full].reshape(-1, batch_size))
    if full < len(order):
        weights, last = step(weights, order[full:])
        losses = jnp.append(losses, last)
    return weights, losses


compiled_step = jax.jit(sgd_step)
compiled_epoch = jax.jit(sgd_epoch, static_argnames="batch_size")


class Jax:
    """One call of the compiled step a batch. A last, smaller one has a shape and a compilation of its own."""

    platform = "cpu"

    def __init__(self, task: Task) -> None:
        self._task = task
        self._device = jax.devices(self.platform)[0]
        self._examples = jax.device_put((pixels(task.images, task.dtype), task.labels), self._device)
        self._learning_rate = jax.device_put(task.dtype.type(task.learning_rate), self._device)
        self.reset()

    def reset(self) -> None:
        self._weights = jax.device_put(self._task.weights, self._device)

    def weights(self) -> Weights:
        return tuple(map(np.array, self._weights))

    def train_epoch(self, order: np.ndarray) -> float:
        sizes = [len(batch) for batch in batches(order, self._task.batch_size)]
        return float(np.average(jax.device_get(self._losses(order)), weights=sizes))

    def _losses(self, order: np.ndarray) -> jax.Array | list[jax.Array]:
        """Train on the examples `order`; the loss of each batch."""
        losses = []
        for batch in batches(order, self._task.batch_size):
            self._weights, loss = compiled_step(self._learning_rate, *self._examples, self._weights, batch)
            losses.append(loss)
        return losses


class JaxGPU(Jax):
    """The same on an NVIDIA GPU."""

    platform = "cuda"


class JaxScan(Jax):
    """One call an epoch: `lax.scan` over its batches."""

    def _losses(self, order: np.ndarray) -> jax.Array:
        batch_size = min(self._task.batch_size, len(order))
        self._weights, losses = compiled_epoch(
            self._learning_rate, *self._examples, self._weights, order, batch_size=batch_size
        )
        return losses


class SideBySide:
    """Several learning rates at once: `vmap` over them, and over the weights that they lead to."""

    def __init__(self, task: Task, learning_rates: Sequence[float]) -> None:
        self._task = task
        rates = np.array(learning_rates, task.dtype)
        copies = tuple(np.repeat(array[None], len(rates), axis=0) for array in task.weights)
        device = jax.devices("cpu")[0]
        self._rates, self._weights = jax.device_put((rates, copies), device)
        self._examples = jax.device_put((pixels(task.images, task.dtype), task.labels), device)
        epoch = jax.vmap(sgd_epoch, in_axes=(0, None, None, 0, None, None))
        self._epoch = jax.jit(epoch, static_argnums=5)

    def weights(self) -> list[Weights]:
        """Of each learning rate."""
        return list(zip(*map(np.array, self._weights), strict=True))

    def train_epoch(self, order: np.ndarray) -> np.ndarray:
        """Train on the examples `order`; losses (learning rates, batches)."""
        batch_size = min(self._task.batch_size, len(order))
        self._weights, losses = self._epoch(self._rates, *self._examples, self._weights, order, batch_size)
        return np.array(losses)
