"""One training step taken apart: its operations by name, to be called one at a time in any array library.

`numpy_` holds what NumPy and CuPy share, `jax_` and `tensorflow_` what differs there. The arithmetic is that of
`mnist.model`; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from mnist.model import CLASSES

Array = Any
"""Of whichever library."""
Arrays = dict[str, Array]
"""X (batch, pixels); Y (batch, 10), the labels one-hot; W1, b1, W2 ...; and what the operations add: Z1, A1, dW1 ..."""


class Library(Protocol):
    """What a step needs of an array library."""

    def asarray(self, array: np.ndarray) -> Array:
        """On the device."""

    def matmul(self, A: Array, B: Array, transpose_a: bool = False, transpose_b: bool = False) -> Array: ...

    def relu(self, Z: Array) -> Array: ...

    def relu_gradient(self, dA: Array, Z: Array) -> Array: ...

    def softmax(self, Z: Array) -> Array:
        """Of each row, its maximum subtracted first."""

    def sum_rows(self, A: Array) -> Array:
        """(columns,) from (rows, columns)."""

    def update(self, W: Array, dW: Array, learning_rate: float) -> Array:
        """W - learning_rate * dW; in place where the library's users do it so."""

    def synchronize(self, arrays: Mapping[str, Array]) -> None:
        """Return when all work on `arrays` is done."""

    def compiled(self, step: Callable[[Arrays], Arrays]) -> Callable[[Arrays], Arrays] | None:
        """The whole of `step` in one call of compiled code; None where the library has no compiler."""


LIBRARIES = {
    "numpy": "mnist.operations.numpy_:NumPy",
    "jax": "mnist.operations.jax_:Jax",
    "tensorflow": "mnist.operations.tensorflow_:TensorFlow",
    "cupy": "mnist.operations.numpy_:CuPy",
}


def library(name: str) -> Library:
    """The library called `name`, imported."""
    module, attribute = LIBRARIES[name].split(":")
    made: Library = getattr(import_module(module), attribute)()
    return made


def arrays(weights: Sequence[np.ndarray], X: np.ndarray, labels: np.ndarray, of: Library) -> Arrays:
    """What a step starts from. weights: W1, b1, W2, b2, ... in the dtype to compute in; labels (batch,) integers."""
    dtype = weights[0].dtype
    named = {f"{'Wb'[index % 2]}{index // 2 + 1}": array for index, array in enumerate(weights)}
    named |= {"X": X.astype(dtype), "Y": np.eye(CLASSES, dtype=dtype)[labels]}
    return {name: of.asarray(array) for name, array in named.items()}


def operations(layers: int, learning_rate: float, of: Library) -> dict[str, Callable[[Arrays], Arrays]]:
    """The operations of a step of a network with `layers` weight matrices, in their order, by what they compute.

    Each takes the arrays so far and returns those that it adds or replaces.
    """

    def inputs(layer: int) -> str:
        return f"A{layer - 1}" if layer > 1 else "X"

    def forward(layer: int) -> dict[str, Callable[[Arrays], Arrays]]:
        A, W, b, Z = inputs(layer), f"W{layer}", f"b{layer}", f"Z{layer}"
        affine = {f"{Z} = {A} {W} + {b}": lambda a: {Z: of.matmul(a[A], a[W]) + a[b]}}
        if layer == layers:
            return affine | {f"P = softmax({Z})": lambda a: {"P": of.softmax(a[Z])}}
        return affine | {f"A{layer} = ReLU({Z})": lambda a: {f"A{layer}": of.relu(a[Z])}}

    def backward(layer: int) -> dict[str, Callable[[Arrays], Arrays]]:
        A, W, dW, db, dZ = inputs(layer), f"W{layer}", f"dW{layer}", f"db{layer}", f"dZ{layer}"
        gradients = {
            f"{dW} = {A}' {dZ}, {db}": lambda a: {dW: of.matmul(a[A], a[dZ], transpose_a=True), db: of.sum_rows(a[dZ])}
        }
        if layer == 1:
            return gradients
        Z, dA, dZ_below = f"Z{layer - 1}", f"d{A}", f"dZ{layer - 1}"
        return gradients | {
            f"{dA} = {dZ} {W}'": lambda a: {dA: of.matmul(a[dZ], a[W], transpose_b=True)},
            f"{dZ_below} = {dA} where {Z} > 0": lambda a: {dZ_below: of.relu_gradient(a[dA], a[Z])},
        }

    def loss_gradient(a: Arrays) -> Arrays:
        return {f"dZ{layers}": (a["P"] - a["Y"]) / a["Y"].shape[0]}

    def update(a: Arrays) -> Arrays:
        weights = [f"{kind}{layer}" for layer in range(1, layers + 1) for kind in "Wb"]
        return {name: of.update(a[name], a[f"d{name}"], learning_rate) for name in weights}

    found: dict[str, Callable[[Arrays], Arrays]] = {}
    for layer in range(1, layers + 1):
        found |= forward(layer)
    found[f"dZ{layers} = (P - Y) / batch"] = loss_gradient
    for layer in range(layers, 0, -1):
        found |= backward(layer)
    return found | {"update": update}
