"""The command line: `compare COMMAND`."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from compare.commands import COMMANDS
from compare.exits import PIPE_CLOSED
from compare.options import unknown
from w2v.exits import heeding_ctrl_c
from w2v.files import complaint


class LazyGroup(click.Group):
    """Imports a subcommand's module only when that subcommand is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command:
        if name not in COMMANDS:
            ctx.fail(unknown("command", name, COMMANDS))
        command: click.Command = importlib.import_module(f"compare.commands.{name}").command
        return command

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with interruptible():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with interruptible():
            return super().invoke(ctx)


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C ends every command with INTERRUPTED, in its imports and its help too; click alone would make it 1.

    A reader that is gone ends it quietly with PIPE_CLOSED; a file that can't be written, with FAILED and its name.
    Of files that can't be read, each command says so itself: that is wrong usage.
    """
    try:
        with heeding_ctrl_c():
            yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at exit
        raise SystemExit(PIPE_CLOSED) from None
    except OSError as error:
        raise click.ClickException(complaint(error)) from error  # click makes it FAILED


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="w2v-compare")
def main() -> None:
    """The same honest measurement of small models over backends, shapes and machines.

    Every figure comes from a fresh process with its thread limits set; backends take turns in random order;
    no speed is shown without what was learnt; winners need intervals that exclude a tie.

    \b
    Examples:
      compare w2v                    who trains word2vec fastest, in a few minutes
      compare w2v --corpus text8 --out result.json
      compare mnist                  a small MLP, by NumPy, JAX and Keras
      compare claims                 does what the experiment claimed hold here?
      compare report result.json --out report.html
      compare list                   what can run here, and why the rest can't

    Exit codes: 0 all well, 1 a run failed (or what a command's help says), 2 wrong usage or an input file that can't be
    used, 130 interrupted.
    """
