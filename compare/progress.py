"""How far a long comparison has come: a bar for people, a line a run for a log."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.progress import TextColumn

from compare.cell import Cell, Outcome, Run
from compare.report.terminal import progress_bar
from compare.results import Results
from compare.statistics import median
from compare.workloads import load

REFUSAL_SECONDS = 0.5


def estimate(runs: Sequence[Run], results: Results) -> str:
    """How long `runs` will take, in words: each as its cell took before, or else as its workload guesses."""
    taken: dict[str, list[float]] = {}
    for run, outcome in results.finished:
        if outcome.seconds is not None:
            taken.setdefault(run.cell.key, []).append(outcome.seconds)
    guesses = [median(taken[run.cell.key]) if run.cell.key in taken else expected(run.cell) for run in runs]
    known = [guess for guess in guesses if guess is not None]
    if runs and not known:
        return "an unknown time"
    return ("about " if len(known) == len(guesses) else "at least ") + duration(sum(known))


def expected(cell: Cell) -> float | None:
    """Seconds of a run, as its workload guesses; a row that can't run here says so at once."""
    workload = load(cell.workload)
    return REFUSAL_SECONDS if workload.unavailable(cell.backend) else workload.expected_seconds(cell)


def duration(seconds: float) -> str:
    """`45 s`, `12 min` or `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Watch:
    """Shows, on standard error, which run is measured, how many are left, and about how long they will take."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.bar = progress_bar(TextColumn("{task.fields[left]}"))
        self.task = self.bar.add_task("", left="")

    def __enter__(self) -> Watch:
        self.bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.bar.stop()

    def begin(self, run: Run, remaining: Sequence[Run]) -> None:
        """`run` starts; `remaining` are it and all that follow."""
        done = len(self.results.finished)
        left = f"{estimate(remaining, self.results)} left"
        description = f"{run.cell.label}, repeat {run.round + 1}"
        self.bar.update(self.task, description=description, completed=done, total=done + len(remaining), left=left)

    def end(self, run: Run, outcome: Outcome, remaining: Sequence[Run]) -> None:
        """`run` has ended; `remaining` are those that follow."""
        if not self.bar.disable:
            return
        done = len(self.results.finished)
        how = f"{outcome.warm:.3g} s of training" if outcome.samples else outcome.reason or outcome.status.value
        left = f"; {estimate(remaining, self.results)} left" if remaining else ""
        place = f"[{done}/{done + len(remaining)}]"
        click.echo(f"{place} {run.cell.label}, repeat {run.round + 1}: {outcome.status.value}, {how}{left}", err=True)
