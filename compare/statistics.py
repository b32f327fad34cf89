"""Centre, spread and ratios of a handful of timings, and what they allow to be said.

The unit is the round: what one process measured is one figure, since the samples of a process share its memory
layout and its moment, and would make intervals too narrow if each counted.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.special import stdtrit

CONFIDENCE = 0.99
"""Of every interval that decides: one look finds a winner among two equal rows once in a hundred times. A tie has a
second look, after more rounds: with both, 1.8 times (simulated, from 3 or 5 rounds to 8)."""
LEAST_ROUNDS = 3
"""To have an interval at all: that of two rounds would reach 64 standard errors either way."""
SPAN = 100
"""The factor from which an interval says nothing."""
NOISY = 0.1
"""Interquartile range over median from which a row is called noisy."""
PRECISION = 0.05
"""How far a row's interval may reach from its centre for the row to count as measured well enough."""
K = TypeVar("K", bound=Hashable)


def median(values: Sequence[float]) -> float:
    return float(np.median(values))


def spread(values: Sequence[float]) -> float | None:
    """Half the range over the median: "+-3 %". None for a single value, which has no spread."""
    return float(np.ptp(values)) / 2 / median(values) if len(values) > 1 else None


def quartile_spread(values: Sequence[float]) -> float | None:
    """Interquartile range over median. None for a single value."""
    return float(np.subtract(*np.percentile(values, [75, 25]))) / median(values) if len(values) > 1 else None


def t_quantile(degrees: float, confidence: float = CONFIDENCE) -> float:
    """Student's t for a two-sided interval."""
    return float(stdtrit(degrees, (1 + confidence) / 2))


@dataclass(frozen=True)
class Ratio:
    """How many times as fast; where there is one, the interval that holds the true figure with CONFIDENCE."""

    estimate: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        """`14.20 (13.80-14.60)`, without the interval where there is none."""
        if self.low is None or self.high is None:
            return f"{self.estimate:.2f}"
        return f"{self.estimate:.2f} ({self.low:.2f}-{self.high:.2f})"

    @property
    def decided(self) -> bool:
        """Whether the interval leaves 1 out. Without an interval nothing is decided."""
        return self.low is not None and self.high is not None and not self.low <= 1 <= self.high

    @property
    def vague(self) -> bool:
        """Whether there is an interval, and one so wide that it says nothing."""
        return self.low is not None and self.high is not None and self.high > SPAN * self.low

    @classmethod
    def of_logs(cls, mean: float, error: float | None, degrees: float) -> Ratio:
        """From the mean of logarithms and its standard error (None: no interval)."""
        if error is None:
            return cls(math.exp(mean))
        margin = t_quantile(degrees) * error
        return cls(math.exp(mean), math.exp(mean - margin), math.exp(mean + margin))


def paired_ratio(ours: Mapping[K, float], theirs: Mapping[K, float]) -> Ratio | None:
    """ours / theirs over the rounds that both have: geometric mean and Student's t interval.

    Pairing takes out what the machine does to a whole round. Ratios are compared as logarithms, so that a/b
    and b/a say the same. The t interval stays honest when there are few rounds; resampling three values never
    leaves their range, which holds the true median only three times in four. Fewer than LEAST_ROUNDS have no
    interval; no common round, no ratio (None).
    """
    ratios = [ours[round] / theirs[round] for round in ours.keys() & theirs.keys()]
    return geometric_mean(ratios) if ratios else None


def geometric_mean(values: Sequence[float]) -> Ratio:
    """Of one value or more, with Student's t interval of the logarithms."""
    logs = np.log(values)
    error = float(logs.std(ddof=1)) / math.sqrt(len(logs)) if len(logs) >= LEAST_ROUNDS else None
    return Ratio.of_logs(float(logs.mean()), error, len(logs) - 1)


def mean_difference(ours: Mapping[K, float], theirs: Mapping[K, float]) -> tuple[float, float] | None:
    """The interval of ours - theirs over the rounds that both have; None for fewer than LEAST_ROUNDS."""
    differences = [ours[round] - theirs[round] for round in ours.keys() & theirs.keys()]
    if len(differences) < LEAST_ROUNDS:
        return None
    margin = t_quantile(len(differences) - 1) * float(np.std(differences, ddof=1)) / math.sqrt(len(differences))
    return float(np.mean(differences)) - margin, float(np.mean(differences)) + margin


def welch_ratio(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """ours / theirs of two series that were not measured in common rounds: Welch's t interval of the logarithms."""
    logs = [np.log(ours), np.log(theirs)]
    difference = float(logs[0].mean() - logs[1].mean())
    if min(map(len, logs)) < LEAST_ROUNDS:
        return Ratio.of_logs(difference, None, 0)
    variances = [float(series.var(ddof=1)) / len(series) for series in logs]
    total = sum(variances)
    weights = sum(variance**2 / (len(series) - 1) for variance, series in zip(variances, logs, strict=True))
    return Ratio.of_logs(difference, math.sqrt(total), total**2 / weights if weights else 1.0)


def fastest(speeds: Mapping[str, Mapping[K, float]]) -> list[str]:
    """The name with the best median, then those that it is not decidedly faster than.

    speeds: name -> round -> speed, higher is better. One name is a winner; more are a tie, or undecided where
    there are fewer than LEAST_ROUNDS. Medians are of each one's own rounds, so the best may be the slower of two
    in those that they share, as one is that was there in a machine's fast rounds alone: it doesn't win.
    """
    if not speeds:
        return []
    best = max(speeds, key=lambda name: median(list(speeds[name].values())))
    rivals = {name: paired_ratio(speeds[best], series) for name, series in speeds.items() if name != best}
    return [best, *(name for name, ratio in rivals.items() if not (ratio and ratio.low is not None and ratio.low > 1))]


def drift(series: Mapping[int, float]) -> Ratio | None:
    """The last round over the first, along the line through the logarithms by round; None under 4 rounds."""
    rounds = np.array(sorted(series), float)
    if len(rounds) < 4:
        return None
    logs = np.log([series[round] for round in sorted(series)])
    centred = rounds - rounds.mean()
    slope = float(centred @ logs / (centred @ centred))
    residuals = logs - logs.mean() - slope * centred
    degrees = len(rounds) - 2
    error = math.sqrt(float(residuals @ residuals) / degrees / float(centred @ centred))
    span = float(np.ptp(rounds))
    return Ratio.of_logs(slope * span, error * span, degrees)
