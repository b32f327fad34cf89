"""JAX: every operation dispatched on its own; the whole by `jit`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np

from mnist.operations import Array, Arrays

jax.config.update("jax_enable_x64", True)  # without it float64 would be cut


class Jax:
    def asarray(self, array: np.ndarray) -> Array:
        return jax.device_put(array)

    def matmul(self, A: Array, B: Array, transpose_a: bool = False, transpose_b: bool = False) -> Array:
        return (A.T if transpose_a else A) @ (B.T if transpose_b else B)

    def relu(self, Z: Array) -> Array:
        return jax.nn.relu(Z)

    def relu_gradient(self, dA: Array, Z: Array) -> Array:
        return dA * (Z > 0)

    def softmax(self, Z: Array) -> Array:
        return jax.nn.softmax(Z)

    def sum_rows(self, A: Array) -> Array:
        return jnp.sum(A, axis=0)

    def update(self, W: Array, dW: Array, learning_rate: float) -> Array:
        return W - learning_rate * dW

    def synchronize(self, arrays: Mapping[str, Array]) -> None:
        jax.block_until_ready(list(arrays.values()))

    def compiled(self, step: Callable[[Arrays], Arrays]) -> Callable[[Arrays], Arrays]:
        return jax.jit(step)
