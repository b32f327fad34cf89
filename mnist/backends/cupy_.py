"""CuPy: the NumPy backends with their arrays on a GPU; NumPy's functions pass on to CuPy's by themselves."""

from __future__ import annotations

from dataclasses import replace

import cupy
import numpy as np

from mnist.backends import Task
from mnist.backends.numpy_ import NumPy
from mnist.backends.numpy_example import NumPyExample
from mnist.model import Weights


class CuPy(NumPy):
    """A kernel for every operation; the host waits for the loss of every batch."""

    def __init__(self, task: Task) -> None:
        super().__init__(replace(task, labels=cupy.asarray(task.labels)))
        self._X = cupy.asarray(self._X)

    def reset(self) -> None:
        self._weights = tuple(map(cupy.asarray, self._task.weights))

    def weights(self) -> Weights:
        return tuple(map(cupy.asnumpy, self._weights))

    def train_epoch(self, order: np.ndarray) -> float:
        return super().train_epoch(cupy.asarray(order))


class CuPyExample(CuPy, NumPyExample):
    """The same one example at a time: what a loop written for NumPy does when only its import is changed."""
