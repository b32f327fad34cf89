"""Arrays in one file, to be mapped into memory: NumPy's .npy format, one after the other on cache lines."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.lib import format as npy

from w2v.files import written_atomically

ALIGNMENT = npy.ARRAY_ALIGN  # what .npy pads its own headers to


def write_arrays(path: str | os.PathLike[str], arrays: Sequence[np.ndarray]) -> None:
    """Write contiguous arrays; the file is whole or not there."""
    with written_atomically(path) as temporary, temporary.open("wb") as file:
        for array in arrays:
            npy.write_array(file, array, version=(1, 0), allow_pickle=False)
            file.write(bytes(-file.tell() % ALIGNMENT))


def mapped_arrays(path: str | os.PathLike[str], count: int) -> list[np.ndarray]:
    """The arrays of `write_arrays`, read-only; ValueError if the file does not hold so many."""
    arrays = []
    with open(path, "rb") as file:
        for _ in range(count):
            try:
                npy.read_magic(file)
                shape, _, dtype = npy.read_array_header_1_0(file)
                array = np.memmap(path, dtype, "r", file.tell(), shape) if 0 not in shape else np.empty(shape, dtype)
            except ValueError as error:
                raise ValueError(f"{path} is no encoded corpus, or damaged: {error}") from error
            file.seek(array.nbytes + -array.nbytes % ALIGNMENT, os.SEEK_CUR)
            arrays.append(np.asarray(array))
    return arrays
