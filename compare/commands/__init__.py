"""The subcommands of `compare`, one module each, and what they share."""

from __future__ import annotations

import difflib
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from compare import machine
from compare.plan import Plan
from compare.report.terminal import progress_bar
from compare.results import Results
from compare.runner import execute

COMMANDS = ("w2v", "mnist", "backends")
INTERRUPTED = 130

F = TypeVar("F", bound=Callable[..., Any])


class NameList(click.ParamType):
    """Names from a known set, separated by commas; an unknown one is refused with the near ones."""

    name = "names"

    def __init__(self, known: Sequence[str]) -> None:
        self.known = tuple(known)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        names = tuple(name.strip() for name in value.split(",")) if isinstance(value, str) else tuple(value)
        for name in names:
            if name not in self.known:
                self.fail(unknown("backend", name, self.known), param, ctx)
        return tuple(name for name in self.known if name in names)


def unknown(kind: str, name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, cutoff=0.5)
    return f"unknown {kind} {name!r}: " + (f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}")


def measuring_options(rounds: int) -> Callable[[F], F]:
    """The options of every command that measures; `rounds` is the default of --repeats."""

    def decorate(command: F) -> F:
        for option in (
            click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0),
                         help="Seed of the first repeat's weights and samples, and of the order of runs."),
            click.option("--timeout", default=3600.0, show_default=True, metavar="SECONDS",
                         type=click.FloatRange(min=0, min_open=True), help="Time allowed for each run."),
            click.option("--out", type=OutputFile(), help="JSON file that keeps every figure; saved after each run."),
            click.option("--repeats", "rounds", default=rounds, show_default=True, type=click.IntRange(min=1),
                         help="Fresh processes per row. Intervals need at least 2."),
        ):
            command = option(command)
        return command

    return decorate


class OutputFile(click.ParamType):
    """A file that can be written, checked before an hour's work and not after."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(value)
        if path.is_dir():
            self.fail(f"{path} is a folder: name a file in it", param, ctx)
        if not path.parent.is_dir():
            self.fail(f"there is no folder {path.parent}: make it, or name a file elsewhere", param, ctx)
        if not os.access(path.parent, os.W_OK):
            self.fail(f"the folder {path.parent} can't be written", param, ctx)
        return path


def conduct(plan: Plan, timeout: float, out: Path | None, show: Callable[[Results], None]) -> NoReturn:
    """Carry out `plan`, show what was measured, and exit.

    Exit codes: 0 all well; 1 a run failed, ran out of time or diverged, or a file couldn't be written; 130 stopped
    by Ctrl-C or SIGTERM. Whatever stops it, the runs that had finished are shown and kept.
    """
    results = Results(plan, machine.describe(), out)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    interrupted = False
    try:
        with progress_bar() as bar:
            task = bar.add_task("", total=len(plan))
            for run in plan.runs():
                bar.update(task, description=f"{run.cell.label}, round {run.round + 1}")
                results.add(run, execute(run, timeout))
                bar.advance(task)
    except KeyboardInterrupt:
        interrupted = True
    except OSError as error:
        show(results)
        kept = f"; {out} keeps the runs saved before" if out and out.exists() else ""
        raise click.ClickException(f"cannot write {error.filename}: {error.strerror}{kept}") from error
    if results.finished:
        show(results)
    if interrupted:
        kept = f", kept in {out}" if out and results.finished else ""
        click.echo(f"Interrupted: {len(results.finished)} of {len(plan)} runs finished{kept}.", err=True)
        raise SystemExit(INTERRUPTED)
    raise SystemExit(0 if results.all_well else 1)
