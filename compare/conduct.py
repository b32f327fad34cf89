"""Carry out a whole plan for a command: progress, saved results, the report, the exit code."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

import click

from compare import machine, profile
from compare.cell import REFERENCE, Outcome, Run, Status
from compare.exits import FAILED, INTERRUPTED
from compare.noise import warnings
from compare.plan import DECIDING_ROUNDS, STEADY_ROUNDS, Measuring, Plan
from compare.progress import Watch, estimate, summary
from compare.report import tables
from compare.report.terminal import output
from compare.report.verdicts import by_group, judgements
from compare.results import Results
from compare.runner import execute
from compare.statistics import LEAST_ROUNDS
from compare.store import Unreadable, resumed
from compare.workloads import load
from w2v.commands.bad_input import BadInput
from w2v.files import complaint
from w2v.wording import counted


def conduct(
    plan: Plan,
    measuring: Measuring,
    show: tables.Show | None = None,
    conclusions: Callable[[Results], Mapping[str, Any]] = lambda results: {},
) -> NoReturn:
    """Carry out `plan`, show what was measured, by `show` or else as its view asks, and exit.

    `conclusions` are what JSON output holds beside verdicts.

    Exit codes: 0 all well; FAILED when a run failed, timed out or diverged, or a file couldn't be written;
    INTERRUPTED by Ctrl-C, which SIGTERM is taken for. Whatever stops it, the runs that had finished are shown and kept.
    """
    results = prepare(plan, measuring)
    if measuring.dry_run:
        announce(results, measuring)
        raise SystemExit(0)
    stopped, code = None, 0
    try:
        measure(results, measuring)
        stopped = "The budget is spent" if results.lacking else None
    except KeyboardInterrupt:
        stopped, code = "Interrupted", INTERRUPTED
    except OSError as error:
        stopped, code = complaint(error), FAILED
    if measuring.as_json:
        concluded = {"verdicts": by_group(results), "warnings": warnings(results), **conclusions(results)}
        click.echo(json.dumps({**results.to_json(), **concluded}, indent=1))
    elif results.finished:
        tables.show(results, show)
    if stopped:
        kept = f", {results.saved} kept in {measuring.out}" if measuring.out else ""
        finished = results.planned - results.lacking
        click.echo(f"{stopped}. {finished} of {counted(results.planned, 'run')} finished{kept}.", err=True)
        if results.saved:
            click.echo("The same command with --resume goes on.", err=True)
    raise SystemExit(code or (0 if results.all_well else FAILED))


def prepare(plan: Plan, measuring: Measuring) -> Results:
    """Nothing measured yet, or what the file that is gone on with holds; what can't run here is entered as skipped.

    Raises
    ------
    BadInput
        If the file can't be gone on with, or is there and was not to be; if no row can run here.
    """
    facts = machine.describe()
    results = Results(plan, facts, measuring.out, known=profile.of_machine(facts))
    if measuring.resume:
        try:
            results = resumed(results)
        except Unreadable as error:
            raise BadInput(str(error)) from error
    elif measuring.out and measuring.out.exists() and not measuring.dry_run:
        raise BadInput(f"{measuring.out} exists: --resume goes on with it; or name another, or remove it")
    for cell in plan.cells:
        if obstacle := load(cell.workload).obstacle(cell):
            results.finished.append((Run(cell, 0, plan.seed), Outcome(Status.SKIPPED, obstacle)))
    if not results.runnable:
        reasons = [f"{', '.join(backends)}: {reason}" for reason, backends in obstacles(results).items()]
        raise BadInput(f"no row can run here: {'; '.join(reasons)}")
    return results


def obstacles(results: Results) -> dict[str, list[str]]:
    """The backends of the rows that can't run here, by the reason."""
    found: dict[str, dict[str, None]] = {}
    for run, outcome in results.finished:
        if outcome.status is Status.SKIPPED:
            found.setdefault(outcome.reason, {})[run.cell.backend] = None
    return {reason: list(backends) for reason, backends in found.items()}


