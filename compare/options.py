"""Command-line options that several commands share, and values checked before any work begins."""

from __future__ import annotations

import difflib
import functools
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import click

from compare.plan import DECIDING_ROUNDS, STEADY_ROUNDS, Measuring
from w2v.files import complaint, writable

F = TypeVar("F", bound=Callable[..., Any])


class Whole(click.IntRange):
    """A whole number within bounds: those that protect from a slip of the finger stand below."""

    name = "integer"

    def _describe_range(self) -> str:  # click's own is 1<=x<=1000, and there is no other way to change it
        return f"{self.min:,} to {self.max:,}"


class Real(click.FloatRange):
    """A finite number from a bound up."""

    name = "number"

    def _describe_range(self) -> str:
        return f"above {self.min:g}" if self.min_open else f"{self.min:g} and above"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


class Listed(click.ParamType):
    """Values of one type between separators; `wanted` says what to give, with an example."""

    def __init__(
        self, name: str, item: click.ParamType, wanted: str, *, separator: str = ",", least: int = 1, once: bool = True
    ) -> None:
        """least: how many there must be; once: whether one that is given again is dropped."""
        self.name, self.item, self.wanted = name, item, wanted
        self.separator, self.least, self.once = separator, least, once

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        texts = [text.strip() for text in value.split(self.separator)]
        found = tuple(self.item.convert(text, param, ctx) for text in texts) if all(texts) else ()
        found = tuple(dict.fromkeys(found)) if self.once else found
        if len(found) < self.least:
            self.fail(f"{value!r}: give {self.wanted}", param, ctx)
        return found


COUNT = Whole(1, 10**12)
"""Of anything that no memory is taken for."""
TYPES = Whole(1, 10**7)
"""Different words, of which each takes memory."""
EPOCHS = Whole(1, 10**4)
THREADS = Whole(1, 2**10)
SEED = Whole(0, 2**31 - 1)
"""Each repeat counts up from it, and no library takes more than 2**32 - 1."""


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
        try:
            writable(path)
        except OSError as error:
            self.fail(complaint(error), param, ctx)
        return path


class DerivedFile(OutputFile):
    """An output file that is made anew where it is there already: any but results, which can't be made again."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        from compare.store import says_it_is_a_result

        path = super().convert(value, param, ctx)
        if says_it_is_a_result(path):
            self.fail(f"{path} holds results, which would be lost: name another file", param, ctx)
        return path


def unknown(kind: str, name: str, known: Sequence[str]) -> str:
    """What to say of a name that isn't known: the near ones, or all."""
    near = difflib.get_close_matches(name, known, cutoff=0.5)
    advice = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}"
    return f"unknown {kind} {name!r}: {advice}"


def as_options(message: str) -> str:
    """What is said of a hyper-parameter, with it called as its option is, but in no file's name: `--dim 0` for
    `vector_size=0`."""
    called = {"vector_size": "dim", "min_count": "min-count"}
    begin = re.compile(r"^(vector_size|window|negative|sample|epochs|workers|min_count)=")
    message = begin.sub(lambda found: f"--{called.get(found[1], found[1])} ", message)
    return re.sub(r"(?<!\S)min_count(?!\S)", "--min-count", message)


def given(name: str) -> bool:
    """Whether the parameter `name` of the command that runs was given, and did not get its default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not click.core.ParameterSource.DEFAULT


class Seconds(click.ParamType):
    """A length of time: `90`, `90s`, `10m` or `1.5h`; in seconds."""

    name = "time"
    units: ClassVar = {"s": 1.0, "m": 60.0, "h": 3600.0}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value)
        number, unit = (text[:-1], text[-1]) if text[-1:] in self.units else (text, "s")
        try:
            seconds = float(number) * self.units[unit]
        except ValueError:
            seconds = math.nan
        if not 0 < seconds < math.inf:
            self.fail(f"{value!r} is not a time: give 90, 90s, 10m or 1.5h", param, ctx)
        return seconds


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
data_dir_option = click.option(
    "--data-dir",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with MNIST's four IDX files, plain or .gz. Default: downloaded once; with no network, digits that "
    "come with this package stand in.",
)

dense_option = click.option(
    "--dense",
    is_flag=True,
    help="Make no pixel blank, as most other data has it; `native` skips those that are, in MNIST four of five.",
)


def backends_option(known: Sequence[str]) -> Callable[[F], F]:
    """--backends: which of `known` to measure; all by default."""
    return click.option(
        "--backends",
        default=",".join(known),
        show_default=True,
        type=NameList("backend", known),
        help="Rows, separated by commas.",
    )


def measuring_options(repeats: int) -> Callable[[F], F]:
    """The options of every command that measures, handed over as one `measuring: Measuring`.

    `repeats` is the default of --repeats.
    """
    options = (
        click.option(
            "--repeats",
            default=repeats,
            show_default=True,
            type=Whole(1, 1000),
            help="Runs per row, each in a fresh process. Intervals need at least 3; from there on, rows whose repeats "
            f"lie far apart are repeated up to {STEADY_ROUNDS} times, those that tie for the first place up to "
            f"{DECIDING_ROUNDS}.",
        ),
        click.option(
            "--budget",
            metavar="TIME",
            type=Seconds(),
            help="Time for everything, as 90s or 10m: no run starts later, and while it lasts, all rows are "
            "repeated beyond --repeats until their intervals are narrow.",
        ),
        click.option(
            "--seed",
            default=1,
            show_default=True,
            type=SEED,
            help="Of the order of runs, and of the first repeat's weights and samples; then counts up.",
        ),
        click.option(
            "--timeout",
            default="1h",
            show_default=True,
            metavar="TIME",
            type=Seconds(),
            help="Time allowed for each run.",
        ),
        click.option("--out", type=OutputFile(), help="JSON file for every figure, saved after each run."),
        click.option("--resume", is_flag=True, help="Go on with what --out holds: no finished run is repeated."),
        click.option("--dry-run", is_flag=True, help="Say what would be measured, and about how long it would take."),
        json_option,
    )

    def decorate(command: F) -> F:
        @functools.wraps(command)
        def with_measuring(**given: Any) -> Any:
            measuring = Measuring(**{field.name: given.pop(field.name) for field in fields(Measuring)})
            if measuring.resume and measuring.out is None:
                raise click.UsageError("--resume needs --out FILE, the file to go on with")
            return command(measuring=measuring, **given)

        for option in reversed(options):
            with_measuring = option(with_measuring)
        return cast(F, with_measuring)

    return decorate
