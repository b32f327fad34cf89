"""Every hyper-parameter of a training run, checked once, at the door."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from w2v.checks import finite, require, switch, whole
from w2v.cores import usable_cores

PLAIN = {"bool": switch, "int": whole, "float": finite}
SWITCHES = "sg", "hs", "cbow_mean"  # 0 or 1, in gensim's words, and True or False in those of many who use it


@dataclass(frozen=True, kw_only=True)
class Params:
    """Hyper-parameters under gensim's names, with gensim's defaults.

    Raises
    ------
    ValueError
        On construction, for any value that could not train; the message names the value and the cure.
    """

    sg: int = 0
    hs: int = 0
    cbow_mean: int = 1
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
    batch_words: int = 10_000
    compute_loss: bool = False

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in SWITCHES and isinstance(value, (bool, np.bool_)):
                value = int(value)
            object.__setattr__(self, field.name, PLAIN[str(field.type)](field.name, value))
        for name in SWITCHES:
            self._require_between(name, 0, 1)
        self._require_between("vector_size", 1, 2**16)
        self._require_between("window", 1, 2**20)
        self._require_between("negative", 0, 2**12)
        self._require(self.negative > 0 or self.hs == 1, "negative", "1 or more, or hs=1: else nothing is learnt")
        self._require_between("min_count", 0, 2**62)
        self._require_between("batch_words", 1, 10_000)
        self._require_between("epochs", 1, 2**31)
        self._require_between("workers", 1, 2**10, f" (this process may use {usable_cores()} cores)")
        self._require_between("seed", 0, 2**32 - 1)
        self._require_between("ns_exponent", -10, 10)
        require_rates(alpha=self.alpha, min_alpha=self.min_alpha)
        self._require(self.sample >= 0, "sample", "0 (keep every word) or more")

    def _require_between(self, name: str, low: float, high: float, remark: str = "") -> None:
        self._require(low <= getattr(self, name) <= high, name, f"from {low} to {high}{remark}")

    def _require(self, holds: bool, name: str, rule: str) -> None:
        require(holds, name, getattr(self, name), rule)


def require_rates(**rates: Any) -> None:
    """ValueError unless a run can go from the first of two learning rates to the second; by the names given to them."""
    (start, alpha), (end, min_alpha) = ((name, finite(name, rate)) for name, rate in rates.items())
    require(alpha > 0, start, alpha, "above 0")
    # Who sets a smaller alpha alone has not asked for min_alpha's default: the rate then stays alpha.
    top = max(alpha, Params.min_alpha)
    require(0 <= min_alpha <= top, end, min_alpha, f"from 0 to {alpha}, which is {start}")
