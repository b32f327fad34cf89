"""Command-line options that several commands share, and values checked before any work begins."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


class NameList(click.ParamType):
    """Names from a known set, separated by commas; an unknown one is refused with the near ones."""

    name = "names"

    def __init__(self, kind: str, known: Sequence[str]) -> None:
        self.kind = kind
        self.known = tuple(known)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        names = value.split(",") if isinstance(value, str) else value
        chosen = [name.strip() for name in names]
        for name in chosen:
            if name not in self.known:
                self.fail(unknown(self.kind, name, self.known), param, ctx)
        return tuple(name for name in self.known if name in chosen)


class OutputFile(click.ParamType):
    """A file that can be written: checked before an hour's work and not after."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(value)
        if path.is_dir():
            self.fail(f"{path} is a folder: name a file in it", param, ctx)
        if path.exists() and not path.is_file():
            self.fail(f"{path} is a device or a pipe: name a file", param, ctx)
        if not path.parent.is_dir():
            self.fail(f"there is no folder {path.parent}: make it, or name a file elsewhere", param, ctx)
        if not os.access(path.parent, os.W_OK):
            self.fail(f"the folder {path.parent} can't be written: name a file elsewhere", param, ctx)
        return path


def unknown(kind: str, name: str, known: Sequence[str]) -> str:
    """What to say of a name that isn't known: the near ones, or all."""
    near = difflib.get_close_matches(name, known, cutoff=0.5)
    advice = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}"
    return f"unknown {kind} {name!r}: {advice}"


def measuring_options(repeats: int) -> Callable[[F], F]:
    """The options of every command that measures; `repeats` is the default of --repeats."""
    options = (
        click.option(
            "--repeats",
            default=repeats,
            show_default=True,
            type=click.IntRange(min=1),
            help="Runs per row, each in a fresh process. Intervals need at least 2.",
        ),
        click.option(
            "--seed",
            default=1,
            show_default=True,
            type=click.IntRange(min=0),
            help="Of the order of runs, and of the first repeat's weights and samples; then counts up.",
        ),
        click.option(
            "--timeout",
            default=3600.0,
            show_default=True,
            metavar="SECONDS",
            type=click.FloatRange(min=0, min_open=True),
            help="Time allowed for each run.",
        ),
        click.option("--out", type=OutputFile(), help="JSON file for every figure, saved after each run."),
    )

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
