"""Where the fastest way changes along a shape: interpolated between shapes that were measured, never beyond them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from compare.statistics import Ratio, fastest, paired_ratio

Speeds = Mapping[str, Mapping[int, float]]
"""Of every row, by round; higher is better."""
Contest = Callable[[str, str, float], Ratio]
"""How many times as fast the first row is as the second at a shape."""


@dataclass(frozen=True)
class Crossing:
    """`before` is fastest up to `at`, `after` from there on."""

    before: str
    after: str
    at: float
    low: float | None
    """Below, `before` is decidedly faster; None: nowhere among the measured shapes."""
    high: float | None
    """Above, `after` is decidedly faster; None likewise."""

    @property
    def decided(self) -> bool:
        return self.low is not None and self.high is not None


@dataclass(frozen=True)
class Gap:
    """`before` leads at `left`, `after` at `right`, the next shape; where they cross can't be told."""

    before: str
    after: str
    left: float
    right: float
    missing: Sequence[tuple[str, float]]
    """Which of them has nothing to compare at which of the two shapes."""


@dataclass(frozen=True)
class Course:
    """Who leads along a shape."""

    leaders: Mapping[float, str]
    """By shape, from the smallest up; of those at which rows can be compared."""
    crossings: Sequence[Crossing] = ()
    gaps: Sequence[Gap] = ()
    """Where the leader changes and nothing can be interpolated."""
    unsure: Sequence[float] = ()
    """The shapes at which the leader is not decidedly faster than every other row."""


def course(speeds: Mapping[float, Speeds]) -> Course:
    """By shape (above 0), from the smallest up; rows are compared over the rounds that all rows of a shape have."""
    common = {x: shared for x, rows in sorted(speeds.items()) if (shared := _common_rounds(rows))}

    def contest(ours: str, theirs: str, x: float) -> Ratio:
        return paired_ratio(common[x][ours], common[x][theirs]) or Ratio(math.nan)

    followed = follow({x: _leader(rows) for x, rows in common.items()}, {x: set(common[x]) for x in common}, contest)
    return replace(followed, unsure=[x for x in common if len(fastest(speeds[x])) > 1])


def follow(leaders: Mapping[float, str], present: Mapping[float, set[str]], contest: Contest) -> Course:
    """From leader to leader, by shape; `present` are the rows of each shape.

    Between neighbouring shapes whose leaders differ, the ratio of the two rows is interpolated on logarithms of ratio
    and shape; the crossing is where it is 1, and its interval ends where the ratio's own interval leaves 1 out.
    """
    shapes = list(leaders)
    crossings: list[Crossing] = []
    gaps: list[Gap] = []
    for left, right in pairwise(shapes):
        before, after = leaders[left], leaders[right]
        if before == after:
            continue
        missing = [(name, x) for x in (left, right) for name in (before, after) if name not in present[x]]
        xs = [x for x in shapes if {before, after} <= present[x]]
        ratios = [contest(before, after, x) for x in xs]
        i = xs.index(left) if not missing else len(xs)
        estimate = _zero(xs[i : i + 2], [math.log(ratio.estimate) for ratio in ratios[i : i + 2]])
        if estimate is None:
            gaps.append(Gap(before, after, left, right, missing))
            continue
        lows = [math.log(ratio.low) if ratio.low is not None else -math.inf for ratio in ratios]
        highs = [math.log(ratio.high) if ratio.high is not None else math.inf for ratio in ratios]
        # Leftwards the first shape where `before` surely wins, rightwards the first where `after` does.
        low = _zero(xs[i + 1 :: -1], lows[i + 1 :: -1])
        high = _zero(xs[i:], highs[i:])
        crossings.append(Crossing(before, after, estimate, low, high))
    return Course(leaders, crossings, gaps)


def _zero(xs: Sequence[float], values: Sequence[float]) -> float | None:
    # Where values, interpolated over log x in the order given, first change sign; None if they never do.
    for (x, a), (y, b) in pairwise(zip(xs, values, strict=True)):
        if a * b < 0 and math.isinf(a):  # no interval at x: y is the first shape that is sure
            return y
        if a * b <= 0 and a != b:
            return math.exp(math.log(x) + (math.log(y) - math.log(x)) * a / (a - b))
    return None


def _common_rounds(rows: Speeds) -> dict[str, dict[int, float]]:
    rounds = set.intersection(*(set(series) for series in rows.values())) if rows else set()
    return {name: {round: series[round] for round in rounds} for name, series in rows.items() if rounds}


def _leader(rows: Speeds) -> str:
    return max(rows, key=lambda name: float(np.mean(np.log(list(rows[name].values())))))
