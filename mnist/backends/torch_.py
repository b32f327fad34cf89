"""PyTorch on the CPU: its eager step, and the same compiled by `torch.compile`."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from mnist.backends import Task, batches
from mnist.model import Weights, layers, pixels

Tensors = tuple[torch.Tensor, ...]


def batch_loss(weights: Tensors, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy of a batch, as in `mnist.model`."""
    *hidden_layers, (W_out, b_out) = layers(weights)
    A = X
    for W, b in hidden_layers:
        A = torch.relu(A @ W + b)
    return cross_entropy(A @ W_out + b_out, labels)


class Torch:
    """Tensors indexed batch by batch; gradients by autograd, the update in place."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._X = torch.from_numpy(pixels(task.images, task.dtype))
        self._labels = torch.from_numpy(task.labels.astype(np.int64))
        self.reset()

    def reset(self) -> None:
        self._weights = tuple(torch.tensor(array, requires_grad=True) for array in self._task.weights)

    def weights(self) -> Weights:
        return tuple(weight.detach().numpy() for weight in self._weights)

    def train_epoch(self, order: np.ndarray) -> float:
        losses, sizes = [], []
        for batch in map(torch.from_numpy, batches(order, self._task.batch_size)):
            losses.append(self._step(self._X[batch], self._labels[batch]))
            sizes.append(len(batch))
        return float(np.average(torch.stack(losses).numpy(), weights=sizes))

    def _step(self, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        loss = batch_loss(self._weights, X, labels)
        with torch.no_grad():
            for weight, gradient in zip(self._weights, torch.autograd.grad(loss, self._weights), strict=True):
                weight.sub_(gradient, alpha=self._task.learning_rate)
        return loss.detach()


class TorchCompile(Torch):
    """The step in one graph. A last, smaller batch has a compilation of its own."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._compiled = torch.compile(self._functional_step, fullgraph=True, dynamic=False)

    def reset(self) -> None:
        self._weights = tuple(map(torch.tensor, self._task.weights))

    def _step(self, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return self._compiled(self._weights, X, labels)

    def _functional_step(self, weights: Tensors, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        gradients, loss = torch.func.grad_and_value(batch_loss)(weights, X, labels)
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.sub_(gradient, alpha=self._task.learning_rate)
        return loss
