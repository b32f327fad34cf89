"""Every hyper-parameter of a training run, checked once, at the door."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, fields
from numbers import Real


@dataclass(frozen=True, kw_only=True)
class Params:
    """Hyper-parameters under gensim's names, with gensim's defaults.

    Raises
    ------
    ValueError
        On construction, for any value that could not train; the message names the value and the cure.
    """

    vector_size: int = 100
    alpha: float = 0.025
    min_alpha: float = 0.0001
    window: int = 5
    shrink_windows: bool = True
    min_count: int = 5
    sample: float = 1e-3
    seed: int = 1
    workers: int = 3
    negative: int = 5
    ns_exponent: float = 0.75
    epochs: int = 5

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "int" and (isinstance(value, bool) or not hasattr(value, "__index__")):
                raise ValueError(f"{field.name}={value!r} is not a whole number")
            if field.type == "float" and not (isinstance(value, Real) and math.isfinite(value)):
                raise ValueError(f"{field.name}={value!r} is not a finite number")
        self._require(self.vector_size >= 1, "vector_size", "at least 1")
        self._require(self.window >= 1, "window", "at least 1")
        self._require(self.min_count >= 0, "min_count", "0 or more")
        self._require(self.sample >= 0, "sample", "0 (keep every word) or more")
        self._require(self.negative >= 1, "negative", "at least 1: this trainer learns by negative sampling")
        self._require(self.epochs >= 1, "epochs", "at least 1")
        self._require(self.alpha > 0, "alpha", "above 0")
        self._require(0 <= self.min_alpha <= self.alpha, "min_alpha", f"between 0 and alpha={self.alpha}")
        self._require(self.seed >= 0, "seed", "0 or more")
        cores = os.cpu_count()
        self._require(self.workers >= 1, "workers", f"at least 1 (this machine has {cores} cores)")

    def _require(self, holds: bool, name: str, rule: str) -> None:
        if not holds:
            raise ValueError(f"{name}={getattr(self, name)!r} must be {rule}")
