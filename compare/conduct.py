"""Carry out a whole plan for a command: progress, saved results, the report, the exit code."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

import click

from compare import machine
from compare.cell import Run
from compare.exits import FAILED, INTERRUPTED
from compare.noise import warnings
from compare.plan import Measuring, Plan
from compare.progress import Watch, estimate
from compare.report.terminal import output
from compare.report.verdicts import by_group
from compare.results import Results
from compare.runner import execute
from compare.store import Unreadable, resumed
from compare.workloads import load


def conduct(
    plan: Plan,
    measuring: Measuring,
    show: Callable[[Results], None],
    conclusions: Callable[[Results], Mapping[str, Any]] = lambda results: {},
) -> NoReturn:
    """Carry out `plan`, show what was measured, and exit. `conclusions` are what JSON output holds beside verdicts.

    Exit codes: 0 all well; FAILED when a run failed, timed out or diverged, or a file couldn't be written;
    INTERRUPTED by Ctrl-C, which SIGTERM is taken for. Whatever stops it, the runs that had finished are shown and kept.
    """
    results = prepare(plan, measuring)
    if measuring.dry_run:
        announce(results, measuring.as_json)
        raise SystemExit(0)
    stopped, code = None, 0
    try:
        measure(results, measuring)
    except KeyboardInterrupt:
        stopped, code = "Interrupted", INTERRUPTED
    except OSError as error:
        stopped, code = f"{error.strerror}: {error.filename}", FAILED
    if measuring.as_json:
        concluded = {"verdicts": by_group(results), "warnings": warnings(results), **conclusions(results)}
        click.echo(json.dumps({**results.to_json(), **concluded}, indent=1))
    elif results.finished:
        show(results)
    if stopped:
        kept = f", {results.saved} kept in {measuring.out}" if measuring.out else ""
        click.echo(f"{stopped}. {len(results.finished)} of {len(plan)} runs finished{kept}.", err=True)
        if results.saved:
            click.echo("The same command with --resume goes on.", err=True)
    raise SystemExit(code or (0 if results.all_well else FAILED))


def prepare(plan: Plan, measuring: Measuring) -> Results:
    """Results that have nothing measured yet, or what the file that is gone on with holds."""
    results = Results(plan, machine.describe(), measuring.out)
    if measuring.resume:
        try:
            return resumed(results)
        except Unreadable as error:
            raise click.ClickException(str(error)) from error
    if measuring.out and measuring.out.exists() and not measuring.dry_run:
        raise click.ClickException(f"{measuring.out} exists: --resume goes on with it; or name another, or remove it")
    return results


def measure(results: Results, measuring: Measuring) -> None:
    """Add to `results` what it lacks; no run starts once the budget is spent."""
    began = time.monotonic()
    with Watch(results) as watch:
        for runs in rounds(results, extra=measuring.budget is not None):
            while runs:
                if measuring.budget is not None and time.monotonic() - began > measuring.budget:
                    return
                watch.begin(runs[0], runs)
                run, *runs = runs
                outcome = execute(run, measuring.timeout)
                results.add(run, outcome)
                watch.end(run, outcome, runs)


def rounds(results: Results, extra: bool) -> Iterator[list[Run]]:
    """First all planned runs that have not finished; then, if `extra`, a round at a time while a row is unsure.

    A further round runs every row that has figures, unsure or not, so that they stay paired.
    """
    finished = {(run.cell.key, run.round) for run, _ in results.finished}
    yield [run for run in results.plan.runs() if (run.cell.key, run.round) not in finished]
    number = max([results.plan.rounds, *(run.round + 1 for run, _ in results.finished)])
    while extra and any(results.unsure(cell) for cell in results.plan.cells):
        yield [run for run in results.plan.round(number) if results.ok(run.cell)]
        number += 1


def announce(results: Results, as_json: bool) -> None:
    """Print what would be measured, in which order, and about how long it would take."""
    (runs,) = rounds(results, extra=False)
    rows = []
    for run in runs:
        obstacle = load(run.cell.workload).unavailable(run.cell.backend)
        told = f"can't run here: {obstacle}" if obstacle else estimate([run], results)
        rows.append({"row": run.cell.label, "repeat": run.round + 1, "time": told})
    total = estimate(runs, results)
    if as_json:
        click.echo(json.dumps({"runs": rows, "finished": len(results.finished), "time": total}, indent=1))
        return
    console = output()
    for row in rows:
        console.print("{row}, repeat {repeat}: {time}".format(**row), markup=False, soft_wrap=True)
    done = f", {len(results.finished)} already finished" if results.finished else ""
    console.print(f"{len(runs)} runs{done}, each in a fresh process: {total}.")
