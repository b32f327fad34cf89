"""A corpus as the caller names it: one of two arguments, and whether it is still the same."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Iterable, Sized
from typing import Any


class Source:
    """What `corpus_iterable=` or `corpus_file=` was given, for `w2v.corpus.scan_source` to read.

    Raises
    ------
    TypeError
        Unless one of the two is given, and is what its name says.
    """

    def __init__(self, corpus_iterable: Iterable[Any] | None, corpus_file: str | os.PathLike[str] | None) -> None:
        if (corpus_iterable is None) == (corpus_file is None):
            raise TypeError("give either a corpus iterable or corpus_file, one of the two")
        if isinstance(corpus_iterable, (str, os.PathLike)):
            raise TypeError(f"the corpus is the string {str(corpus_iterable)[:40]!r}: for a file, pass corpus_file=")
        if corpus_file is not None and not isinstance(corpus_file, (str, os.PathLike)):
            raise TypeError(
                f"corpus_file={reprlib.repr(corpus_file)} is no path: token lists are passed without that name"
            )
        self.given: Any = corpus_file if corpus_iterable is None else corpus_iterable
        self._state = _state(self.given)

    def is_unchanged(self, earlier: Source) -> bool:
        """Whether this is the very corpus that `earlier` was, as far as can be seen without reading it."""
        same = self.given is earlier.given or (self._is_path() and earlier._is_path())
        return same and self._state == earlier._state

    def _is_path(self) -> bool:
        return isinstance(self.given, (str, os.PathLike))


def _state(given: Any) -> Any:
    """What changes when a corpus does: a file's path, size and time, a collection's length."""
    if isinstance(given, (str, os.PathLike)):
        if not os.path.exists(given):
            return os.fspath(given)  # reading it will say so
        status = os.stat(given)
        return os.path.realpath(given), status.st_size, status.st_mtime_ns
    if hasattr(given, "shape"):
        return given.shape  # a sparse array has no length
    return len(given) if isinstance(given, Sized) else None
