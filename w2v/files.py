"""Files that are either whole or not there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def writable(path: str | os.PathLike[str]) -> Path:
    """The file that writing to `path` makes or replaces; OSError if it can't be one."""
    path = Path(path)
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is not a file: name one to write")
    target = path.resolve()
    if not target.parent.is_dir():
        raise OSError(f"there is no folder {path.parent}: make it, or name a file elsewhere")
    if not os.access(target.parent, os.W_OK):
        raise OSError(f"{path} can't be written: its folder is not yours to write to")
    return target


@contextmanager
def written_atomically(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to: the file takes `path`'s place, safely on disk, when the block ends well; else it is gone.

    Its name is that of `path`, in a folder of its own, for those who go by a name's ending. A link stays a link.

    Raises
    ------
    OSError
        Before the block begins, if `path` can't be written; on leaving it, if the disk is full.
    """
    target = writable(path)
    try:
        folder = tempfile.TemporaryDirectory(dir=target.parent, prefix=".w2v-")
    except OSError as error:
        raise OSError(f"{path} can't be written: {error.strerror}") from error
    with folder:
        temporary = Path(folder.name, target.name)
        yield temporary
        _flush(temporary)
        temporary.replace(target)
        _flush(target.parent)


def _flush(path: Path) -> None:
    """Wait until a file or folder is on disk: a rename must not get there before what it names."""
    if path.is_dir() and os.name == "nt":
        return  # no folder can be opened there
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
