"""Files to read that can't be used: an error like wrong usage, before any work begins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import click


class BadInput(click.ClickException):
    """An input file that is not there, or can't be used; the message says why, and what to do."""

    exit_code = 2


@contextmanager
def reading() -> Iterator[None]:
    """Turn what is said of a file that can't be read into BadInput, with settings called as options are."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise BadInput(re.sub(r"\bmin_count\b", "-min-count", str(error))) from error
