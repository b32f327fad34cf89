"""What is given to a command and can't be used: an error like wrong usage, before any work begins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import click

from w2v.files import complaint, lacks_room


class BadInput(click.ClickException):
    """A file, a setting or a machine that won't do; the message says why, and what to do."""

    exit_code = 2


@contextmanager
def refusing(context: click.Context) -> Iterator[None]:
    """Turn what is said of things that can't be used into `refused`."""
    try:
        yield
    except (OSError, MemoryError, RuntimeError, ValueError) as error:
        raise refused(error, context) from error


def refused(error: Exception, context: click.Context) -> click.ClickException:
    """The same as an error of wrong usage, with settings called as options are; but a full disk is a failure."""
    words = told(error)
    if lacks_room(error):
        return click.ClickException(words)
    name, _, rule = words.partition("=")
    for option in context.command.params:
        if option.name == name:
            return click.BadParameter(rule, context, option)
    words = re.sub(r"\btrainer='(\w+)'", r"--trainer \1", words)
    return BadInput(re.sub(r"(?<!\S)min_count(?!\S)", "-min-count", words))  # a word, no part of a file's name


def told(error: Exception) -> str:
    """What an error says, or its name where it says nothing, as Python's own MemoryError."""
    return complaint(error) if isinstance(error, OSError) else str(error) or type(error).__name__
