"""The rows of `compare mnist`: what each backend's runs at one shape come to, and who wins there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from compare import agreement, threads
from compare.cell import REFERENCE, Cell, Outcome, Status
from compare.judge import judge
from compare.report.terminal import enumeration, times
from compare.results import Results
from compare.statistics import median
from mnist.model import CLASSES, PIXELS

Shape = tuple[tuple[int, ...], int]
"""Hidden layers' units; batch size."""


@dataclass(frozen=True)
class Row:
    """A backend's ok runs at one shape, by round, beside those of the float64 reference."""

    cell: Cell
    outcomes: dict[int, Outcome]
    reference: dict[int, Outcome]

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
    def epoch(self) -> float:
        """Seconds."""
        return median(self.samples)

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
    def objection(self) -> str | None:
        """Why it can't win; None when it may."""
        return agreement.objection(self.cell, self.outcomes, self.reference)

    @property
    def may_win(self) -> bool:
        return self.objection is None


def shape_of(cell: Cell) -> Shape:
    return tuple(cell.shape["hidden"]), cell.shape["batch"]


def network(hidden: Sequence[int]) -> str:
    """`784-128-10`."""
    return "-".join(map(str, (PIXELS, *hidden, CLASSES)))


def rows_by_shape(results: Results) -> dict[Shape, list[Row]]:
    """The rows that have figures, in the order of the plan."""
    references = {shape_of(cell): results.ok(cell) for cell in results.plan.cells if cell.backend == REFERENCE}
    groups: dict[Shape, list[Row]] = {shape: [] for shape in references}
    for cell in results.plan.cells:
        if cell.backend != REFERENCE and (outcomes := results.ok(cell)):
            groups[shape_of(cell)].append(Row(cell, outcomes, references[shape_of(cell)]))
    return {shape: rows for shape, rows in groups.items() if rows}


def troubles(results: Results) -> list[str]:
    """A line for each way in which runs ended other than well: who, how, where and why."""
    ends: dict[tuple[str, str], dict[str, list[int]]] = {}
    for run, outcome in results.finished:
        if outcome.status is not Status.OK:
            backends = ends.setdefault((outcome.status.value, outcome.reason), {})
            backends.setdefault(run.cell.backend, []).append(run.cell.shape["batch"])
    lines = []
    for (status, reason), backends in ends.items():
        batches = sorted({size for sizes in backends.values() for size in sizes})
        where = "" if status == Status.SKIPPED.value else f" (batch {enumeration(batches)})"
        lines.append(f"{enumeration(list(backends))} {status}: {reason}{where}")
    return lines


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


def verdict(results: Results, groups: Mapping[Shape, Sequence[Row]]) -> str:
    """In words, one shape at a time, over the rows that may win."""
    found: dict[str, list[tuple[Shape, str]]] = {}
    for shape, rows in groups.items():
        result, margin = contest(results, rows)
        found.setdefault(result, []).append((shape, margin))
    if not found:
        return "nothing finished that could be compared"
    return "; ".join(f"{result} at {places(groups, *zip(*where, strict=True))}" for result, where in found.items())


def contest(results: Results, rows: Sequence[Row]) -> tuple[str, str]:
    """Who wins among the rows of one shape, and by how much over the next."""
    epochs = max(row.cell.samples for row in rows)
    cells = [row.cell for row in rows if row.cell.samples == epochs]
    barred = {row.cell.key: reason for row in rows if (reason := row.objection)}
    judgement = judge(results, cells, barred)
    if judgement.best is None:
        return "no row may win", ""
    name = judgement.best.backend
    if not judgement.ratios:
        return f"{name} is alone", ""
    if judgement.tied and not judgement.undecidable:
        return f"{enumeration([name, *(cell.backend for cell in judgement.tied)])} tie", ""
    second = min(judgement.ratios, key=lambda key: judgement.seconds[key])
    rival = next(cell.backend for cell in cells if cell.key == second)
    margin = f" ({times(judgement.ratios[second].estimate)} times {rival})"
    return f"undecided, {name} was fastest" if judgement.undecidable else f"{name} wins", margin


def places(every: Iterable[Shape], shapes: Sequence[Shape], notes: Sequence[str] = ()) -> str:
    """`batch 32 and 256`; where `every` shape is not of one network, `784-128-10 batch 32 and 784-64-10 batch 32`."""
    notes = notes or [""] * len(shapes)
    if len({hidden for hidden, _ in every}) == 1:
        return f"batch {enumeration([f'{batch}{note}' for (_, batch), note in zip(shapes, notes, strict=True)])}"
    return enumeration(
        [f"{network(hidden)} batch {batch}{note}" for (hidden, batch), note in zip(shapes, notes, strict=True)]
    )
