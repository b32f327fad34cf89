"""A 784 -> hidden ... -> 10 network on MNIST: one sample is one epoch of 48,000 examples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from compare import workloads
from compare.cell import REFERENCE, Cell
from compare.threads import in_this_process
from mnist import backends, data, model

CHECKED_STEPS = 100
"""Of the first epoch: so many steps' losses are told one by one, and compared with the reference's."""
ONCE = {"numpy-example": 6.0, "cupy-example": 90.0}
"""Rows that train one example at a time, as slow at any batch size: one epoch at the first of them only.

Seconds of an epoch: guesses, for planning alone.
"""
START_SECONDS = 3.0
"""Of a process and its imports: a guess, for planning alone."""


class Trial(workloads.Trial):
    """Prepare is reading the data and making the backend; compile is a first epoch, thrown away, of `ONCE` one batch.

    cell.shape: batch; hidden, the units of each hidden layer. cell.samples: epochs. cell.options: learning_rate;
    examples, of an epoch, if not all; and as `dataset_of` has them.
    """

    backends = tuple(name for name in backends.BACKENDS if name != REFERENCE)

    @classmethod
    def unavailable(cls, backend: str) -> str | None:
        return backends.unavailable(backend)

    @classmethod
    def obstacle(cls, cell: Cell) -> str | None:
        return super().obstacle(cell) or backends.unsuited(cell.backend, cell.dtype)

    @classmethod
    def environment(cls, cell: Cell) -> Mapping[str, str]:
        return backends.entry(cell.backend).environment

    @classmethod
    def expected_seconds(cls, cell: Cell) -> float:
        if cell.backend in ONCE:
            return START_SECONDS + ONCE[cell.backend] * cell.samples
        return START_SECONDS + (cell.samples + 1) * epoch_seconds(
            cell.shape["hidden"], cell.shape["batch"], cell.options.get("examples", data.EPOCH)
        )

    def load(self) -> None:
        self.make = backends.backend_class(self.cell.backend)

    def prepare(self) -> None:
        shape = self.cell.shape
        self.dataset = dataset_of(self.cell)
        images, labels = data.training_examples(self.dataset, self.seed)
        weights = model.astype(model.initial_weights(shape["hidden"], self.seed), np.dtype(self.cell.dtype))
        learning_rate, threads = self.cell.options["learning_rate"], self.cell.threads
        task = backends.Task(images, labels, weights, shape["batch"], learning_rate, threads)
        try:
            self.backend = self.make(task)
        except backends.Unavailable as obstacle:
            raise workloads.Skip(str(obstacle)) from obstacle
        examples = self.cell.options.get("examples", data.EPOCH)
        self.orders = [data.epoch_order(data.EPOCH, self.seed, epoch)[:examples] for epoch in range(self.cell.samples)]
        self.losses: list[float] = []

    def compile(self) -> None:
        examples = self.cell.shape["batch"] if self.cell.backend in ONCE else None
        self.backend.train_epoch(self.orders[0][:examples])
        self.backend.reset()

    def step(self) -> None:
        self.losses.append(self.backend.train_epoch(self.orders[len(self.losses)]))

    def finish(self) -> None:
        self.backend.weights()

    def quality(self) -> Mapping[str, float | None]:
        self.threads = in_this_process()
        test = self.dataset.test_images, self.dataset.test_labels
        return {"loss": self.losses[-1], "accuracy": model.accuracy(self.backend.weights(), *test)}

    def facts(self) -> Mapping[str, Any]:
        return {"losses": self.losses, "step_losses": self.first_steps(), "threads": self.threads}

    def first_steps(self) -> list[float]:
        """The losses of the first steps, trained once more from the start, a call each; of a part of an epoch none."""
        if "examples" in self.cell.options:
            return []
        self.backend.reset()
        first = itertools.islice(backends.batches(self.orders[0], self.cell.shape["batch"]), CHECKED_STEPS)
        return [self.backend.train_epoch(batch) for batch in first]


def dataset_options(name: str, dense: bool) -> dict[str, Any]:
    """The options that say which data a cell trains on."""
    return {"dataset": f"{name}, no pixel blank", "dense": True} if dense else {"dataset": name}


def dataset_of(cell: Cell) -> data.Dataset:
    """What a cell trains on. cell.files: data_dir, the folder of MNIST's files; without one, the stand-in is used.

    cell.options: dataset, its name; dense, True for images without blank pixels.
    """
    found = data.read(cell.files["data_dir"]) if cell.files else data.stand_in()
    return data.without_blanks(found) if cell.options.get("dense") else found


def steps(batch: int) -> int:
    """Updates an epoch; the last one has the examples that are left."""
    return -(-data.EPOCH // batch)


def epoch_seconds(hidden: Sequence[int], batch: int, examples: int = data.EPOCH) -> float:
    """A guess, for planning alone: an ordinary core's arithmetic, and a fixed cost of every step."""
    return examples * model.flops_per_example(hidden) / 1e11 + math.ceil(examples / batch) * 5e-4


def flops(hidden: Sequence[int]) -> int:
    """Of the matrix products of an epoch, whatever its batch size."""
    return data.EPOCH * model.flops_per_example(hidden)
