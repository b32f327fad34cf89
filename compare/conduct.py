"""Carry out a whole plan for a command: progress, saved results, the report, the exit code."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import click

from compare import machine
from compare.plan import Plan
from compare.report.terminal import progress_bar
from compare.results import Results
from compare.runner import execute

FAILED = 1
INTERRUPTED = 130


def conduct(plan: Plan, timeout: float, out: Path | None, show: Callable[[Results], None]) -> NoReturn:
    """Carry out `plan`, show what was measured, and exit.

    Exit codes: 0 all well; FAILED when a run failed, timed out or diverged, or a file couldn't be written;
    INTERRUPTED by Ctrl-C or SIGTERM. Whatever stops it, the runs that had finished are shown and kept.
    """
    results = Results(plan, machine.describe(), out)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    stopped, code = None, 0
    try:
        measure(results, timeout)
    except KeyboardInterrupt:
        stopped, code = "Interrupted", INTERRUPTED
    except OSError as error:
        stopped, code = f"{error.strerror}: {error.filename}", FAILED
    if results.finished:
        show(results)
    if stopped:
        kept = f", {results.saved} kept in {out}" if out else ""
        click.echo(f"{stopped}. {len(results.finished)} of {len(plan)} runs finished{kept}.", err=True)
    raise SystemExit(code or (0 if results.all_well else FAILED))


def measure(results: Results, timeout: float) -> None:
    with progress_bar() as bar:
        task = bar.add_task("", total=len(results.plan))
        for run in results.plan.runs():
            bar.update(task, description=f"{run.cell.label}, repeat {run.round + 1}")
            results.add(run, execute(run, timeout))
            bar.advance(task)
