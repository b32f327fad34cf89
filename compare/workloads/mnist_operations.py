"""One training step of a network on MNIST, operation by operation: one sample is one step taken apart."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from compare import workloads
from compare.cell import Cell
from compare.statistics import median
from compare.workloads.mnist import START_SECONDS, dataset_of, epoch_seconds
from mnist import backends, data, device, model, operations

ROWS = {
    "numpy": ("numpy", "numpy"),
    "tensorflow": ("tensorflow", "keras-cpu"),
    "jax": ("jax", "jax"),
    "tensorflow-gpu": ("tensorflow", "keras-gpu"),
    "jax-gpu": ("jax", "jax-gpu"),
    "cupy": ("cupy", "cupy"),
}
"""By name: the array library, and the backend whose needs it shares."""
PRODUCT = "X W1 alone"
TOGETHER = "all, waited for once"
COMPILED = "all, compiled"
WARM_UP = 3
"""Steps, thrown away."""

Operation = Callable[[operations.Arrays], operations.Arrays]


class Trial(workloads.Trial):
    """Each operation is called and waited for by itself; then, in the same sample, all of them in a row with one wait,
    compiled into one call where the library can, and the product X W1 alone.

    cell.shape: batch, hidden. cell.samples: steps. cell.options: learning_rate; data as for `mnist`.
    """

    backends = tuple(ROWS)

    @classmethod
    def unavailable(cls, backend: str) -> str | None:
        return backends.unavailable(ROWS[backend][1])

    @classmethod
    def environment(cls, cell: Cell) -> Mapping[str, str]:
        return backends.entry(ROWS[cell.backend][1]).environment

    @classmethod
    def expected_seconds(cls, cell: Cell) -> float:
        """A sample is about four steps: one apart, two whole, and the largest product."""
        step = epoch_seconds(cell.shape["hidden"], cell.shape["batch"], cell.shape["batch"])
        return START_SECONDS + 4 * (cell.samples + WARM_UP) * step

    def load(self) -> None:
        if self.cell.backend == "tensorflow-gpu" and (reason := device.unseen_by_tensorflow()):
            raise workloads.Skip(reason)
        self.library = operations.library(ROWS[self.cell.backend][0])

    def prepare(self) -> None:
        shape = self.cell.shape
        images, self.labels = (
            each[: shape["batch"]] for each in data.training_examples(dataset_of(self.cell), self.seed)
        )
        weights = model.astype(model.initial_weights(shape["hidden"], self.seed), np.dtype(self.cell.dtype))
        rate, layers = self.cell.options["learning_rate"], len(weights) // 2
        self.arrays = operations.arrays(weights, model.pixels(images), self.labels, self.library)
        self.operations = operations.operations(layers, rate, self.library)
        self.wholes: dict[str, Operation] = {TOGETHER: self.together}
        if compiled := self.library.compiled(self.together):
            self.wholes[COMPILED] = compiled
        self.wholes[PRODUCT] = lambda arrays: {"product": self.library.matmul(arrays["X"], arrays["W1"])}

    def compile(self) -> None:
        for _ in range(WARM_UP):
            self.times: dict[str, list[float]] = {}
            self.step()
        self.times = {}

    def step(self) -> None:
        start = dict(self.arrays)
        for name, operation in self.operations.items():
            self.arrays |= self.timed(name, operation, self.arrays)
        for name, whole in self.wholes.items():
            self.timed(name, whole, start)

    def together(self, arrays: operations.Arrays) -> operations.Arrays:
        """The weights after the whole step."""
        found = dict(arrays)
        for operation in self.operations.values():
            found |= operation(found)
        return {name: found[name] for name in arrays if name[0] in "Wb"}

    def timed(self, name: str, action: Operation, arrays: operations.Arrays) -> operations.Arrays:
        began = time.perf_counter()
        found: operations.Arrays = action(arrays)
        self.library.synchronize(found)
        self.times.setdefault(name, []).append(time.perf_counter() - began)
        return found

    def quality(self) -> Mapping[str, float | None]:
        likelihood = np.asarray(self.arrays["P"])[np.arange(len(self.labels)), self.labels]
        with np.errstate(divide="ignore"):
            return {"loss": float(-np.log(likelihood).mean(dtype=np.float64))}

    def facts(self) -> Mapping[str, Any]:
        """Median microseconds of every operation, in order, and of the wholes."""
        return {"microseconds": {name: median(seconds) * 1e6 for name, seconds in self.times.items()}}
