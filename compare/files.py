"""Files that are either whole or not there, and in which way those that are read are not of their schema."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import resources
from pathlib import Path
from typing import IO, Any


@contextmanager
def written_atomically(path: Path) -> Iterator[IO[str]]:
    """A text file that takes `path`'s place when the block ends well, and leaves nothing when it does not.

    Raises
    ------
    OSError
        Naming `path`, when it can't be written; what stood there before is intact.
    """
    path = path.resolve()  # a link stays one
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            error.filename, error.filename2 = str(path), None
        raise


def write_json(path: Path, value: Any) -> None:
    with written_atomically(path) as file:
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
