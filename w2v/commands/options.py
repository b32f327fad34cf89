"""Options and arguments that commands share."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from w2v.params import Params

CBOW_ALPHA = 0.05
STANDARD_INPUT = Path("/dev/stdin")
SWITCH = click.IntRange(0, 1)

F = TypeVar("F", bound=Callable[..., Any])


class FileName(click.Path):
    """A path. The empty one, as of a shell's variable that isn't set, would be the folder one is in."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        if value == "":
            self.fail("the name of the file is empty", parameter, context)
        return super().convert(value, parameter, context)


class TextName(FileName):
    """The path of a text, or `-` for standard input."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        return STANDARD_INPUT if value == "-" else super().convert(value, parameter, context)


FILE, TEXT = FileName(path_type=Path), TextName(path_type=Path)


def setting(name: str, text: str, short: str = "", **more: Any) -> Callable[[F], F]:
    """An option for a hyper-parameter, by word2vec.c's name, too; `Params` checks its range."""
    default = more.pop("default", getattr(Params, name.replace("-", "_")))
    names = [f"-{short or name}", f"--{name}"]
    return click.option(*names, default=default, **{"show_default": True, "help": text, **more})


class Command(click.Command):
    """Names an unknown option as it was typed, and the near one: click takes "-sz" for "-s" and "-z"."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        typed = list(arguments)
        try:
            return super().parse_args(context, arguments)
        except click.NoSuchOption as error:
            given = next((word for word in typed if word.startswith(error.option_name)), error.option_name)
            name = given.partition("=")[0]
            known = [each for option in self.get_params(context) for each in option.opts]
            near = difflib.get_close_matches(name, known, n=1)
            raise click.NoSuchOption(name, possibilities=near, ctx=context) from None