def measure(results: Results, measuring: Measuring) -> None:
    """Add to `results` what it lacks; no run starts once the budget is spent."""
    end = math.inf if measuring.budget is None else time.monotonic() + measuring.budget
    results.save()
    with Watch(results, end) as watch:
        watch.plan(unfinished(results))
        for runs in rounds(results, extra=measuring.budget is not None):
            while runs:
                if time.monotonic() > end:
                    return
                watch.begin(runs[0], runs)
                run, *runs = runs
                outcome = execute(run, measuring.timeout)
                results.add(run, outcome)
                runs = [each for each in runs if not results.skipped(each.cell)]
                watch.end(run, outcome, runs)


def unfinished(results: Results) -> list[Run]:
    """All planned runs that have not finished, in their order."""
    finished = {(run.cell.key, run.round) for run, _ in results.finished}
    planned = [run for run in results.plan.runs() if not results.skipped(run.cell)]
    return [run for run in planned if (run.cell.key, run.round) not in finished]


def rounds(results: Results, extra: bool) -> Iterator[list[Run]]:
    """First all planned runs that have not finished; then, if `extra`, a round at a time while a row is unsure.

    A further round runs every row that has figures, unsure or not, so that they stay paired. Last come the rounds that
    `wanting` finds, unless the plan has too few for any interval.
    """
    yield unfinished(results)
    number = max([results.plan.rounds, *(run.round + 1 for run, _ in results.finished)])
    while extra and any(results.unsure(cell) for cell in results.plan.cells):
        yield [run for run in results.plan.round(number) if results.ok(run.cell)]
        number += 1
    until: dict[str, int] = {}
    while LEAST_ROUNDS <= number:
        until |= wanting(results, number, until)
        if not (runs := [run for run in results.plan.round(number) if number < until.get(run.cell.key, 0)]):
            return
        yield runs
        number += 1


def wanting(results: Results, repeats: int, until: Mapping[str, int]) -> dict[str, int]:
    """How many rounds rows shall have, by key, of which so many `repeats` say too little.

    STEADY_ROUNDS for those that may win and whose repeats lie far apart, DECIDING_ROUNDS for those that tie, and as
    many for the fastest of their group, their pair. What is under way, by `until`, is not judged before it has
    ended: at each look, chance may make a winner of equal rows.
    """
    found: dict[str, int] = {}
    for judgement in judgements(results).values():
        promised = any(repeats < until.get(cell.key, 0) for cell in judgement.cells)
        if promised or judgement.best is None or not judgement.ratios:
            continue
        may_win = [cell for cell in judgement.cells if cell == judgement.best or cell.key in judgement.ratios]
        wild = {cell.key: STEADY_ROUNDS for cell in may_win if results.noisy(cell)}
        more = wild | {cell.key: DECIDING_ROUNDS for cell in judgement.tied}
        if more:
            found |= {**more, judgement.best.key: max(more.values())}
    return found


def announce(results: Results, measuring: Measuring) -> None:
    """Print which rows would be measured, how often, about how long that would take, and which can't run here."""
    runs = unfinished(results)
    cells = {run.cell.key: run.cell for run in runs}
    rows: list[dict[str, Any]] = []
    for key, cell in cells.items():
        mine = [run for run in runs if run.cell.key == key]
        rows.append({"row": cell.label, "runs": len(mine), "time": estimate(mine, results)})
    most = math.inf if measuring.budget is None else measuring.budget
    if measuring.as_json:
        counts = {"runs": len(runs), "finished": results.done, "time": estimate(runs, results, most)}
        plan = {"rows": rows, "unavailable": obstacles(results), **counts}
        click.echo(json.dumps(plan, indent=1))
        return
    console = output()
    for row in rows:
        console.print(f"{row['row']}: {counted(row['runs'], 'run')}, {row['time']}", markup=False, soft_wrap=True)
    if any(cell.backend == REFERENCE for cell in cells.values()):
        console.print(f"{REFERENCE}: the same training in float64, which rows must agree with to win")
    for reason, backends in obstacles(results).items():
        console.print(f"can't run here: {', '.join(backends)}: {reason}", markup=False, soft_wrap=True)
    console.print(summary(runs, results, most))
