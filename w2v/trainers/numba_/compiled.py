"""How the loops here are compiled, and kept for the next process."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache

HERE = Path(__file__).parent
# What machine code is made of: a loop, those that it calls, and constants from elsewhere.
SOURCES = sorted([*HERE.glob("*.py"), *HERE.parent.glob("*.py"), HERE.parents[1] / "tables.py"])
CHECKSUM = zlib.crc32(b"".join(path.read_bytes() for path in SOURCES))
# error_model: Python's would look for zero before each division, and a loop that may raise is not vectorised.
OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": True, "error_model": "numpy"}


class _Cache(FunctionCache):
    """Numba's, which by itself takes a function for unchanged if its own file is, and has no setting for that."""

    def _index_key(self, *compiled_for: Any) -> tuple:
        return *super()._index_key(*compiled_for), CHECKSUM


def compiled(function: Callable) -> Any:
    """The function compiled, on its first call, or as another process compiled it from the same SOURCES."""
    dispatcher: Any = njit(**OPTIONS)(function)
    dispatcher._cache = _Cache(function)
    return dispatcher


# Arrays travel by seven numbers each, with a count of references: calls would cost as much as short loops.
inlined = njit(**OPTIONS, forceinline=True)
