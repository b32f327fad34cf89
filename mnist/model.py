"""The network, its loss, its gradients and one SGD step in plain NumPy: the specification of every backend.

    A0 = X                         X (batch, 784)
    Ai = max(0, Zi)                for each hidden layer
    Zi = A(i-1) Wi + bi            Wi (inputs, outputs); the last Z (batch, 10) holds the logits
    loss = mean over the batch of -log softmax(Z)[label]

All functions compute in the dtype of the weights; losses are summed in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

Array = TypeVar("Array")
PIXELS = 784
CLASSES = 10

Weights = tuple[np.ndarray, ...]
"""W1 (784, hidden), b1 (hidden,), W2, b2, ..., layer by layer, the output's last: also the shape of a gradient."""


def layers(weights: tuple[Array, ...]) -> list[tuple[Array, Array]]:
    """(W, b) of each layer, the output's last; arrays of any library."""
    return list(zip(weights[::2], weights[1::2], strict=True))


def names(weights: Weights) -> list[str]:
    """W1, b1, W2, b2, ..."""
    return [f"{kind}{layer}" for layer in range(1, len(weights) // 2 + 1) for kind in "Wb"]


def astype(weights: Weights, dtype: type | np.dtype) -> Weights:
    """A copy in `dtype` that shares no memory with `weights`."""
    return tuple(array.astype(dtype) for array in weights)


def initial_weights(hidden: Sequence[int] = (128,), seed: int = 0) -> Weights:
    """float32 start: uniform in +-sqrt(6 / (inputs + outputs)) (Glorot and Bengio, 2010), biases zero.

    hidden: units of each hidden layer; ValueError if there is none or one without units.
    """
    if not hidden or min(hidden) < 1:
        raise ValueError(f"hidden={tuple(hidden)}: give at least one hidden layer, and each at least one unit")
    rng = np.random.default_rng(seed)
    weights: list[np.ndarray] = []
    for inputs, outputs in pairwise((PIXELS, *hidden, CLASSES)):
        limit = np.sqrt(6 / (inputs + outputs))
        weights.append(rng.uniform(-limit, limit, (inputs, outputs)).astype(np.float32))
        weights.append(np.zeros(outputs, np.float32))
    return tuple(weights)


def pixels(images: np.ndarray, dtype: type | np.dtype = np.float32) -> np.ndarray:
    """uint8 grey values 0..255 as network input in 0..1: float32 values, held in `dtype`."""
    return np.multiply(images, np.float32(1 / 255), dtype=np.float32).astype(dtype, copy=False)


def forward(weights: Weights, X: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """What enters each layer, X (batch, 784) first, and the logits Z (batch, 10)."""
    *hidden_layers, (W_out, b_out) = layers(weights)
    inputs = [X]
    for W, b in hidden_layers:
        inputs.append(np.maximum(inputs[-1] @ W + b, 0))
    return inputs, inputs[-1] @ W_out + b_out


def log_softmax(Z: np.ndarray) -> np.ndarray:
    """Row by row; the maximum is subtracted first, so that nothing overflows."""
    shifted = Z - Z.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def loss_and_gradients(weights: Weights, X: np.ndarray, labels: np.ndarray) -> tuple[float, Weights]:
    """Mean cross-entropy of a batch and its gradient. X (batch, 784); labels (batch,) integers 0..9."""
    batch = np.arange(len(labels))
    inputs, Z = forward(weights, X)
    log_p = log_softmax(Z)
    loss = -log_p[batch, labels].mean(dtype=np.float64)

    dZ = np.exp(log_p)
    dZ[batch, labels] -= 1
    dZ /= len(labels)
    gradients: Weights = ()
    for (W, _), A in zip(reversed(layers(weights)), reversed(inputs), strict=True):
        gradients = (A.T @ dZ, dZ.sum(axis=0), *gradients)
        if A is not X:
            dZ = (dZ @ W.T) * (A > 0)
    return float(loss), gradients


def update(weights: Weights, gradients: Weights, learning_rate: float) -> None:
    """weights -= learning_rate * gradients, in place."""
    for weight, gradient in zip(weights, gradients, strict=True):
        weight -= learning_rate * gradient


def sgd_step(weights: Weights, X: np.ndarray, labels: np.ndarray, learning_rate: float) -> float:
    """Train `weights` in place on one batch; return its loss before the update."""
    loss, gradients = loss_and_gradients(weights, X, labels)
    update(weights, gradients, learning_rate)
    return loss


def accuracy(weights: Weights, images: np.ndarray, labels: np.ndarray) -> float:
    """Share of uint8 `images` (n, 784) whose largest logit is their label's."""
    _, Z = forward(weights, pixels(images, weights[0].dtype))
    return float((Z.argmax(axis=1) == labels).mean())


def flops_per_example(hidden: Sequence[int] = (128,)) -> int:
    """Multiplications and additions in the matrix products of one training step, for each example.

    A product with an (m, n) matrix costs 2 m n. Layer 1 takes part in two (X W1, and X' dZ1 for its gradient), every
    other in three (A W, A' dZ, dZ W'). Bias, ReLU, softmax and update are left out.
    """
    first, *others = [2 * inputs * outputs for inputs, outputs in pairwise((PIXELS, *hidden, CLASSES))]
    return 2 * first + 3 * sum(others)
