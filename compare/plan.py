"""What is to be measured, in which order, and under which conditions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from compare.cell import REFERENCE, Cell, Run
from compare.view import View

DECIDING_ROUNDS = 8
"""Of the rows that tie for the first place, which are judged again after all of these."""
STEADY_ROUNDS = 5
"""Of the rows whose repeats lie far apart: where they do not, fewer will do."""


@dataclass(frozen=True)
class Measuring:
    """What the options that all measuring commands share were set to."""

    repeats: int
    seed: int
    timeout: float
    """Seconds allowed for each run."""
    budget: float | None = None
    """Seconds for all. No run starts later; while they last, unsure rows are repeated beyond `repeats`."""
    out: Path | None = None
    resume: bool = False
    """Go on with what `out` holds."""
    dry_run: bool = False
    as_json: bool = False


@dataclass(frozen=True)
class Plan:
    """Every cell once a round, in a new random order each time, so that a drifting machine favours none.

    Cells of one shape follow each other, their reference first: a round cut short has whole contests to judge.
    A cell that is given several times, for several views of it, is measured once.
    """

    cells: Sequence[Cell]
    rounds: int
    seed: int
    view: View = field(default_factory=View)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", list({cell.key: cell for cell in self.cells}.values()))

    def round(self, number: int) -> list[Run]:
        """The runs of round `number`, which may lie beyond those planned: the same whenever it is asked for."""
        drawn = random.Random(f"{self.seed}/{number}").sample(self.cells, len(self.cells))
        shapes = list(dict.fromkeys(str(cell.shape) for cell in drawn))
        order = sorted(drawn, key=lambda cell: (shapes.index(str(cell.shape)), cell.backend != REFERENCE))
        return [Run(cell, number, seed=self.seed + number) for cell in order]

    def runs(self) -> Iterator[Run]:
        for number in range(self.rounds):
            yield from self.round(number)

    def __len__(self) -> int:
        """The number of runs."""
        return len(self.cells) * self.rounds
