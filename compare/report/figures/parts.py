"""What a section of the report page is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from compare.report.plot import Plot

WORST_SHADE = 9


@dataclass(frozen=True)
class Table:
    """Headings and rows of texts; the first column names the row."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    shades: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """By row and column, from 0 (the best of its column) to WORST_SHADE."""


@dataclass(frozen=True)
class Bar:
    """A row of the waterfall."""

    label: str
    parts: Sequence[tuple[str, float, float]]
    """(phase, share of the longest bar in per cent, seconds)."""
    seconds: float


@dataclass(frozen=True)
class Figure:
    """A section of the page. Without a table there was nothing to show, and `note` says why."""

    title: str
    note: str
    table: Table | None = None
    plots: Sequence[Plot] = ()
    bars: Sequence[Bar] = ()
