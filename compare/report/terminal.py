"""Tables and text for an 80-column terminal, and the same without colour for a pipe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from compare.cell import Status
from compare.results import Results
from compare.statistics import Ratio

WIDTH = 80


def output() -> Console:
    """Standard output: at most WIDTH columns on a terminal, exactly WIDTH and plain anywhere else."""
    console = Console(highlight=False, soft_wrap=False)
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    return console


def progress_bar() -> Progress:
    """On standard error: what is measured now, how many are done, time left. Silent where nobody watches."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
        speed_estimate_period=3600,
        expand=True,
    )


def table(title: str, first: str, *others: str) -> Table:
    """A narrow table: names on the left, then columns of figures; a heading may have several lines."""
    narrow = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    narrow.show_edge, narrow.pad_edge, narrow.padding = False, False, (0, 1, 0, 0)
    narrow.add_column(first, no_wrap=True)
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
    """`15.6 (14.9-16.3)`; without an interval, the estimate alone."""
    if ratio.low is None or ratio.high is None:
        return times(ratio.estimate)
    return f"{times(ratio.estimate)} ({times(ratio.low)}-{times(ratio.high)})"


def figure(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def failures(results: Results) -> list[str]:
    """A line for each way in which runs of a cell ended other than well."""
    ends = Counter(
        (run.cell.label, outcome.status.value, outcome.reason)
        for run, outcome in results.finished
        if outcome.status is not Status.OK
    )
    return [
        f"{label} {status}: {reason}" + (f" ({count} runs)" if count > 1 else "")
        for (label, status, reason), count in ends.items()
    ]


def verdict_line(results: Results, words: str) -> str:
    """The last line of a report. It says so when it doesn't rest on the whole plan."""
    finished, planned = len(results.finished), len(results.plan)
    return f"Verdict: {words}" if finished == planned else f"Verdict after {finished} of {planned} runs: {words}"
