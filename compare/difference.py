"""What changed between two results of the same cells on the same machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compare.cell import Cell
from compare.machine import differences
from compare.profile import SAME_CEILINGS
from compare.results import Results
from compare.statistics import Ratio, median, welch_ratio
from compare.store import Unreadable


@dataclass(frozen=True)
class Change:
    """Of one cell: median seconds of a steady sample before and after, and how many times as fast it became."""

    label: str
    before: float
    after: float | None
    """None, as `ratio`: it has no figures any more."""
    ratio: Ratio | None
    ending: str
    """How its last run ended afterwards, in a word."""

    @property
    def verdict(self) -> str:
        if self.ratio is None:
            return "lost"
        if self.ratio.low is None:
            return "too few repeats"
        if not self.ratio.decided:
            return "within noise"
        return "faster" if self.ratio.estimate > 1 else "slower"


def changes(before: Sequence[Results], after: Sequence[Results]) -> list[Change]:
    """Of every cell that was measured before, and planned again on the same machine, in the order of `before`.

    Raises
    ------
    Unreadable
        If there is no such cell, for the files are of different machines or experiments.
    """
    machines = by_machine(before)
    found, met = [], False
    for olds in machines:
        news = [new for new in after if not differences(olds[0].machine, new.machine, SAME_CEILINGS)]
        place = f" on {olds[0].machine.get('cpu')}" if len(machines) > 1 else ""
        found += [change(cell, olds, news, place) for cell in measured(olds) if planned(cell, news)]
        met = met or bool(news)
    if not met:
        facts = ", ".join(differences(before[0].machine, after[0].machine, SAME_CEILINGS))
        raise Unreadable(f"the two files are of different machines (other {facts}): measure both on one")
    if not found:
        raise Unreadable(
            "the two files have no measured row in common: they are of different experiments "
            f"({describe(before)}; {describe(after)})"
        )
    return found


def change(cell: Cell, olds: Sequence[Results], news: Sequence[Results], place: str) -> Change:
    """Of a cell that has figures before. place: where it was measured, if that needs to be said."""
    before, after = seconds(cell, olds), seconds(cell, news)
    if not after:
        ending = [results.ending(its) for results, its in planned(cell, news)][-1]
        return Change(cell.label + place, median(before), None, None, ending)
    return Change(cell.label + place, median(before), median(after), welch_ratio(before, after), "ok")


def by_machine(several: Sequence[Results]) -> list[list[Results]]:
    found: list[list[Results]] = []
    for results in several:
        alike = (group for group in found if not differences(group[0].machine, results.machine, SAME_CEILINGS))
        group = next(alike, None)
        if group is None:
            found.append([results])
        else:
            group.append(results)
    return found


def measured(several: Sequence[Results]) -> list[Cell]:
    """The cells that have figures, each once."""
    return list({cell.key: cell for each in several for cell in each.plan.cells if each.sample_seconds(cell)}.values())


def planned(cell: Cell, several: Sequence[Results]) -> list[tuple[Results, Cell]]:
    """Where it was planned, and as what: its files may lie elsewhere."""
    return [(results, other) for results in several for other in results.plan.cells if other.key == cell.key]


def seconds(cell: Cell, several: Sequence[Results]) -> list[float]:
    """The median sample of each round, of results of one machine."""
    return [value for results, its in planned(cell, several) for value in results.sample_seconds(its).values()]


def describe(several: Sequence[Results]) -> str:
    return ", ".join(sorted({cell.label for results in several for cell in results.plan.cells})[:3]) + " ..."
