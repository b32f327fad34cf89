"""NumPy, and CuPy by the same names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType

import numpy as np

from mnist.operations import Array, Arrays


class NumPy:
    xp: ModuleType = np

    def asarray(self, array: np.ndarray) -> Array:
        return self.xp.asarray(array)

    def matmul(self, A: Array, B: Array, transpose_a: bool = False, transpose_b: bool = False) -> Array:
        return (A.T if transpose_a else A) @ (B.T if transpose_b else B)

    def relu(self, Z: Array) -> Array:
        return self.xp.maximum(Z, 0)

    def relu_gradient(self, dA: Array, Z: Array) -> Array:
        return dA * (Z > 0)

    def softmax(self, Z: Array) -> Array:
        exp_Z = self.xp.exp(Z - Z.max(axis=1, keepdims=True))
        return exp_Z / exp_Z.sum(axis=1, keepdims=True)

    def sum_rows(self, A: Array) -> Array:
        return A.sum(axis=0)

    def update(self, W: Array, dW: Array, learning_rate: float) -> Array:
        W -= learning_rate * dW
        return W

    def synchronize(self, arrays: Mapping[str, Array]) -> None:
        """NumPy returns when it is done."""

    def compiled(self, step: Callable[[Arrays], Arrays]) -> None:
        return None


class CuPy(NumPy):
    def __init__(self) -> None:
        import cupy

        self.xp = cupy

    def synchronize(self, arrays: Mapping[str, Array]) -> None:
        self.xp.cuda.get_current_stream().synchronize()
