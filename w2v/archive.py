"""A file of arrays and texts: an uncompressed .npz that NumPy itself can open, with texts beside the arrays.

Nothing in it is pickled, so opening a stranger's file runs none of his code. Arrays begin at whole cache lines of the
file, so they can be memory-mapped.
"""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Mapping
from typing import IO, Literal

import numpy as np

from w2v.files import require_file, written_atomically
from w2v.tables import CACHE_LINE

File = str | os.PathLike[str] | IO[bytes]
MapMode = Literal["r", "c"]

PADDING_FIELD = 0xD935  # the extra field with which Android's zipalign pads


def write_archive(target: File, arrays: Mapping[str, np.ndarray], texts: Mapping[str, str]) -> None:
    """Write to an open file, or to a path, which is then whole or what it was before."""
    if isinstance(target, (str, os.PathLike)):
        with written_atomically(target) as path, open(path, "wb") as file:
            return write_archive(file, arrays, texts)
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
        for name, values in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            member.extra = _padding(archive.start_dir, member)
            with archive.open(member, "w", force_zip64=True) as opened:
                np.lib.format.write_array(opened, values, allow_pickle=False)


def read_archive(source: File, mmap: MapMode | None = None) -> tuple[dict[str, np.ndarray], dict[str, bytes]]:
    """The arrays, mapped from the file if `mmap` says how (a path's alone), and the texts.

    Raises
    ------
    OSError
        If the file can't be read.
    ValueError
        If it is no such archive, or damaged.
    """
    if mmap and not isinstance(source, (str, os.PathLike)):
        raise ValueError("an open file can't be memory-mapped: give its path")
    if isinstance(source, (str, os.PathLike)):
        require_file(source)
    arrays, texts = {}, {}
    try:
        with zipfile.ZipFile(source) as archive:
            for member in archive.infolist():
                if member.filename.endswith(".npy"):
                    name = member.filename.removesuffix(".npy")
                    arrays[name] = _mapped(archive, member, mmap) if mmap else _read(archive, member)
                else:
                    texts[member.filename] = archive.read(member)
    except (zipfile.BadZipFile, EOFError, ValueError) as error:
        raise ValueError(f"{source} is no archive, or damaged: {error}") from error
    return arrays, texts


def _padding(header: int, member: zipfile.ZipInfo) -> bytes:
    """An extra field after which the data begin at a whole cache line; an .npy's own header is whole ones."""
    before_data = header + 30 + len(member.filename) + 4 + 20  # fixed header, name, head of this field, zip64's field
    pad = -before_data % CACHE_LINE
    return struct.pack("<HH", PADDING_FIELD, pad) + bytes(pad)


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    with archive.open(member) as opened:
        return np.lib.format.read_array(opened, allow_pickle=False)


def _mapped(archive: zipfile.ZipFile, member: zipfile.ZipInfo, mode: MapMode) -> np.ndarray:
    with archive.open(member) as opened:
        major, minor = np.lib.format.read_magic(opened)
        shape, is_fortran, dtype = getattr(np.lib.format, f"read_array_header_{major}_{minor}")(opened)
        npy_header = opened.tell()
    assert archive.fp
    archive.fp.seek(member.header_offset + 26)
    name, extra = struct.unpack("<HH", archive.fp.read(4))
    begin = member.header_offset + 30 + name + extra + npy_header
    return np.memmap(archive.fp, dtype, mode, begin, shape, "F" if is_fortran else "C")
