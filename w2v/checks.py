"""Values from outside, checked at the door: an error names the value and what it must be."""

from __future__ import annotations

from contextlib import suppress
from math import isfinite, nan
from numbers import Integral, Real
from typing import Any

import numpy as np


def require(holds: bool, name: str, value: Any, rule: str) -> None:
    """ValueError, saying that `value` must be what the rule says, unless that holds."""
    if not holds:
        raise ValueError(f"{name}={value!r} must be {rule}")


def is_whole(value: Any) -> bool:
    """Whether `value` is a whole number of any type; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def whole(name: str, value: Any) -> int:
    """`value` as a plain int, for NumPy's narrow ones overflow; ValueError unless it is a whole number."""
    if not is_whole(value):
        raise ValueError(f"{name}={value!r} is not a whole number")
    return int(value)


def finite(name: str, value: Any) -> float:
    """`value` as a plain float; ValueError unless it is a finite number."""
    number = nan
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):  # of an int that is larger than any float
            number = float(value)
    if not isfinite(number):
        raise ValueError(f"{name}={value!r} is not a finite number")
    return number


def switch(name: str, value: Any) -> bool:
    """`value` as a bool; ValueError unless it is True or False, or 1 or 0, as gensim has it."""
    if not isinstance(value, (bool, np.bool_, Integral)) or value not in (0, 1):
        raise ValueError(f"{name}={value!r} is neither True nor False")
    return bool(value)


def lock_factors(factors: Any, words: int) -> np.ndarray:
    """float32 (words,): a copy of `wv.vectors_lockf` with one factor a word; ValueError for another number of them."""
    given = np.asarray(factors, np.float32)
    if given.shape not in ((1,), (words,)):
        raise ValueError(f"wv.vectors_lockf has shape {given.shape}: give one factor, or one for each of {words}")
    return np.array(np.broadcast_to(given, words))


def count(name: str, value: Any, low: int, remark: str = "") -> int:
    """`value` as a plain int; ValueError unless it is a whole number from `low`."""
    require(is_whole(value) and value >= low, name, value, f"a whole number from {low}{remark}")
    return int(value)
