"""Hyper-parameters of one network on MNIST: one sample trains every configuration, from the start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compare import workloads
from compare.cell import Cell
from compare.memory import PeakOfChildren
from compare.workloads.mnist import START_SECONDS, dataset_of, epoch_seconds
from mnist import backends, data, sweep


class Trial(workloads.Trial):
    """Compiling and starting processes are part of the sample: nobody does the same sweep twice.

    cell.shape: hidden, the units of each hidden layer. cell.options: configurations, a list of [batch_size, seed,
    learning_rate]; epochs; examples, of an epoch, if not all; data as for `mnist`.
    """

    backends = tuple(sweep.METHODS)

    @classmethod
    def unavailable(cls, backend: str) -> str | None:
        return backends.unavailable(sweep.METHODS[backend][1])

    @classmethod
    def environment(cls, cell: Cell) -> Mapping[str, str]:
        return backends.entry(sweep.METHODS[cell.backend][1]).environment

    @classmethod
    def expected_seconds(cls, cell: Cell) -> float:
        """As if one configuration were trained after the other."""
        hidden, examples = cell.shape["hidden"], cell.options.get("examples", data.EPOCH)
        epochs = [epoch_seconds(hidden, batch, examples) for batch, _, _ in cell.options["configurations"]]
        return START_SECONDS + cell.samples * cell.options["epochs"] * sum(epochs)

    def load(self) -> None:
        self.train, backend = sweep.METHODS[self.cell.backend]
        backends.backend_class(backend)

    def prepare(self) -> None:
        options = self.cell.options
        configurations = [sweep.Configuration(*values) for values in options["configurations"]]
        self.sweep = sweep.Sweep(
            dataset_of(self.cell),
            configurations,
            self.cell.shape["hidden"],
            options["epochs"],
            self.cell.threads,
            options.get("examples"),
        )

    def step(self) -> None:
        with PeakOfChildren() as self.children:
            self.finishes = self.train(self.sweep)

    def quality(self) -> Mapping[str, float | None]:
        best = sweep.winner(self.finishes)
        if best is None:  # what each configuration came to is a fact, and no failure of the method
            return {"loss": None, "accuracy": None}
        return {"loss": self.finishes[best].loss, "accuracy": self.finishes[best].accuracy}

    def facts(self) -> Mapping[str, Any]:
        """finishes: of each configuration [loss, accuracy], None for one that diverged."""
        finishes = [None if each.diverged else [each.loss, each.accuracy] for each in self.finishes]
        return {"finishes": finishes, "children_bytes": self.children.bytes}
