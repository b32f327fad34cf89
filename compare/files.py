"""Text files that are either whole or not there, and in which way those that are read are not of their schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import IO, Any

from w2v.files import written_atomically


@contextmanager
def written_text(path: Path) -> Iterator[IO[str]]:
    """A text file that takes `path`'s place when the block ends well: see `w2v.files.written_atomically`."""
    with written_atomically(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        yield file


def write_json(path: Path, value: Any) -> None:
    with written_text(path) as file:
        json.dump(value, file, indent=1, allow_nan=False)
        file.write("\n")


def flaw(values: Any, schema: str) -> str | None:
    """In which way JSON values are not of a schema of this package, `result` or `profile`; None when they are."""
    from fastjsonschema import JsonSchemaValueException

    try:
        _validator(schema)(values)
    except JsonSchemaValueException as error:
        return error.message.removeprefix("data.")
    return None


@cache
def _validator(schema: str) -> Callable[[Any], Any]:
    import fastjsonschema

    text = resources.files("compare").joinpath(f"{schema}.schema.json").read_text(encoding="utf-8")
    compiled: Callable[[Any], Any] = fastjsonschema.compile(json.loads(text))
    return compiled
