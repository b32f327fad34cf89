"""Files that are either whole or not there, and what is wrong with them."""

from __future__ import annotations

import os
import reprlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import Any

UNFINISHED = ".w2v-unfinished-"
NO_ROOM = ENOSPC, EDQUOT, EFBIG


def fspath(path: Any) -> str:
    """The path that was given, as text; TypeError if it is none, ValueError if it is empty."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{reprlib.repr(path)} is no path: name a file")
    if not os.fspath(path):
        raise ValueError("the path is empty: name a file")
    return os.fspath(path)


def as_path(path: Any) -> Path:
    """The same as a Path, which no URL survives."""
    return Path(fspath(path))


def require_there(path: str | os.PathLike[str]) -> None:
    """FileNotFoundError unless there is something to read at `path`."""
    if not os.path.exists(as_path(path)):
        raise FileNotFoundError(f"no such file: {reprlib.repr(os.fspath(path))}")


def require_file(path: str | os.PathLike[str]) -> None:
    """FileNotFoundError or IsADirectoryError unless there is a file to read at `path`."""
    require_there(path)
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a folder: name the file in it")


def complaint(error: OSError, path: Path | None = None) -> str:
    """What is wrong with a file, the one that `error` names or else `path`: `FILE: Permission denied`."""
    if error.strerror is None:  # not the system's, but a library's own words
        return str(error)
    return ": ".join(str(each) for each in (error.filename or path, error.strerror) if each)


def lacks_room(error: BaseException) -> bool:
    """Whether this is the error of a disk that is full, or whose share or size of a file is used up."""
    cut_short = "requested and"  # NumPy's words, which are all that it has for this
    return isinstance(error, OSError) and (error.errno in NO_ROOM or cut_short in str(error))


@contextmanager
def naming(path: str | os.PathLike[str], folder: Path) -> Iterator[None]:
    """Let the error of a full disk name `path`, if it names nothing, or something in `folder`, where that is made."""
    try:
        yield
    except OSError as error:
        if not lacks_room(error) or not str(error.filename or folder).startswith(str(folder)):
            raise
        number = error.errno or ENOSPC
        raise OSError(number, os.strerror(number), os.fspath(path)) from error


def writable(path: str | os.PathLike[str]) -> Path:
    """The file that writing to `path` makes or replaces; OSError if it can't be one."""
    path = as_path(path)
    if path.is_dir():
        raise OSError(f"{path} is a folder: name a file in it")
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is a device or a pipe: name a file")
    target = path.resolve()
    if not target.parent.is_dir():
        raise OSError(f"there is no folder {path.parent}: make it, or name a file elsewhere")
    if not os.access(target.parent, os.W_OK):
        raise OSError(f"{path} can't be written: its folder is not yours to write to")
    return target


@contextmanager
def written_atomically(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to: the file takes `path`'s place, safely on disk, when the block ends well; else it is gone.

    Its name is that of `path`, in a hidden folder beside it, for those who go by a name's ending. A link stays a link.
    Files that the block leaves beside it come with it. What processes that were killed left there goes first.

    Raises
    ------
    OSError
        Before the block begins, if `path` can't be written; of a disk that is full then, naming `path`.
    """
    target = writable(path)
    _remove_leftovers(target.parent)
    with ExitStack() as until_done:
        try:
            folder = _locked_folder(target.parent, until_done)
        except OSError as error:
            raise OSError(error.errno, f"can't be written: {error.strerror}", os.fspath(path)) from error
        temporary = folder / target.name
        with naming(path, folder):
            yield temporary
            for file in sorted(folder.iterdir(), key=temporary.__eq__):  # the others first
                _flush(file)
                file.replace(target.parent / file.name)
            _flush(target.parent)


def _locked_folder(parent: Path, until_done: ExitStack) -> Path:
    """A new folder, there until the end of the stack's block, and locked until then or until this process is dead."""
    while True:
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=UNFINISHED))
        try:
            until_done.enter_context(_locked(folder))
        except (FileNotFoundError, BlockingIOError):
            continue  # another process took it for a leftover before it was locked
        except OSError:
            pass  # this disk has no locks, so nothing on it is taken for a leftover
        until_done.callback(shutil.rmtree, folder)
        return folder


def _remove_leftovers(parent: Path) -> None:
    for folder in parent.glob(f"{UNFINISHED}*"):
        with suppress(OSError), _locked(folder):
            shutil.rmtree(folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; BlockingIOError if another holds it, FileNotFoundError if the folder is gone."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        import fcntl  # not there on Windows, where no folder can be opened either

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        folder.stat()  # it may have gone before the lock was had
        yield
    finally:
        os.close(handle)


def _flush(path: Path) -> None:
    """Wait until a file or folder is on disk: a rename must not get there before what it names."""
    if path.is_dir() and os.name == "nt":
        return  # no folder can be opened there
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
