"""Who wins among cells, by one rule for every workload.

Only like is compared with like; what learnt less can't win; a winner is decidedly faster than every other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compare.cell import Cell
from compare.results import Results
from compare.statistics import Ratio, fastest, median, paired_ratio

ALIKE = ("workload", "shape", "dtype", "options")
"""What cells must have in common to be compared. What remains are backends, devices and threads, and how many samples
a process takes: a sample is the same work in each."""
LOSS_TOLERANCE = 0.05
"""How far a loss may lie above the lowest of its group, for workloads that have no stricter gate of their own."""


class Unlike(Exception):
    """The cells did not do the same work; the message says in what they differ."""


@dataclass(frozen=True)
class Judgement:
    """Of one group of like cells."""

    cells: Sequence[Cell]
    seconds: Mapping[str, float]
    """Median steady sample by cell key, of all that have one."""
    barred: Mapping[str, str]
    """Why a cell can't win, by key."""
    best: Cell | None
    """The fastest of those that may win."""
    tied: Sequence[Cell]
    """Those that `best` is not decidedly faster than."""
    ratios: Mapping[str, Ratio]
    """How many times as fast `best` is, by the key of the other."""

    @property
    def winner(self) -> Cell | None:
        return self.best if self.best and not self.tied and self.ratios else None


def groups(results: Results) -> list[list[Cell]]:
    """The cells of `results` that may be compared with each other, in the order of the plan.

    Where threads are what is swept, they are a part of the shape.
    """
    found: dict[str, list[Cell]] = {}
    names = (*ALIKE, "threads") if results.plan.view.axis == "workers" else ALIKE
    for cell in results.plan.cells:
        likeness = json.dumps([getattr(cell, name) for name in names], sort_keys=True)
        found.setdefault(likeness, []).append(cell)
    return list(found.values())


def judge(results: Results, cells: Sequence[Cell], barred: Mapping[str, str] | None = None) -> Judgement:
    """Who is fastest by a steady sample among `cells`.

    barred: why a cell can't win, by key; without it, those whose loss is more than LOSS_TOLERANCE above the lowest.

    Raises
    ------
    Unlike
        If the cells differ in what they compute: batch or dimension, dtype, data, hyper-parameters.
    """
    for name in ALIKE:
        values = [getattr(cell, name) for cell in cells]
        if any(value != values[0] for value in values):
            different = next(value for value in values if value != values[0])
            raise Unlike(f"{name} {values[0]} and {different} can't be compared: they are not the same work")
    series = {cell.key: results.sample_seconds(cell) for cell in cells}
    speeds = {key: {round: 1 / value for round, value in rounds.items()} for key, rounds in series.items() if rounds}
    if barred is None:
        barred = losses_apart(results, cells)
    eligible = {key: speed for key, speed in speeds.items() if key not in barred}
    medians = {key: median(list(rounds.values())) for key, rounds in series.items() if rounds}
    if not eligible:
        return Judgement(cells, medians, barred, None, [], {})
    first, *tied = fastest(eligible)
    by_key = {cell.key: cell for cell in cells}
    ratios = {key: paired_ratio(eligible[first], speed) for key, speed in eligible.items() if key != first}
    known = {key: ratio for key, ratio in ratios.items() if ratio}
    return Judgement(cells, medians, barred, by_key[first], [by_key[key] for key in tied], known)


def losses_apart(results: Results, cells: Sequence[Cell]) -> dict[str, str]:
    """The cells whose loss is more than LOSS_TOLERANCE above the lowest, and by how much."""
    losses = {}
    for cell in cells:
        values = [loss for outcome in results.ok(cell).values() if (loss := outcome.quality.get("loss")) is not None]
        if values:
            losses[cell.key] = median(values)
    if not losses:
        return {}
    lowest = min(losses.values())
    return {
        key: f"its loss is {loss:.4g}, the lowest is {lowest:.4g}"
        for key, loss in losses.items()
        if loss - lowest > LOSS_TOLERANCE * abs(lowest)
    }
