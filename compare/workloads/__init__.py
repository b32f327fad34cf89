"""What a workload is to the harness, and where to find each by name.

A workload is a module with a class `Trial(compare.workloads.Trial)`. The worker makes one in a fresh process
whose environment already holds the thread limits, and calls its methods in the order in which they stand
below, timing each apart. Nothing heavy is imported at the top of such a module: `load` does that.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from compare.cell import Cell

WORKLOADS = {
    "w2v": "compare.workloads.w2v",
    "mnist": "compare.workloads.mnist",
    "sweep": "compare.workloads.mnist_sweep",
}
"""What is compared, by the name of its command."""
PARTS = {
    "mnist-operations": "compare.workloads.mnist_operations",
    "mnist-parts": "compare.workloads.mnist_parts",
    "mnist-activity": "compare.workloads.mnist_activity",
}
"""What a workload is taken apart into: rows that stand beside each other and do not compete."""


class Skip(Exception):
    """The backend can't run here; the message is one line with the cure."""


class Diverged(Exception):
    """Training left the finite numbers; the message says where."""


class Trial(ABC):
    """One run of one cell, inside its own process."""

    backends: ClassVar[Sequence[str]]
    """Every backend's name, in the order of the rows of a table."""

    @classmethod
    def unavailable(cls, backend: str) -> str | None:
        """Why `backend` can't run here, in one line with the cure; None when it can. Cheap: no imports."""
        return None

    @classmethod
    def obstacle(cls, cell: Cell) -> str | None:
        """Why `cell` can't run here, for its backend or for what that is asked to do; as cheap."""
        return cls.unavailable(cell.backend)

    @classmethod
    def environment(cls, cell: Cell) -> Mapping[str, str]:
        """Variables this cell needs set before any import, on top of the thread limits (`KERAS_BACKEND`)."""
        return {}

    @classmethod
    def expected_seconds(cls, cell: Cell) -> float | None:
        """A rough guess at a whole run's wall seconds, for the plan alone; None when there is none."""
        return None

    def __init__(self, cell: Cell, seed: int) -> None:
        self.cell = cell
        self.seed = seed

    @abstractmethod
    def load(self) -> None:
        """Phase "import": import the backend's libraries."""

    @abstractmethod
    def prepare(self) -> None:
        """Phase "prepare": read the data, make the model, move both to the device."""

    def compile(self) -> None:  # noqa: B027 - most backends compile nothing
        """Phase "compile": what only the first call pays for. Leaves the weights as `prepare` made them."""

    @abstractmethod
    def step(self) -> None:
        """Phase "steady": one sample, called `cell.samples` times. Returns when the device has finished."""

    def finish(self) -> None:  # noqa: B027 - where nothing runs in the background there is nothing to wait for
        """Untimed, after each step: read something back that the device has no more than when it has finished.

        The worker calls it twice. If the first call had to wait, the step returned before its work was done,
        and the run is refused.
        """

    @abstractmethod
    def quality(self) -> Mapping[str, float | None]:
        """Phase "quality": what was learnt. None where a figure is undefined; NaN or infinity: diverged."""

    def facts(self) -> Mapping[str, Any]:
        """Untimed: JSON values that the tables need besides (steps or words a sample, library versions)."""
        return {}


def load(name: str) -> type[Trial]:
    """The workload called `name`, or the one in the module of that dotted name."""
    trial: type[Trial] = importlib.import_module({**WORKLOADS, **PARTS}.get(name, name)).Trial
    return trial
