"""Everything that a comparison has measured so far, and the file that keeps it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from compare import profile
from compare.cell import REFERENCE, Cell, Outcome, Run, Status
from compare.files import write_json
from compare.plan import Plan
from compare.profile import Profile
from compare.statistics import NOISY, PRECISION, geometric_mean, median, quartile_spread
from compare.view import View

SCHEMA = "compare/1"


@dataclass
class Results:
    """The outcomes of a plan on a machine; saved to `path`, where there is one, after every run."""

    plan: Plan
    machine: Mapping[str, Any]
    path: Path | None = None
    finished: list[tuple[Run, Outcome]] = field(default_factory=list)
    saved: int = 0
    """Runs that the file holds."""
    command: str = field(default_factory=lambda: " ".join([Path(sys.argv[0]).name, *sys.argv[1:]]))
    started: str = field(default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds"))
    known: Profile | None = None
    """This machine's profile when the measuring began, so that rows keep their shares of its ceilings."""

    @property
    def profile(self) -> Profile | None:
        """What rows are set beside: the profile known then, or else what is known today of a machine like it."""
        return self.known or profile.of_machine(self.machine)

    def add(self, run: Run, outcome: Outcome) -> None:
        """Keep `outcome`.

        Raises
        ------
        OSError
            If the file can't be written. It then still holds what it held before; `finished` has the outcome.
        """
        self.finished.append((run, outcome))
        self.save()

    def save(self) -> None:
        """Write the file, if there is one; raises as `add`."""
        if self.path:
            write_json(self.path, self.to_json())
            self.saved = self.done

    @property
    def repeats(self) -> int:
        """The rounds of the row that has figures of the most, references aside."""
        return max((len(self.ok(cell)) for cell in self.plan.cells if cell.backend != REFERENCE), default=0)

    def skipped(self, cell: Cell) -> bool:
        """Whether `cell` can't run here."""
        return any(outcome.status is Status.SKIPPED for run, outcome in self.finished if run.cell == cell)

    @property
    def done(self) -> int:
        """The runs that have finished, those beyond the plan's rounds included; what can't run here is none."""
        return sum(outcome.status is not Status.SKIPPED for _, outcome in self.finished)

    @property
    def planned(self) -> int:
        """The runs of the plan, without those of cells that can't run here."""
        return self.plan.rounds * sum(not self.skipped(cell) for cell in self.plan.cells)

    @property
    def lacking(self) -> int:
        """The planned runs that have not finished."""
        return self.planned - len(
            {
                (run.cell.key, run.round)
                for run, outcome in self.finished
                if run.round < self.plan.rounds and outcome.status is not Status.SKIPPED
            }
        )

    def ok(self, cell: Cell) -> dict[int, Outcome]:
        """The outcomes of `cell` that have figures to compare, by round."""
        return {
            run.round: outcome for run, outcome in self.finished if run.cell == cell and outcome.status is Status.OK
        }

    def sample_seconds(self, cell: Cell) -> dict[int, float]:
        """The median steady sample of each ok run of `cell`, by round."""
        return {round: median(outcome.samples) for round, outcome in self.ok(cell).items() if outcome.samples}

    def noisy(self, cell: Cell) -> bool:
        """Whether the rounds of `cell` lie far apart."""
        apart = quartile_spread(list(self.sample_seconds(cell).values()))
        return apart is not None and apart > NOISY

    def unsure(self, cell: Cell) -> bool:
        """Whether `cell` has figures and more rounds would help: their interval is wide, or there is none yet."""
        seconds = list(self.sample_seconds(cell).values())
        centre = geometric_mean(seconds) if seconds else None
        return centre is not None and (centre.high is None or centre.high > (1 + PRECISION) * centre.estimate)

    def ending(self, cell: Cell) -> str:
        """In a word, how the last run of `cell` ended; "not run" when none did."""
        ends = [outcome.status.value for run, outcome in self.finished if run.cell == cell]
        return ends[-1] if ends else "not run"

    @property
    def runnable(self) -> bool:
        """Whether a row can run here, references aside."""
        return any(cell.backend != REFERENCE and not self.skipped(cell) for cell in self.plan.cells)

    @property
    def all_well(self) -> bool:
        """Whether nothing failed; what can't run here, and says so, is no failure, unless nothing can."""
        return self.runnable and all(outcome.status in (Status.OK, Status.SKIPPED) for _, outcome in self.finished)

    def summary(self, cell: Cell) -> dict[str, Any]:
        """What the runs of `cell` come to: seconds of a steady sample, and of whole runs from cold and warm."""
        ok, seconds = self.ok(cell), list(self.sample_seconds(cell).values())
        if not seconds:
            return {"status": self.ending(cell)}
        centre = geometric_mean(seconds)
        return {
            "status": "noisy" if self.noisy(cell) else self.ending(cell),
            "sample": median(seconds),
            "interval": [centre.low, centre.high],
            "cold": median([outcome.cold for outcome in ok.values()]),
            "warm": median([outcome.warm for outcome in ok.values()]),
        }

    def to_json(self) -> dict[str, Any]:
        """The form that result.schema.json describes."""
        return {
            "schema": SCHEMA,
            "command": self.command,
            "started": self.started,
            "machine": self.machine,
            "profile": self.known.to_json() if self.known else None,
            "plan": {"rounds": self.plan.rounds, "seed": self.plan.seed, "view": asdict(self.plan.view)},
            "cells": [
                {
                    "key": cell.key,
                    **cell.to_json(),
                    "summary": self.summary(cell),
                    "runs": [
                        {"round": run.round, "seed": run.seed, **outcome.to_json()}
                        for run, outcome in self.finished
                        if run.cell == cell
                    ],
                }
                for cell in self.plan.cells
            ],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any], origin: str) -> Results:
        """What `to_json` made, already checked against the schema; the order of the runs within a round is lost.

        NoProfile, by the name of `origin`, where it holds a damaged profile.
        """
        entries = {entry["key"]: (Cell.from_json(entry), entry["runs"]) for entry in values["cells"]}
        finished = [
            (Run(cell, run["round"], run["seed"]), Outcome.from_json(run))
            for cell, runs in entries.values()
            for run in runs
        ]
        plan, command = values["plan"], values.get("command", "")
        view = View(**plan["view"]) if "view" in plan else View.of_command(command)
        return cls(
            Plan([cell for cell, _ in entries.values()], plan["rounds"], plan["seed"], view),
            values["machine"],
            finished=sorted(finished, key=lambda pair: pair[0].round),
            command=command,
            started=values.get("started", ""),
            known=Profile.from_json(values["profile"], origin) if values.get("profile") else None,
        )
