"""Tables and text for an 80-column terminal, and the same without colour for a pipe."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TextIO, cast

from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table

from compare.cell import Cell, Outcome, Status
from compare.noise import warnings
from compare.results import Results
from compare.statistics import Ratio, median
from w2v.wording import counted

WIDTH = 80
NARROW = 0.05
"""How far an interval may reach from 1 for the two to be called equally fast."""


class Output(Console):
    """A console that leaves a reader that is gone to the command line, as click's own output does."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Trimmed:
    """A stream whose lines end in no blanks, which tables and wrapped text are padded with."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        return self.stream.write(re.sub(" +$", "", text, flags=re.MULTILINE))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def output() -> Console:
    """Standard output: at most WIDTH columns on a terminal, WIDTH at most and plain anywhere else."""
    console = Output(file=cast(TextIO, Trimmed(sys.stdout)), highlight=False, soft_wrap=False)
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    return console


def progress_bar(left: ProgressColumn | None = None) -> Progress:
    """On standard error: what is measured now, how many are done, time `left`. Silent where nobody watches."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")),
        BarColumn(bar_width=10),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        left or TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
        speed_estimate_period=3600,
        expand=True,
    )


def table(title: str, first: str, *others: str) -> Table:
    """A narrow table: names on the left, which fold where it gets too wide, then columns of figures, which never do; a
    heading may have several lines."""
    narrow = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    narrow.show_edge, narrow.pad_edge, narrow.padding = False, False, (0, 1, 0, 0)
    narrow.add_column(first, overflow="fold")
    for heading in others:
        narrow.add_column(heading, justify="right", no_wrap=True, vertical="bottom")
    return narrow


def machine_line(machine: Mapping[str, Any], *packages: str) -> str:
    """Where it was measured, in a line, with the versions of those of `packages` that are installed."""
    versions = machine["packages"]
    parts = [
        f"{machine['cpu']}, {machine['cores_usable']} of {machine['cores_logical']} cores",
        f"{machine['memory_bytes'] / 2**30:.0f} GB",
        f"Python {machine['python']}",
        *(f"{name} {versions[name]}" for name in packages if name in versions),
    ]
    return ", ".join(parts)


def times(ratio: float) -> str:
    """A speed ratio to at most two decimals and three figures: 0.98, 15.6, 1,234."""
    decimals = 2 if ratio < 9.995 else 1 if ratio < 99.95 else 0
    return f"{ratio:,.{decimals}f}"


def interval(ratio: Ratio) -> str:
    """`15.6 (14.9-16.3)`; the estimate alone without an interval, and with one that says nothing, `(any)`."""
    if ratio.low is None or ratio.high is None:
        return times(ratio.estimate)
    if ratio.vague:
        return f"{times(ratio.estimate)} (any)"
    return f"{times(ratio.estimate)} ({times(ratio.low)}-{times(ratio.high)})"


def figure(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def failures(results: Results, cells: Collection[Cell] | None = None) -> list[str]:
    """A line for each way in which runs of a cell, of `cells` or of all, ended other than well."""
    ends = Counter(
        (run.cell.label, outcome.status.value, outcome.reason)
        for run, outcome in results.finished
        if outcome.status is not Status.OK and (cells is None or run.cell in cells)
    )
    return [
        f"{label} {status}: {reason}" + (f" ({counted(runs, 'run')})" if runs > 1 else "")
        for (label, status, reason), runs in ends.items()
    ]


def troubles(results: Results) -> list[str]:
    """What `failures` tells, a line a reason: the rows of which the same is to be said, and their batches, together."""
    ends: dict[tuple[str, str], list[Cell]] = {}
    for run, outcome in results.finished:
        if outcome.status is not Status.OK:
            ends.setdefault((outcome.status.value, outcome.reason), []).append(run.cell)
    lines = []
    for (status, reason), cells in ends.items():
        batches = sorted({cell.shape["batch"] for cell in cells if "batch" in cell.shape})
        where = f" (batch {enumeration(batches)})" if batches and status != Status.SKIPPED.value else ""
        lines.append(f"{enumeration(list(dict.fromkeys(cell.backend for cell in cells)))} {status}: {reason}{where}")
    return lines


def colds(outcomes: Mapping[str, Collection[Outcome]]) -> str:
    """What each row takes from the first import to the end of training; outcomes: ok ones, by row."""
    told = [f"{name} {median([each.cold for each in ok]):.1f}" for name, ok in outcomes.items()]
    return f"Seconds from a cold start to the end of training: {', '.join(told) or '-'}"


def conclude(console: Console, results: Results, words: str) -> None:
    """Print what may have spoilt the figures; the verdict last, saying so if it doesn't rest on the whole plan."""
    for warning in warnings(results):
        console.print(f"Warning: {warning}", style="yellow", markup=False)
    planned, lacking = results.planned, results.lacking
    basis = f" after {planned - lacking} of {counted(planned, 'run')}" if lacking else ""
    console.print(f"Verdict{basis}: {words}", style="bold", markup=False)


def tie(first: str, ratios: Mapping[str, Ratio | None]) -> str:
    """What to say when `first` is not decidedly faster than the others; ratios: how many times as fast as each it is.

    A narrow interval around 1 is a finding, a wide one is not, and without one there is no tie either.
    """
    known = [ratio for ratio in ratios.values() if ratio and ratio.low is not None and ratio.high is not None]
    if len(known) < len(ratios):
        return f"undecided by so few repeats: {first} was ahead of {enumeration(list(ratios))}"
    low, high = min(each.low or 0.0 for each in known), max(each.high or 0.0 for each in known)
    names = enumeration([first, *ratios])
    if low > 1 - NARROW and high < 1 + NARROW:
        return f"{names} are equally fast, within {max(1 - low, high - 1):.0%}"
    reach = "" if Ratio(1.0, low, high).vague else f" ({times(low)}-{times(high)} times as fast)"
    return f"a tie between {names}{reach}"


def enumeration(items: Sequence[object]) -> str:
    """`a, b and c`."""
    *head, last = map(str, items)
    return f"{', '.join(head)} and {last}" if head else last
