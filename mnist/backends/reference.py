"""The specification in float64, from the same float32 pixels and weights: what all others are judged by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mnist.backends import Task
from mnist.backends.numpy_ import NumPy
from mnist.model import astype


class Reference(NumPy):
    """`NumPy` in float64, whatever the dtype of the task."""

    def __init__(self, task: Task) -> None:
        super().__init__(replace(task, weights=astype(task.weights, np.float64)))
