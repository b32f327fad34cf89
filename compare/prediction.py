"""Seconds predicted from a shape and a machine's ceilings, and how wrong such predictions have been.

A backend is described by two numbers, fitted to what was measured: the calls' worth of time that each step costs
whatever its size, and how many times as long as the ceilings allow its arithmetic and memory take. Ceilings of another
machine in their place predict it there. The error is earned: each measured shape is predicted from all others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from compare.profile import Profile
from compare.statistics import Ratio
from compare.work.quantities import Work
from compare.work.roofline import Bound, bound, call_seconds

LEAST_SHAPES = 3
"""To fit two numbers and have one left to be wrong about."""


@dataclass(frozen=True)
class Measured:
    """What a backend took for some work, and the least that this machine could take."""

    work: Work
    bound: Bound
    call: float
    """Seconds of a call on that machine."""
    seconds: float

    @property
    def of_ceiling(self) -> float:
        """The share of the speed that the model allows."""
        return self.bound.seconds / self.seconds


@dataclass(frozen=True)
class Fit:
    """seconds = steps x calls x (seconds of a call) + slack x (the longer of arithmetic and memory at best)."""

    calls: float
    slack: float
    error: float = math.nan
    """Root mean square of log(measured / predicted), each shape predicted from the others."""
    left_out: tuple[float, ...] = ()
    """Seconds of each measured shape, as predicted from the others."""

    def seconds(self, work: Work, limit: Bound, call: float) -> float:
        return work.steps * self.calls * call + self.slack * limit.throughput

    def range_of(self, seconds: float) -> Ratio:
        """A prediction with the range that errors as made so far put it in: two root mean squares either way."""
        return Ratio(seconds, seconds * math.exp(-2 * self.error), seconds * math.exp(2 * self.error))


def fit(points: Sequence[Measured]) -> Fit | None:
    """The best fit of a backend's `points` by relative error; None for fewer than LEAST_SHAPES."""
    if len(points) < LEAST_SHAPES:
        return None
    left_out = [
        _solve([*points[:index], *points[index + 1 :]]).seconds(point.work, point.bound, point.call)
        for index, point in enumerate(points)
    ]
    best = _solve(points)
    return Fit(best.calls, best.slack, error_of([p.seconds for p in points], left_out), tuple(left_out))


def unfitted(work: Work) -> Fit:
    """A way that costs no more than the calls it can't do without, and reaches the ceilings."""
    return Fit(work.calls / work.steps, 1.0)


def unfitted_error(points: Sequence[Measured]) -> float:
    """The error of that on everything measured: what to expect of it where nothing was, as on a GPU."""
    predicted = [unfitted(point.work).seconds(point.work, point.bound, point.call) for point in points]
    return error_of([point.seconds for point in points], predicted)


def error_of(measured: Sequence[float], predicted: Sequence[float]) -> float:
    """Root mean square of log(measured / predicted)."""
    return float(np.sqrt(np.mean(np.square(np.log(np.divide(measured, predicted))))))


def _solve(points: Sequence[Measured]) -> Fit:
    costs = np.array([[p.work.steps * p.call, p.bound.throughput] for p in points])
    relative = costs / np.array([[p.seconds] for p in points])
    scale = relative.max(axis=0)  # the columns differ by many orders of magnitude
    solution, _ = nnls(relative / scale, np.ones(len(points)))
    calls, slack = solution / scale
    return Fit(float(calls), float(slack))


def predict(fitted: Fit, work: Work, profile: Profile, device: str, threads: int) -> Ratio | None:
    """Seconds with their range; None where `profile` lacks a ceiling that `work` needs."""
    limit, call = bound(work, profile, device, threads), call_seconds(profile, device)
    return None if limit is None or call is None else fitted.range_of(fitted.seconds(work, limit, call))
