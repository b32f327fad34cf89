"""TensorFlow: every operation eager; the whole by `tf.function`, compiled by XLA."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import tensorflow as tf

from mnist.operations import Array, Arrays


class TensorFlow:
    def asarray(self, array: np.ndarray) -> Array:
        return tf.constant(array)

    def matmul(self, A: Array, B: Array, transpose_a: bool = False, transpose_b: bool = False) -> Array:
        return tf.matmul(A, B, transpose_a=transpose_a, transpose_b=transpose_b)

    def relu(self, Z: Array) -> Array:
        return tf.nn.relu(Z)

    def relu_gradient(self, dA: Array, Z: Array) -> Array:
        return dA * tf.cast(Z > 0, dA.dtype)

    def softmax(self, Z: Array) -> Array:
        return tf.nn.softmax(Z)

    def sum_rows(self, A: Array) -> Array:
        return tf.reduce_sum(A, axis=0)

    def update(self, W: Array, dW: Array, learning_rate: float) -> Array:
        return W - learning_rate * dW

    def synchronize(self, arrays: Mapping[str, Array]) -> None:
        tf.test.experimental.sync_devices()

    def compiled(self, step: Callable[[Arrays], Arrays]) -> Callable[[Arrays], Arrays]:
        return tf.function(step, jit_compile=True)
