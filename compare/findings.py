"""What a sweep has found: crossings, the model's prediction of them with its error, and of another machine's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from compare.crossover import Crossing, crossings, find
from compare.prediction import Fit, Measured, call_seconds, error_of, fit, predict, unfitted
from compare.profile import Profile
from compare.results import Results
from compare.shape_sweep import GPU, Sweep
from compare.statistics import Ratio, median
from compare.work.roofline import bound

GRID = 65
"""Shapes between the first and the last at which predictions are compared."""


@dataclass(frozen=True)
class Findings:
    """Of a sweep on this machine; predictions are empty without its profile."""

    crossings: list[Crossing]
    points: Mapping[str, Mapping[int, Measured]]
    """By backend and value."""
    fits: Mapping[str, Fit]
    predicted: list[Crossing]
    elsewhere: Elsewhere | None

    def to_json(self) -> dict[str, Any]:
        """Seconds measured and predicted, shares of ceilings, crossings and fits."""
        return {
            "crossings": [asdict(each) for each in self.crossings],
            "predicted_crossings": [asdict(each) for each in self.predicted],
            "fits": {backend: asdict(each) for backend, each in self.fits.items()},
            "points": [
                {
                    "backend": backend,
                    "value": value,
                    "seconds": point.seconds,
                    "ceilings": dict(point.bound.terms),
                    "binding": point.bound.binding,
                    "share_of_ceiling": point.bound.seconds / point.seconds,
                }
                for backend, at in self.points.items()
                for value, point in at.items()
            ],
            "elsewhere": asdict(self.elsewhere) if self.elsewhere else None,
        }


@dataclass(frozen=True)
class Elsewhere:
    """What is predicted of another machine: who leads at the first shape, and the crossings from there."""

    profile: str
    first: str
    crossings: list[Crossing]
    rows: list[str]


def of(sweep: Sweep, results: Results, profile: Profile | None, other: Profile | None) -> Findings:
    seconds = sweep.seconds(results)
    speeds = {
        float(value): {name: {round: 1 / s for round, s in series.items()} for name, series in rows.items()}
        for value, rows in seconds.items()
    }
    measured = crossings(speeds)
    if profile is None:
        return Findings(measured, {}, {}, [], None)
    points = measured_points(sweep, seconds, profile)
    fits = {backend: found for backend, at in points.items() if (found := fit(list(at.values())))}
    here = {backend: (sweep.cell(backend, sweep.values[0]).device, each) for backend, each in fits.items()}
    elsewhere = None
    if other and fits:
        away = here | ({GPU: ("gpu", generic(points))} if other.gpu else {})
        elsewhere = Elsewhere(other.name, *predicted_order(sweep, other, away), list(away))
    return Findings(measured, points, fits, predicted_order(sweep, profile, here)[1] if here else [], elsewhere)


def measured_points(
    sweep: Sweep, seconds: Mapping[int, Mapping[str, Mapping[int, float]]], profile: Profile
) -> dict[str, dict[int, Measured]]:
    """What was measured beside what the ceilings allow; without the rows that `profile` lacks a ceiling for."""
    found: dict[str, dict[int, Measured]] = {backend: {} for backend in sweep.backends}
    for value, rows in seconds.items():
        for backend, series in rows.items():
            work = sweep.work(backend, value)
            device = sweep.cell(backend, value).device
            limit, call = bound(work, profile, device, sweep.threads(value)), call_seconds(profile, device)
            if limit and call:
                found[backend][value] = Measured(work, limit, call, median(list(series.values())))
    return {backend: at for backend, at in found.items() if at}


def generic(points: Mapping[str, Mapping[int, Measured]]) -> Fit:
    """The unfitted model, with the error that it makes on all that was measured here."""
    every = [point for at in points.values() for point in at.values()]
    predicted = [unfitted(point.work).seconds(point.work, point.bound, point.call) for point in every]
    return Fit(math.nan, 1.0, error_of([point.seconds for point in every], predicted))


def predicted_order(sweep: Sweep, profile: Profile, fits: Mapping[str, tuple[str, Fit]]) -> tuple[str, list[Crossing]]:
    """Who leads at the first value on the machine of `profile`, and where that changes.

    fits: device and numbers of each row, by name.
    """
    grid = np.unique(np.rint(np.geomspace(min(sweep.values), max(sweep.values), GRID))).astype(int).tolist()
    seconds: dict[float, dict[str, Ratio]] = {}
    for value in grid:
        seconds[value] = {}
        for name, (device, numbers) in fits.items():
            work = sweep.work(name, value)
            threads = value if sweep.axis == "workers" else min(sweep.threads(sweep.values[0]), profile.threads)
            chosen = Fit(unfitted(work).calls, 1.0, numbers.error) if math.isnan(numbers.calls) else numbers
            if ratio := predict(chosen, work, profile, device, threads):
                seconds[value][name] = ratio
    leaders = {value: min(rows, key=lambda name: rows[name].estimate) for value, rows in seconds.items() if rows}

    def contest(ours: str, theirs: str, value: float) -> Ratio:
        error = math.hypot(fits[ours][1].error, fits[theirs][1].error)
        ratio = seconds[value][theirs].estimate / seconds[value][ours].estimate
        return Ratio(ratio, ratio * math.exp(-2 * error), ratio * math.exp(2 * error))

    order = find(leaders, {value: set(rows) for value, rows in seconds.items()}, contest)
    return next(iter(leaders.values()), ""), order
