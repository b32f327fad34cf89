"""Parts of texts: which bytes of which files each of several processes reads."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import NamedTuple

from w2v.packed import Text, opened

SEARCH_BYTES = 1 << 20
SPACE = re.compile(rb"[ \t\n\v\f\r]")

Path = str | os.PathLike[str]


class Piece(NamedTuple):
    """Bytes [begin, end) of a file, as they are on disk; `whole` if that was all, as it is of a packed file."""

    path: Path
    begin: int
    end: int
    whole: bool


def pieces(files: Sequence[Path], share: tuple[int, int] = (0, 1)) -> list[Piece]:
    """What process r of n, `share` = (r, n), reads of the files, taken one after the other: about the n-th part.

    All processes' pieces together are the files, in order. A cut is after the end of a line, where that is less than
    SEARCH_BYTES away, else between words; no packed file is cut.
    """
    part, parts = share
    sizes = [os.path.getsize(file) for file in files]
    if parts == 1:
        return [Piece(file, 0, size, True) for file, size in zip(files, sizes, strict=True)]
    begins = [0, *accumulate(sizes)]
    first, last = (_cut(files, begins, begins[-1] * cut // parts) for cut in (part, part + 1))
    within = []
    for file, offset, size in zip(files, begins, sizes, strict=False):
        begin, end = max(first - offset, 0), min(last - offset, size)
        if begin < end:
            within.append(Piece(file, begin, end, end - begin == size))
    return within


@contextmanager
def opened_piece(piece: Piece) -> Iterator[tuple[io.BufferedReader, Text | Until]]:
    """The file, and the text of the piece in it, to be read."""
    with opened(piece.path) as (raw, text):
        if piece.whole:
            yield raw, text
        else:
            raw.seek(piece.begin)
            yield raw, Until(raw, piece.end)


class Until:
    """The text of a file up to byte `end`."""

    def __init__(self, raw: io.BufferedReader, end: int) -> None:
        self._raw, self._end = raw, end

    def read(self, size: int) -> bytes:
        """The next bytes, as many as asked for if there are."""
        return self._raw.read(min(size, self._end - self._raw.tell()))


def _cut(files: Sequence[Path], begins: list[int], near: int) -> int:
    """Where to cut at byte `near` of all files together, or soon after."""
    for file, begin, end in zip(files, begins, begins[1:], strict=False):
        if begin < near < end:
            with opened(file) as (raw, text):
                if text is raw:
                    return begin + _gap(raw, near - begin)
                return begin if near - begin < end - near else end
    return near


def _gap(raw: io.BufferedReader, near: int) -> int:
    """The first byte behind the next end of a line, or, where none is near, behind the next space."""
    raw.seek(near)
    block = raw.read(SEARCH_BYTES)
    found = block.find(b"\n")
    while block:
        if found < 0 and (space := SPACE.search(block)):
            found = space.start()
        if found >= 0:
            return near + found + 1
        near += len(block)
        block = raw.read(SEARCH_BYTES)
    return near
