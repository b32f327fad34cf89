"""What is to be measured, in which order."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compare.cell import Cell, Run


@dataclass(frozen=True)
class Plan:
    """Every cell once a round, in a new random order each time, so that a drifting machine favours none."""

    cells: Sequence[Cell]
    rounds: int
    seed: int

    def runs(self) -> Iterator[Run]:
        order = random.Random(self.seed)
        for round in range(self.rounds):
            for cell in order.sample(self.cells, len(self.cells)):
                yield Run(cell, round, seed=self.seed + round)

    def __len__(self) -> int:
        """The number of runs."""
        return len(self.cells) * self.rounds
