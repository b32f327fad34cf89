"""The kernels of cupy_step.cu in the order of a training step, on arrays of CuPy or of what looks like it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mnist.backends import Task
from mnist.model import PIXELS, layers

TILE, THREADS = 32, 32 * 8  # as in cupy_step.cu
EPOCH = np.dtype([("loss", "f8"), ("examples", "i4"), ("place", "i4")])  # struct Epoch there

Launch = Callable[..., None]
"""launch(kernel, blocks, threads, shared_bytes, *arguments)."""


def source() -> str:
    return Path(__file__).with_name("cupy_step.cu").read_text("utf-8")


def constants(dtype: np.dtype) -> dict[str, str]:
    """What the kernels are compiled for."""
    return {"REAL": {"float32": "float", "float64": "double"}[dtype.name]}


class FusedStep:
    """Examples, weights and what lies between them, on the device; `launch` starts one step's kernels.

    weights: arrays on the device, in place. epoch: uint8, an EPOCH. order: int64 (n,), for epochs of up to n examples.
    """

    def __init__(self, task: Task, xp: Any, launch: Launch) -> None:
        self._task, self._launch = task, launch
        n = len(task.images)
        self._batch = min(task.batch_size, n)
        self._images, self._labels = xp.asarray(task.images), xp.asarray(task.labels)
        self.weights = [xp.array(weight) for weight in task.weights]
        self.order = xp.zeros(n, np.int64)
        self.epoch = xp.zeros(EPOCH.itemsize, np.uint8)
        widths = [W.shape[1] for W, _ in layers(task.weights)]
        self._outputs, self._gradients = (
            [xp.zeros((self._batch, width), task.dtype) for width in widths] for _ in range(2)
        )
        self._gradients[-1] = self._outputs[-1]  # the logits' place

    def launch(self) -> None:
        """Train on the next batch of the epoch."""
        batch = self.epoch, np.int32(self._batch)
        images = self._images, self.order, *batch
        rate = self._task.dtype.type(self._task.learning_rate)
        outputs, gradients, (first, *others) = self._outputs, self._gradients, layers(tuple(self.weights))
        width = [np.int32(output.shape[1]) for output in outputs]

        self._product("forward_images", self._batch, width[0], *images, *first, width[0], outputs[0])
        for i, (W, b) in enumerate(others, 1):
            hidden = np.int32(i < len(others))
            below = outputs[i - 1], width[i - 1]
            self._product("forward_layer", self._batch, width[i], *below, *batch, W, b, width[i], hidden, outputs[i])
        blocks = -(-self._batch // THREADS)
        self._launch("loss_gradient", blocks, THREADS, 0, self._labels, self.order, *batch, outputs[-1])
        for i, (W, b) in reversed(list(enumerate(others, 1))):
            above = gradients[i], width[i]
            below = outputs[i - 1], width[i - 1]
            self._product("back", self._batch, width[i - 1], *above, *batch, W, *below, gradients[i - 1])
            self._product("update_layer", int(width[i - 1]) + 1, width[i], *below, *batch, *above, rate, W, b)
        self._product("update_images", PIXELS + 1, width[0], *images, gradients[0], width[0], rate, *first)
        self._launch("advance", 1, 1, 0, *batch)

    def _product(self, kernel: str, rows: int, columns: int, *arguments: Any) -> None:
        blocks = -(-rows // TILE) * -(-int(columns) // TILE)
        shared_bytes = 2 * TILE * (TILE + 1) * self._task.dtype.itemsize
        self._launch(kernel, blocks, THREADS, shared_bytes, *arguments)
