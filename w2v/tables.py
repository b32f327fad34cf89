"""Weight tables: float32 rows padded to whole cache lines, so that kernels have no tails and no split loads."""

from __future__ import annotations

import mmap
from contextlib import suppress

import numpy as np

CACHE_LINE = 64
FLOATS_PER_LINE = CACHE_LINE // 4


def new_table(rows: int, columns: int) -> np.ndarray:
    """A float32 (rows, columns) array of zeros: a view on rows padded to a multiple of 16 floats, 64-byte aligned.

    The padding is zero and stays zero: a kernel may run over it. The memory is asked for in huge pages, which saves
    3-5 % of training time in address translation, where the system grants them. MemoryError if there is not enough.
    """
    stride = table_bytes(1, columns) // 4
    # Shared memory, which is all that Windows has, gets no huge pages.
    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
    size = table_bytes(rows, columns)
    try:
        memory = mmap.mmap(-1, max(size, 1), **private)
    except (OSError, OverflowError) as error:
        raise MemoryError(
            f"{rows:,} vectors of {columns} numbers need {size / 1e9:,.1f} GB, which this machine doesn't give: take "
            "a smaller vector_size, or fewer words by a larger min_count"
        ) from error
    with suppress(AttributeError, OSError):  # not every system has huge pages
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.float32, rows * stride).reshape(rows, stride)[:, :columns]


def table_bytes(rows: int, columns: int) -> int:
    """The size of such a table, padding included."""
    return rows * -(-columns // FLOATS_PER_LINE) * CACHE_LINE


def as_table(values: np.ndarray) -> np.ndarray:
    """A table of `new_table` that holds `values`; ValueError unless these are rows of numbers."""
    values = np.asarray(values, np.float32)
    if values.ndim != 2:
        raise ValueError(f"weights of shape {values.shape} are no rows of numbers")
    table = new_table(*values.shape)
    table[:] = values
    return table


def initial_syn0(rows: int, columns: int, seed: int) -> np.ndarray:
    """Input rows drawn uniformly from [-1/columns, 1/columns): gensim's own start values for the same seed."""
    table = new_table(rows, columns)
    rng = np.random.default_rng(seed)
    block = max(1, 2**20 // columns)  # drawn by blocks, to hold no second copy of the table
    for start in range(0, rows, block):
        values = rng.random((min(block, rows - start), columns), dtype=np.float32)
        values *= 2.0
        values -= 1.0
        values /= columns
        table[start : start + block] = values
    return table


def padded(table: np.ndarray) -> np.ndarray:
    """The whole float32 (rows, stride) buffer under a table of `new_table`, padding included."""
    stride = table.strides[0] // 4
    whole = np.lib.stride_tricks.as_strided(table, (len(table), stride))
    if stride % FLOATS_PER_LINE or table.ctypes.data % CACHE_LINE:
        raise ValueError("this table's rows are not padded to whole cache lines: make it with new_table()")
    return whole
