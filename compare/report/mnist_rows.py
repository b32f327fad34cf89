"""The rows of `compare mnist`: what each backend's runs at one shape come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from compare import threads
from compare.cell import REFERENCE, Cell, Outcome
from compare.gates import barred
from compare.report.terminal import enumeration
from compare.results import Results
from compare.statistics import median
from mnist.model import CLASSES, PIXELS

Shape = tuple[tuple[int, ...], int]
"""Hidden layers' units; batch size."""


@dataclass(frozen=True)
class Row:
    """A backend's ok runs at one shape, by round."""

    cell: Cell
    outcomes: Mapping[int, Outcome]
    epoch: float
    """Seconds: the median over rounds, each with the median of its epochs."""
    objection: str | None
    """Why it can't win; None when it may."""

    @property
    def name(self) -> str:
        return self.cell.backend

    @property
    def batch(self) -> int:
        return int(self.cell.shape["batch"])

    @property
    def samples(self) -> list[float]:
        """Seconds of every epoch, of all rounds."""
        return [seconds for outcome in self.outcomes.values() for seconds in outcome.samples]

    @property
    def compile(self) -> float:
        """Seconds that the first epoch takes beyond the median of the later ones."""
        return max(0.0, median([outcome.phases["compile"] for outcome in self.outcomes.values()]) - self.epoch)

    @property
    def cores(self) -> float | None:
        """Kept busy, on average."""
        busy = [cores for outcome in self.outcomes.values() if (cores := threads.busy_cores(outcome)) is not None]
        return median(busy) if busy else None

    def quality(self, name: str) -> float:
        return median([value for each in self.outcomes.values() if (value := each.quality[name]) is not None])

    @property
    def may_win(self) -> bool:
        return self.objection is None


def shape_of(cell: Cell) -> Shape:
    return tuple(cell.shape["hidden"]), cell.shape["batch"]


def network(hidden: Sequence[int]) -> str:
    """`784-128-10`."""
    return "-".join(map(str, (PIXELS, *hidden, CLASSES)))


def rows_by_shape(results: Results) -> dict[Shape, list[Row]]:
    """The rows that have figures, in the order of the plan; without references."""
    groups: dict[Shape, list[Row]] = {}
    reasons = barred(results)
    for cell in results.plan.cells:
        if cell.backend != REFERENCE and (outcomes := results.ok(cell)):
            epoch = median(list(results.sample_seconds(cell).values()))
            groups.setdefault(shape_of(cell), []).append(Row(cell, outcomes, epoch, reasons.get(cell.key)))
    return groups


def objections(groups: Mapping[Shape, Sequence[Row]]) -> Iterator[str]:
    """Why rows can't win: the shapes of one reason together, and the rows of which the same is said."""
    shapes: dict[tuple[str, str], list[Shape]] = {}
    for shape, rows in groups.items():
        for row in rows:
            if reason := row.objection:
                shapes.setdefault((row.name, reason), []).append(shape)
    names: dict[tuple[str, str], list[str]] = {}
    for (name, reason), where in shapes.items():
        names.setdefault((places(groups, where), reason), []).append(name)
    for (place, reason), alike in names.items():
        yield f"{enumeration(alike)} at {place} can't win: {reason}"


def places(every: Iterable[Shape], shapes: Sequence[Shape]) -> str:
    """`batch 32 and 256`; where `every` shape is not of one network, `784-128-10 batch 32 and 784-64-10 batch 32`."""
    if len({hidden for hidden, _ in every}) == 1:
        return f"batch {enumeration([batch for _, batch in shapes])}"
    return enumeration([f"{network(hidden)} batch {batch}" for hidden, batch in shapes])
