"""Centre, spread and paired ratios of a handful of timings, and what they allow to be said."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.special import stdtrit

CONFIDENCE = 0.95
K = TypeVar("K", bound=Hashable)


def median(values: Sequence[float]) -> float:
    return float(np.median(values))


def spread(values: Sequence[float]) -> float | None:
    """Half the range over the median: "+-3 %". None for a single value, which has no spread."""
    return float(np.ptp(values)) / 2 / median(values) if len(values) > 1 else None


def t_quantile(degrees: int) -> float:
    """Student's t for a two-sided interval at CONFIDENCE."""
    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))


@dataclass(frozen=True)
class Ratio:
    """How many times as fast; where there is one, the interval that holds the true figure with CONFIDENCE."""

    estimate: float
    low: float | None = None
    high: float | None = None

    @property
    def decided(self) -> bool:
        """Whether the interval leaves 1 out. Without an interval nothing is decided."""
        return self.low is not None and self.high is not None and not self.low <= 1 <= self.high


def paired_ratio(ours: Mapping[K, float], theirs: Mapping[K, float]) -> Ratio | None:
    """ours / theirs over the rounds (or epochs) that both have: geometric mean and Student's t interval.

    Pairing takes out what the machine does to a whole round. Ratios are compared as logarithms, so that a/b
    and b/a say the same. The t interval stays honest when there are few rounds (two cost a factor of 12.7 on
    the standard error); resampling three values never leaves their range, which holds the true median only
    three times in four. One round has no interval; no common round, no ratio (None).
    """
    logs = [math.log(ours[round] / theirs[round]) for round in ours.keys() & theirs.keys()]
    if not logs:
        return None
    mean = float(np.mean(logs))
    if len(logs) == 1:
        return Ratio(math.exp(mean))
    margin = t_quantile(len(logs) - 1) * float(np.std(logs, ddof=1)) / math.sqrt(len(logs))
    return Ratio(math.exp(mean), math.exp(mean - margin), math.exp(mean + margin))


def fastest(speeds: Mapping[str, Mapping[K, float]]) -> list[str]:
    """The name with the best median, then those that it is not decidedly faster than.

    speeds: name -> round -> speed, higher is better. One name is a winner; more are a tie, or undecided where
    there is one round only.
    """
    if not speeds:
        return []
    best = max(speeds, key=lambda name: median(list(speeds[name].values())))
    rivals = {name: paired_ratio(speeds[best], series) for name, series in speeds.items() if name != best}
    return [best, *(name for name, ratio in rivals.items() if ratio is None or not ratio.decided)]
