"""Columns of token lists in the shapes that `w2v.scan` reads, whatever library they come from; none is imported."""

from __future__ import annotations

from typing import Any

import numpy as np


def without_frame(source: Any) -> Any:
    """A pandas, polars or pyarrow column, or a SciPy CSR array, as lists or (values, offsets); all else unchanged.

    Raises
    ------
    TypeError
        For a whole table, and for a CSR array with weights, which a sentence has no place for.
    ValueError
        For a null.
    """
    library, name = type(source).__module__.partition(".")[0], type(source).__name__
    if library in ("pandas", "polars", "pyarrow") and hasattr(source, "columns"):
        raise TypeError(f"the source is a whole {library} {name}: pass the column that holds the token lists")
    if library == "scipy" and (layout := getattr(source, "format", None)):
        if layout != "csr":
            raise TypeError(f"the source is a SciPy array in {layout.upper()} form: pass source.tocsr()")
        return _rows(source)
    if library == "pyarrow":
        return _lists(source)
    if library == "polars":
        return source.to_list()
    return source


def _rows(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    if not (matrix.data == 1).all():
        raise TypeError("the CSR array has values other than 1: a sentence is the columns of a row, in their order")
    return matrix.indices, matrix.indptr


def _lists(column: Any) -> Any:
    """Integers as (values, offsets), without a Python object for each; all else as lists."""
    column = column.combine_chunks() if hasattr(column, "chunks") else column
    values = column.flatten() if hasattr(column, "flatten") else column
    if nulls := column.null_count + values.null_count:
        raise ValueError(f"the column has {nulls} nulls: drop them first")
    if str(values.type).startswith(("int", "uint")) and hasattr(column, "offsets"):
        offsets = column.offsets.to_numpy()
        return values.to_numpy(), offsets - offsets[0]
    return column.to_pylist()
