"""A file of arrays and texts: an uncompressed .npz that NumPy itself can open, with texts beside the arrays.

Nothing in it is pickled, so opening a stranger's file runs none of his code. Arrays begin at whole cache lines of the
file, so they can be memory-mapped.
"""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from errno import EINVAL
from math import prod
from typing import IO, Any, Literal, NamedTuple, cast

import numpy as np
from numpy.lib import format as npy

from w2v.files import as_path, require_file, written_atomically
from w2v.tables import CACHE_LINE, new_table

File = str | os.PathLike[str] | IO[bytes]
MapMode = Literal["r", "c"]

PADDING_FIELD = 0xD935  # the extra field with which Android's zipalign pads
ENDING = ".npy"
BLOCK_ROWS = 1 << 12
READ_HEADER = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def write_archive(target: File, arrays: Mapping[str, np.ndarray], texts: Mapping[str, str]) -> None:
    """Write to an open file, or to a path, which is then whole or what it was before. Arrays are not copied."""
    if not hasattr(target, "write"):
        with written_atomically(as_path(target)) as path, open(path, "wb") as file:
            return write_archive(file, arrays, texts)
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
        for name, values in arrays.items():
            member = zipfile.ZipInfo(name + ENDING)
            member.extra = _padding(archive.start_dir, member)
            with archive.open(member, "w", force_zip64=True) as opened:
                npy.write_array(opened, values, allow_pickle=False)


class Archive:
    """Such a file, to be read from within a `with` block.

    Parameters
    ----------
    kind : str
        What it should be, for errors, such as "checkpoint".
    mmap : str, optional
        Map arrays from the file, which then is a path, rather than read them. Only what is read has its checksum
        verified.

    Raises
    ------
    OSError
        If the file can't be read.
    ValueError
        On construction and from all methods: if it is no such archive, damaged, or lacks what is asked for.
    """

    def __init__(self, source: File, kind: str, mmap: MapMode | None = None) -> None:
        if not hasattr(source, "read"):
            require_file(as_path(source))
        elif mmap:
            raise ValueError("an open file can't be memory-mapped: give its path")
        self._complaint, self._mmap = f"{source} is no {kind}, or damaged", mmap
        with self._complaining():
            self._zip = zipfile.ZipFile(source)

    @property
    def arrays(self) -> list[str]:
        """The names of all arrays."""
        return [name.removesuffix(ENDING) for name in self._zip.namelist() if name.endswith(ENDING)]

    def text(self, name: str) -> bytes:
        """A text, in UTF-8."""
        with self._complaining():
            return self._zip.read(self._member(name))

    def array(self, name: str) -> np.ndarray:
        """An array, mapped or read."""
        with self._complaining():
            array = self._described(name)
            if self._mmap and prod(array.shape):  # nothing can't be mapped
                begin, file = self._data_begin(array.member) + array.header_bytes, cast(Any, self._zip.fp)
                order: Literal["F", "C"] = "F" if array.is_fortran else "C"
                return np.memmap(file, array.dtype, self._mmap, begin, array.shape, order)
            with self._zip.open(array.member) as opened:
                values: np.ndarray = npy.read_array(opened, allow_pickle=False)
                return values

    def table(self, name: str) -> np.ndarray:
        """A float32 (rows, columns) array, mapped, or read into a table of `w2v.tables`."""
        if self._mmap:
            return self.array(name)
        with self._complaining():
            rows, columns = self._described(name).shape
            table = new_table(rows, columns)
        self.read_into(table, name)
        return table

    def read_into(self, table: np.ndarray, name: str) -> None:
        """Read a (rows, columns) array into one of its shape, block by block, for memory has no room for both.

        Only at its end is it known to be whole: `verify` first what to read into a table that is in use.
        """
        with self._complaining():
            for rows, values in self._blocks(table, name):
                rows[:] = values

    def verify(self, table: np.ndarray, name: str) -> None:
        """ValueError unless `read_into` can read the whole array into this table."""
        with self._complaining():
            for _ in self._blocks(table, name):
                pass

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *error: Any) -> None:
        self._zip.close()

    def _blocks(self, table: np.ndarray, name: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Some rows of `table`, and what the array has for them, in turn."""
        array = self._described(name)
        if array.shape != table.shape or array.is_fortran:
            raise ValueError(f"{name} has shape {array.shape} where {table.shape} belongs")
        with self._zip.open(array.member) as opened:
            opened.read(array.header_bytes)
            for begin in range(0, len(table), BLOCK_ROWS):
                rows = table[begin : begin + BLOCK_ROWS]
                block = opened.read(rows.size * array.dtype.itemsize)
                yield rows, np.frombuffer(block, array.dtype).reshape(rows.shape)

    def _described(self, name: str) -> _Array:
        member = self._member(name + ENDING)
        with self._zip.open(member) as opened:
            array = _Array(member, *READ_HEADER[npy.read_magic(opened)](opened), opened.tell())
        if array.header_bytes + array.dtype.itemsize * prod(array.shape) != member.file_size:
            raise ValueError(f"{name} is not of its length")
        return array

    def _member(self, name: str) -> zipfile.ZipInfo:
        member = self._zip.getinfo(name)
        if member.compress_type != zipfile.ZIP_STORED:
            raise ValueError(f"{name} is compressed")
        return member

    def _data_begin(self, member: zipfile.ZipInfo) -> int:
        file = self._zip.fp
        assert file
        file.seek(member.header_offset + 26)
        name, extra = struct.unpack("<HH", file.read(4))
        return int(member.header_offset + 30 + name + extra)

    @contextmanager
    def _complaining(self) -> Iterator[None]:
        try:
            yield
        except (zipfile.BadZipFile, EOFError, KeyError, OSError, RuntimeError, ValueError) as error:
            if isinstance(error, OSError) and error.errno != EINVAL:  # EINVAL: a seek to before the beginning
                raise
            raise ValueError(f"{self._complaint}: {error.args[-1] if error.args else error}") from error


class _Array(NamedTuple):
    """Where an array is and what its header says."""

    member: zipfile.ZipInfo
    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype
    header_bytes: int


def _padding(header: int, member: zipfile.ZipInfo) -> bytes:
    """An extra field after which the data begin at a whole cache line; an .npy's own header is whole ones."""
    before_data = header + 30 + len(member.filename) + 4 + 20  # fixed header, name, head of this field, zip64's field
    pad = -before_data % CACHE_LINE
    return struct.pack("<HH", PADDING_FIELD, pad) + bytes(pad)
