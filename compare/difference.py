"""What changed between two results of the same cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compare.results import Results
from compare.statistics import Ratio, median, welch_ratio
from compare.store import Unreadable


@dataclass(frozen=True)
class Change:
    """Of one cell: median seconds of a steady sample before and after, and how many times as fast it became."""

    label: str
    before: float
    after: float
    ratio: Ratio

    @property
    def verdict(self) -> str:
        if not self.ratio.decided:
            return "within noise"
        return "faster" if self.ratio.estimate > 1 else "slower"


def changes(before: Sequence[Results], after: Sequence[Results]) -> list[Change]:
    """Of every cell that both have measured, in the order of `before`.

    Raises
    ------
    Unreadable
        If they have no measured cell in common.
    """
    old, new = seconds_by_key(before), seconds_by_key(after)
    found = [
        Change(label, median(old_seconds), median(new[key][1]), welch_ratio(old_seconds, new[key][1]))
        for key, (label, old_seconds) in old.items()
        if key in new
    ]
    if not found:
        raise Unreadable(
            "the two files have no measured row in common: they are of different experiments "
            f"({describe(before)}; {describe(after)})"
        )
    return found


def seconds_by_key(several: Sequence[Results]) -> dict[str, tuple[str, list[float]]]:
    """Label and median sample of each round of every cell that has any; in a collection, all machines together."""
    found: dict[str, tuple[str, list[float]]] = {}
    for results in several:
        for cell in results.plan.cells:
            if seconds := list(results.sample_seconds(cell).values()):
                found.setdefault(cell.key, (cell.label, []))[1].extend(seconds)
    return found


def describe(several: Sequence[Results]) -> str:
    return ", ".join(sorted({cell.label for results in several for cell in results.plan.cells})[:3]) + " ..."
