"""The epoch in Numba: the products by `np.dot`, which calls BLAS; everything between them in fused loops."""

from __future__ import annotations

import numpy as np
from numba import njit

from mnist.backends import InPlace, Task
from mnist.model import layers

Arrays = tuple[np.ndarray, ...]


class Numba(InPlace):
    """One compiled call an epoch. Images stay bytes until the batch that needs them is fetched."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        outputs = [len(b) for _, b in layers(task.weights)]
        rows = min(task.batch_size, len(task.images))
        self._X = np.empty((rows, task.images.shape[1]), task.dtype)
        self._activations, self._errors = (
            tuple(np.empty((rows, width), task.dtype) for width in outputs) for _ in range(2)
        )
        self._gradients = tuple(map(np.empty_like, task.weights[::2]))

    def train_epoch(self, order: np.ndarray) -> float:
        task, W, b = self._task, self._weights[::2], self._weights[1::2]
        rate = task.dtype.type(task.learning_rate)
        buffers = self._X, self._activations, self._errors, self._gradients
        return float(train_epoch(task.images, task.labels, order, W, b, rate, *buffers))


@njit
def train_epoch(
    images: np.ndarray,
    labels: np.ndarray,
    order: np.ndarray,
    W: Arrays,
    b: Arrays,
    rate: np.floating,
    X: np.ndarray,
    activations: Arrays,
    errors: Arrays,
    gradients: Arrays,
) -> float:
    """Mean loss of the examples `order`.

    X (batch, 784), activations and errors (batch, outputs), gradients (those of W): room for a batch's, since fresh
    memory costs more than what is computed into it.
    """
    total = 0.0
    for begin in range(0, len(order), len(X)):
        batch = order[begin : begin + len(X)]
        gather(images, batch, X)
        forward(X[: len(batch)], W, b, activations)
        logits, error = activations[-1][: len(batch)], errors[-1][: len(batch)]
        total += loss_and_error(logits, labels[batch], error)
        backward(X[: len(batch)], W, b, activations, errors, gradients, rate)
    return total / len(order)


@njit
def gather(images: np.ndarray, batch: np.ndarray, X: np.ndarray) -> None:
    """Row i of X becomes the pixels, 0..1, of image batch[i]."""
    scale = np.float32(1 / 255)
    for row in range(len(batch)):
        for pixel in range(X.shape[1]):
            X[row, pixel] = np.float32(images[batch[row], pixel]) * scale


@njit
def forward(X: np.ndarray, W: Arrays, b: Arrays, activations: Arrays) -> None:
    """Fill `activations`: ReLU(A W + b) of each hidden layer, the logits of the last."""
    inputs = X
    for layer in range(len(W)):
        Z, bias = activations[layer][: len(X)], b[layer]
        np.dot(inputs, W[layer], Z)
        for row in range(Z.shape[0]):
            for unit in range(Z.shape[1]):
                Z[row, unit] += bias[unit]
                if layer < len(W) - 1 and Z[row, unit] <= 0:
                    Z[row, unit] = 0
        inputs = Z


@njit
def loss_and_error(logits: np.ndarray, labels: np.ndarray, error: np.ndarray) -> float:
    """Sum of the examples' losses; `error` (batch, 10) becomes the gradient of their mean."""
    total = 0.0
    for row in range(len(labels)):
        highest = logits[row].max()
        sum_exp = logits.dtype.type(0)
        for unit in range(logits.shape[1]):
            error[row, unit] = np.exp(logits[row, unit] - highest)
            sum_exp += error[row, unit]
        total += np.log(sum_exp) - (logits[row, labels[row]] - highest)
        for unit in range(logits.shape[1]):
            error[row, unit] /= sum_exp * len(labels)
        error[row, labels[row]] -= 1 / len(labels)
    return total


@njit
def backward(
    X: np.ndarray,
    W: Arrays,
    b: Arrays,
    activations: Arrays,
    errors: Arrays,
    gradients: Arrays,
    rate: np.floating,
) -> None:
    """Update W and b in place, layer by layer from the last, whose `errors` are given."""
    for layer in range(len(W) - 1, -1, -1):
        error = errors[layer][: len(X)]
        inputs = activations[layer - 1][: len(X)] if layer else X
        if layer:
            below = errors[layer - 1][: len(X)]
            np.dot(error, W[layer].T, below)
            for row in range(below.shape[0]):
                for unit in range(below.shape[1]):
                    if inputs[row, unit] <= 0:
                        below[row, unit] = 0
        weight, bias, gradient = W[layer], b[layer], gradients[layer]  # out of the loops: a look-up in a tuple is slow
        np.dot(inputs.T, error, gradient)
        for row in range(weight.shape[0]):
            for unit in range(weight.shape[1]):
                weight[row, unit] -= rate * gradient[row, unit]
        for row in range(error.shape[0]):
            for unit in range(error.shape[1]):
                bias[unit] -= rate * error[row, unit]
