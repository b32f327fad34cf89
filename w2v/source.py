"""A corpus as the caller names it: one of two arguments, and whether it is still the same."""

from __future__ import annotations

import operator
import os
import reprlib
import zlib
from collections.abc import Iterable, Sized
from typing import Any

import numpy as np

from w2v.textfile import file_states


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
        self._items = _items(self.given)
        self._state = _state(self.given), [_checksum(item) for item in self._items if isinstance(item, np.ndarray)]

    def is_unchanged(self, earlier: Source) -> bool:
        """Whether this is the very corpus that `earlier` was, as far as can be seen without reading it."""
        same = self.given is earlier.given or (self._is_path() and earlier._is_path())
        return same and self._state == earlier._state and all(map(operator.is_, self._items, earlier._items))

    def _is_path(self) -> bool:
        return isinstance(self.given, (str, os.PathLike))


def _items(given: Any) -> list[Any]:
    """What may be exchanged or overwritten in a corpus that stays the same object: its sentences, or its arrays.

    They are held, not merely their ids, for what comes in the place of one that is gone may get its id.
    """
    if isinstance(given, (list, tuple)) or getattr(getattr(given, "dtype", None), "hasobject", False):
        return list(given)  # of a pandas column, too
    if hasattr(given, "indptr"):
        return [given.indices, given.indptr]  # a sparse array
    return [given] if isinstance(given, np.ndarray) else []


def _checksum(array: np.ndarray) -> int | None:
    """32 bits of integers; None of all else, which is no sentence."""
    return zlib.crc32(np.ascontiguousarray(array).data) if array.dtype.kind in "iu" else None


def _state(given: Any) -> Any:
    """What changes when a corpus does: path, size and time of each file, a collection's length."""
    if isinstance(given, (str, os.PathLike)):
        try:
            return file_states(given)
        except (OSError, ValueError):
            return os.fspath(given)  # reading it will say what is wrong
    if hasattr(given, "shape"):
        return given.shape  # a sparse array has no length
    return len(given) if isinstance(given, Sized) else None
