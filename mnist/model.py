"""The network, its loss, its gradients and one SGD step in plain NumPy: the specification of every backend.

    H = max(0, X W1 + b1)       X (batch, 784), W1 (784, hidden)
    Z = H W2 + b2               W2 (hidden, 10)
    loss = mean over the batch of -log softmax(Z)[label]

All functions compute in the dtype of the weights; losses are summed in float64.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

PIXELS = 784
CLASSES = 10


class Weights(NamedTuple):
    """W1 (784, hidden), b1 (hidden,), W2 (hidden, 10), b2 (10,): also the shape of a gradient."""

    W1: np.ndarray
    b1: np.ndarray
    W2: np.ndarray
    b2: np.ndarray

    def astype(self, dtype: type) -> Weights:
        """A copy in `dtype` that shares no memory with this one."""
        return Weights(*(array.astype(dtype) for array in self))


def initial_weights(hidden: int = 128, seed: int = 0) -> Weights:
    """float32 start: uniform in +-sqrt(6 / (inputs + outputs)) (Glorot and Bengio, 2010), biases zero."""
    rng = np.random.default_rng(seed)

    def glorot(inputs: int, outputs: int) -> np.ndarray:
        limit = np.sqrt(6 / (inputs + outputs))
        return rng.uniform(-limit, limit, (inputs, outputs)).astype(np.float32)

    W1, W2 = glorot(PIXELS, hidden), glorot(hidden, CLASSES)
    return Weights(W1, np.zeros(hidden, np.float32), W2, np.zeros(CLASSES, np.float32))


def pixels(images: np.ndarray) -> np.ndarray:
    """uint8 grey values 0..255 as float32 network input in 0..1."""
    return np.multiply(images, np.float32(1 / 255), dtype=np.float32)


def hidden_layer(weights: Weights, X: np.ndarray) -> np.ndarray:
    """H (batch, hidden)."""
    return np.maximum(X @ weights.W1 + weights.b1, 0)


def output_layer(weights: Weights, H: np.ndarray) -> np.ndarray:
    """Z (batch, 10), the logits."""
    return H @ weights.W2 + weights.b2


def log_softmax(Z: np.ndarray) -> np.ndarray:
    """Row by row; the maximum is subtracted first, so that nothing overflows."""
    shifted = Z - Z.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def loss_and_gradients(weights: Weights, X: np.ndarray, labels: np.ndarray) -> tuple[float, Weights]:
    """Mean cross-entropy of a batch and its gradient. X (batch, 784); labels (batch,) integers 0..9."""
    batch = np.arange(len(labels))
    H = hidden_layer(weights, X)
    log_p = log_softmax(output_layer(weights, H))
    loss = -log_p[batch, labels].mean(dtype=np.float64)

    dZ = np.exp(log_p)
    dZ[batch, labels] -= 1
    dZ /= len(labels)
    dH = dZ @ weights.W2.T
    dH *= H > 0
    return float(loss), Weights(W1=X.T @ dH, b1=dH.sum(axis=0), W2=H.T @ dZ, b2=dZ.sum(axis=0))


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
    Z = output_layer(weights, hidden_layer(weights, pixels(images)))
    return float((Z.argmax(axis=1) == labels).mean())


def flops_per_example(hidden: int = 128) -> int:
    """Multiplications and additions in the matrix products of one training step, for each example.

    A product with an (m, n) matrix costs 2 m n. Layer 1 takes part in two (X W1, and X' dH for its gradient),
    layer 2 in three (H W2, H' dZ, dZ W2'). Bias, ReLU, softmax and update are left out.
    """
    return 2 * (2 * PIXELS * hidden) + 3 * (2 * hidden * CLASSES)
