"""How far a long comparison has come: a bar for people, a line a run for a log."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import click
from rich.progress import TextColumn
from rich.table import Column

from compare.cell import Cell, Outcome, Run, Status
from compare.report.terminal import progress_bar
from compare.results import Results
from compare.statistics import median
from compare.workloads import load
from w2v.wording import counted

PATIENCE = 30.0
"""Seconds: of a run that may take longer, a log tells the start too."""


def estimate(runs: Sequence[Run], results: Results, most: float = math.inf) -> str:
    """How long `runs` will take, in words.

    most: seconds after which no run starts.
    """
    guesses = expected(runs, results)
    known = [guess for guess in guesses if guess is not None]
    if sum(known) > most or (len(known) < len(guesses) and most < math.inf):
        return f"at most {duration(most)}"
    if runs and not known:
        return "an unknown time"
    return ("about " if len(known) == len(guesses) else "at least ") + duration(sum(known))


def expected(runs: Sequence[Run], results: Results) -> list[float | None]:
    """Seconds of each of `runs`: as its cell took before, or else as its workload guesses, corrected."""
    taken: dict[str, list[float]] = {}
    for run, outcome in results.finished:
        if outcome.seconds is not None:
            taken.setdefault(run.cell.key, []).append(outcome.seconds)
    factor = correction(results)

    def seconds(cell: Cell) -> float | None:
        if cell.key in taken:
            return median(taken[cell.key])
        guess = guessed(cell)
        return None if guess is None else factor * guess

    return [seconds(run.cell) for run in runs]


def correction(results: Results) -> float:
    """How many times as long as guessed all runs together took that ended well; 1 before there is one."""
    pairs = [
        (outcome.seconds, guess)
        for run, outcome in results.finished
        if outcome.status is Status.OK and outcome.seconds and (guess := guessed(run.cell))
    ]
    return sum(seconds for seconds, _ in pairs) / sum(guess for _, guess in pairs) if pairs else 1.0


def guessed(cell: Cell) -> float | None:
    """Seconds of a run, by the workload's own guess."""
    return load(cell.workload).expected_seconds(cell)


def summary(runs: Sequence[Run], results: Results, most: float = math.inf) -> str:
    """`6 runs of 2 rows, 1 already finished, each in a fresh process: about 40 s.`"""
    rows = len({run.cell.key for run in runs})
    done = f", {results.done} already finished" if results.done else ""
    planned = f"{counted(len(runs), 'run')} of {counted(rows, 'row')}"
    return f"{planned}{done}, each in a fresh process: {estimate(runs, results, most)}."


def duration(seconds: float) -> str:
    """`45 s`, `12 min` or `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Watch:
    """Shows, on standard error, which run is measured, how many are left, and about how long they will take."""

    def __init__(self, results: Results, end: float) -> None:
        """end: when, by time.monotonic(), no run starts any more."""
        self.results = results
        self.end_time = end
        self.bar = progress_bar(TextColumn("{task.fields[left]}", table_column=Column(no_wrap=True)))
        self.task = self.bar.add_task("", visible=False, left="")

    def __enter__(self) -> Watch:
        self.bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.bar.stop()

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.end_time - time.monotonic())

    def left(self, remaining: Sequence[Run]) -> str:
        return f"{estimate(remaining, self.results, self.seconds_left)} left"

    def plan(self, runs: Sequence[Run]) -> None:
        """`runs` are all that is planned."""
        if self.bar.disable:
            click.echo(summary(runs, self.results, self.seconds_left), err=True)

    def begin(self, run: Run, remaining: Sequence[Run]) -> None:
        """`run` starts; `remaining` are it and all that follow."""
        done = self.results.done
        total = done + len(remaining)
        left = self.left(remaining)
        self.bar.update(self.task, visible=True, description=run.label, completed=done, total=total, left=left)
        (seconds,) = expected([run], self.results)
        if self.bar.disable and (seconds is None or seconds > PATIENCE):
            click.echo(f"[{done + 1}/{total}] {run.label}: {estimate([run], self.results)}", err=True)

    def end(self, run: Run, outcome: Outcome, remaining: Sequence[Run]) -> None:
        """`run` has ended; `remaining` are those that follow."""
        if not self.bar.disable:
            return
        done = self.results.done
        how = f"{outcome.warm:.3g} s of training" if outcome.samples else outcome.reason or outcome.status.value
        left = f"; {self.left(remaining)}" if remaining else ""
        place = f"[{done}/{done + len(remaining)}]"
        click.echo(f"{place} {run.label}: {outcome.status.value}, {how}{left}", err=True)
