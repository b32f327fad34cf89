"""What is measured once (a cell), one measurement of it (a run), and how that ended (an outcome)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import Enum
from functools import cached_property
from typing import Any

REFERENCE = "reference"
"""The backend that others are checked against, and that takes part in no contest."""


class Status(str, Enum):
    """How a run ended. Only an `OK` run has figures that may be compared."""

    OK = "ok"
    SKIPPED = "skipped"
    FAILED = "failed"
    TIMEOUT = "timeout"
    DIVERGED = "diverged"


@dataclass(frozen=True)
class Cell:
    """One point of the comparison: workload x backend x device x shape x threads x dtype.

    `shape` holds the axes that tables are sorted by (`{"dim": 100}`, `{"batch": 256}`); `options` holds
    everything else that the backend needs (data file, epochs, learning rate). Both hold JSON values only.
    """

    workload: str
    backend: str
    device: str = "cpu"
    shape: Mapping[str, Any] = field(default_factory=dict)
    threads: int = 1
    dtype: str = "float32"
    samples: int = 1
    """Steady samples taken in one process; the rounds of a plan add more, each from a fresh process."""
    options: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Where its input lies on this machine. Not what the cell is: `options` says what is in the files."""

    @cached_property
    def key(self) -> str:
        """Hexadecimal digest of everything that defines the cell: the same in any process, on any machine."""
        definition = {**self.to_json(), "files": {}}
        return hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()[:16]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Cell:
        return cls(**{field.name: values[field.name] for field in fields(cls)})

    @property
    def label(self) -> str:
        """What a progress bar calls it: `numpy batch=256`."""
        return " ".join([self.backend, *(f"{name}={value}" for name, value in self.shape_texts.items())])

    @property
    def shape_texts(self) -> dict[str, str]:
        """The shape for people: a list, such as the units of each hidden layer, is `512x512`."""
        return {
            name: "x".join(map(str, value)) if isinstance(value, list) else str(value)
            for name, value in self.shape.items()
        }


@dataclass(frozen=True)
class Run:
    """One measurement of a cell, in a process of its own."""

    cell: Cell
    round: int
    seed: int
    """Of weights and sampling; the same for every cell of a round, so that a round's figures are paired."""

    @property
    def label(self) -> str:
        """What a progress bar calls it: `numpy batch=256, repeat 1`."""
        return f"{self.cell.label}, repeat {self.round + 1}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Run:
        return cls(cell=Cell.from_json(values["cell"]), round=values["round"], seed=values["seed"])


@dataclass(frozen=True)
class Outcome:
    """How a run ended and what it measured; fields that it never reached stay empty."""

    status: Status
    reason: str = ""
    """One line for people; empty when `status` is ok."""
    phases: Mapping[str, float] = field(default_factory=dict)
    """Wall seconds by phase: import, prepare, compile, steady (the sum of the samples), quality."""
    samples: tuple[float, ...] = ()
    """Wall seconds of each steady sample, raw."""
    cpu_seconds: float | None = None
    """CPU time that the process and those that it started, all threads together, spent in the steady phase."""
    peak_bytes: int | None = None
    """Peak resident set of the process up to the end of the steady phase; evaluation is left out."""
    load_before: float | None = None
    """The machine's one-minute load average when the process began."""
    busy_elsewhere: float | None = None
    """Cores that other processes (or other guests of the host) took in the steady phase, on average."""
    throttled: bool | None = None
    """Whether the processor slowed itself down from heat in the steady phase; None where it doesn't tell."""
    stopped: bool | None = None
    """Whether the control group used up its CPU quota in the steady phase and had to wait; None where nobody counts."""
    seconds: float | None = None
    """Wall seconds of the whole process, from its start to its end."""
    quality: Mapping[str, float | None] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    log: str = ""
    """The end of what a failed worker printed."""

    @property
    def warm(self) -> float:
        """Seconds of training alone: what the next run in a warm process would take."""
        return sum(self.samples)

    @property
    def cold(self) -> float:
        """Seconds from the first import to the end of training: what one run costs somebody."""
        return sum(seconds for phase, seconds in self.phases.items() if phase not in ("steady", "quality")) + self.warm

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Outcome:
        known = {field.name: values[field.name] for field in fields(cls) if field.name in values}
        return cls(**{**known, "status": Status(values["status"]), "samples": tuple(values["samples"])})
