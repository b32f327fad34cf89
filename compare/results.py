"""Everything that a comparison has measured so far, and the file that keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compare.cell import Cell, Outcome, Run, Status
from compare.files import write_json
from compare.plan import Plan

SCHEMA = "compare/1"


@dataclass
class Results:
    """The outcomes of a plan on a machine; saved to `path`, where there is one, after every run."""

    plan: Plan
    machine: Mapping[str, Any]
    path: Path | None = None
    finished: list[tuple[Run, Outcome]] = field(default_factory=list)
    saved: int = 0

    def add(self, run: Run, outcome: Outcome) -> None:
        """Keep `outcome`.

        Raises
        ------
        OSError
            If the file can't be written. It then still holds what it held before; `finished` has the outcome.
        """
        self.finished.append((run, outcome))
        if self.path:
            write_json(self.path, self.to_json())
            self.saved = len(self.finished)

    def ok(self, cell: Cell) -> dict[int, Outcome]:
        """The outcomes of `cell` that have figures to compare, by round."""
        return {
            run.round: outcome for run, outcome in self.finished if run.cell == cell and outcome.status is Status.OK
        }

    def ending(self, cell: Cell) -> str:
        """In a word, how the last run of `cell` ended; "not run" when none did."""
        ends = [outcome.status.value for run, outcome in self.finished if run.cell == cell]
        return ends[-1] if ends else "not run"

    @property
    def all_well(self) -> bool:
        """Whether nothing failed; what can't run here, and says so, is no failure."""
        return all(outcome.status in (Status.OK, Status.SKIPPED) for _, outcome in self.finished)

    def to_json(self) -> dict[str, Any]:
        """`{schema, machine, plan, cells: [{key, **cell, runs: [{round, seed, **outcome}]}]}`."""
        return {
            "schema": SCHEMA,
            "machine": self.machine,
            "plan": {"rounds": self.plan.rounds, "seed": self.plan.seed},
            "cells": [
                {
                    "key": cell.key,
                    **cell.to_json(),
                    "runs": [
                        {"round": run.round, "seed": run.seed, **outcome.to_json()}
                        for run, outcome in self.finished
                        if run.cell == cell
                    ],
                }
                for cell in self.plan.cells
            ],
        }
