"""Opening a text, plain or packed."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TypeAlias

Text: TypeAlias = IO[bytes] | gzip.GzipFile

ENCRYPTED = 0x1  # a bit of a zip member's flags


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[tuple[io.BufferedReader, Text]]:
    """The file and the text in it, which are one unless it is compressed; the content tells, not the name."""
    with open(path, "rb") as raw:
        magic = raw.peek(4)[:4]
        try:
            if magic.startswith(b"\x1f\x8b"):
                with gzip.GzipFile(fileobj=raw) as text:
                    yield raw, text
            elif magic in (b"PK\x03\x04", b"PK\x05\x06"):
                if not raw.seekable():
                    raise ValueError(f"{path} is a zip from a pipe: unpack it first")
                with zipfile.ZipFile(raw) as archive, archive.open(_only_member(path, archive)) as text:
                    yield raw, text
            else:
                yield raw, raw
        except NotImplementedError as error:  # zipfile's word for a way of packing it doesn't know
            raise ValueError(f"{path} can't be unpacked here: {error}; unpack it first") from error
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile) as error:
            raise ValueError(f"{path} is damaged: {error}") from error


def _only_member(path: str | os.PathLike[str], archive: zipfile.ZipFile) -> str:
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        names = ", ".join(member.filename for member in members)
        raise ValueError(f"{path} holds {len(members)} files ({names}): give a zip of exactly one")
    if members[0].flag_bits & ENCRYPTED:
        raise ValueError(f"{path} is encrypted: unpack it first")
    return members[0].filename
