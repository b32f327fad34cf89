"""A step of few fused kernels, captured once in a CUDA graph and launched again for every batch."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from mnist.backends import Task
from mnist.backends.fused_step import EPOCH, FusedStep, constants, source
from mnist.model import Weights


class CuPyGraph:
    """One graph launch a batch; the host waits once an epoch. (cuBLAS can't be captured by CuPy, hence own kernels.)"""

    def __init__(self, task: Task) -> None:
        self._task = task
        defines = [f"-D{name}={value}" for name, value in constants(task.dtype).items()]
        self._module = cupy.RawModule(code=source(), options=("--std=c++17", *defines))
        self._stream = cupy.cuda.Stream(non_blocking=True)
        with self._stream:
            self._step = FusedStep(task, cupy, self._launch)
            self._step.launch()  # with no examples: kernels are loaded before the capture
            self._stream.begin_capture()
            self._step.launch()
            self._graph = self._stream.end_capture()

    def reset(self) -> None:
        with self._stream:
            for weight, start in zip(self._step.weights, self._task.weights, strict=True):
                weight.set(start)

    def weights(self) -> Weights:
        with self._stream:  # another would not wait for this one's copies
            return tuple(map(cupy.asnumpy, self._step.weights))

    def train_epoch(self, order: np.ndarray) -> float:
        epoch = np.array([(0.0, len(order), 0)], EPOCH)
        with self._stream:
            self._step.order[: len(order)] = cupy.asarray(order)
            self._step.epoch.set(epoch.view(np.uint8))
            for _ in range(-(-len(order) // self._task.batch_size)):
                self._graph.launch(self._stream)
            done = self._step.epoch.get().view(EPOCH)[0]
        return float(done["loss"]) / len(order)

    def _launch(self, kernel: str, blocks: int, threads: int, shared_bytes: int, *arguments: Any) -> None:
        self._module.get_function(kernel)((blocks,), (threads,), arguments, shared_mem=shared_bytes)
