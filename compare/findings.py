"""What a sweep has found: crossings, the model's prediction of them with its error, and of another machine's."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from compare.crossover import Course, Crossing, course, follow
from compare.prediction import LEAST_SHAPES, Fit, Measured, fit, predict, unfitted, unfitted_error
from compare.profile import Profile
from compare.results import Results
from compare.shape_sweep import GPU, Sweep
from compare.statistics import Ratio, median
from compare.work.quantities import Work
from compare.work.roofline import bound, call_seconds, lacking

GRID = 65
"""Shapes between the first and the last at which predictions are compared."""
Ways = dict[str, tuple[str, Callable[[Work], Fit]]]
"""By name: the device, and what some work costs there."""


@dataclass(frozen=True)
class Findings:
    """Of a sweep on this machine; predictions are empty without its profile."""

    course: Course
    points: Mapping[str, Mapping[int, Measured]]
    """By backend and value."""
    fits: Mapping[str, Fit]
    predicted: Sequence[Crossing]
    elsewhere: Elsewhere | None
    profile: Profile | None = None
    """Whose ceilings they go by."""

    def to_json(self) -> dict[str, Any]:
        """Seconds measured and predicted, shares of ceilings, crossings and fits."""
        return {
            "leaders": [{"value": value, "backend": backend} for value, backend in self.course.leaders.items()],
            "crossings": [asdict(each) for each in self.course.crossings],
            "gaps": [asdict(each) for each in self.course.gaps],
            "predicted_crossings": [asdict(each) for each in self.predicted],
            "fits": {backend: asdict(each) for backend, each in self.fits.items()},
            "points": [
                {
                    "backend": backend,
                    "value": value,
                    "seconds": point.seconds,
                    "ceilings": dict(point.bound.terms),
                    "binding": point.bound.binding,
                    "share_of_ceiling": point.of_ceiling,
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
    obstacle: str = ""
    """Why nothing can be predicted, in words; empty where something is."""
    first: str = ""
    crossings: Sequence[Crossing] = ()
    rows: Sequence[str] = ()


def of(sweep: Sweep, results: Results, profile: Profile | None, other: Profile | None) -> Findings:
    """What `results` of `sweep` come to. profile: this machine's; other: one to predict."""
    seconds = sweep.seconds(results)
    speeds = {
        float(value): {name: {round: 1 / s for round, s in series.items()} for name, series in rows.items()}
        for value, rows in seconds.items()
    }
    measured = course(speeds)
    if profile is None:
        return Findings(measured, {}, {}, [], None)
    points = measured_points(sweep, seconds, profile)
    fits = {backend: found for backend, at in points.items() if (found := fit(list(at.values())))}
    here: Ways = {
        name: (sweep.cell(name, sweep.values[0]).device, partial(_always, each)) for name, each in fits.items()
    }
    elsewhere = predicted_elsewhere(sweep, other, here, points) if other else None
    order = predicted_order(sweep, profile, here)[1] if here else []
    return Findings(measured, points, fits, order, elsewhere, profile)


def predicted_elsewhere(
    sweep: Sweep, other: Profile, here: Ways, points: Mapping[str, Mapping[int, Measured]]
) -> Elsewhere:
    """What is predicted of `other` from the fits of `here`, and of a GPU that it has; or why nothing can be."""
    if not here:
        return Elsewhere(other.name, f"no row has figures at {LEAST_SHAPES} shapes or more")
    error = unfitted_error([point for at in points.values() for point in at.values()])
    gpu: Ways = {GPU: ("gpu", lambda work: replace(unfitted(work), error=error))} if other.gpu else {}
    away, at = here | gpu, sweep.values[0]
    first, crossings = predicted_order(sweep, other, away)
    if first:
        return Elsewhere(other.name, "", first, crossings, list(away))
    works = [(device, work) for name, (device, _) in away.items() if (work := sweep.work(name, at))]
    missing = {
        f"{term} on the {device}": None
        for device, work in works
        for term in lacking(work, other, device, sweep.threads(at))
    }
    lacks = f"its profile lacks a ceiling of {', '.join(missing)}"
    return Elsewhere(other.name, f"{lacks}; `compare machine` there says why")


def _always(numbers: Fit, work: Work) -> Fit:
    return numbers


def measured_points(
    sweep: Sweep, seconds: Mapping[int, Mapping[str, Mapping[int, float]]], profile: Profile
) -> dict[str, dict[int, Measured]]:
    """What was measured beside what the ceilings allow; without the rows that `profile` lacks a ceiling for."""
    found: dict[str, dict[int, Measured]] = {backend: {} for backend in sweep.backends}
    for value, rows in seconds.items():
        for backend, series in rows.items():
            work = sweep.work(backend, value)
            device = sweep.cell(backend, value).device
            limit = bound(work, profile, device, sweep.threads(value)) if work else None
            call = call_seconds(profile, device)
            if work and limit and call:
                found[backend][value] = Measured(work, limit, call, median(list(series.values())))
    return {backend: at for backend, at in found.items() if at}


def predicted_order(sweep: Sweep, profile: Profile, ways: Ways) -> tuple[str, Sequence[Crossing]]:
    """Who leads at the first value on the machine of `profile`, and where that changes."""
    grid = np.unique(np.rint(np.geomspace(min(sweep.values), max(sweep.values), GRID))).astype(int).tolist()
    seconds: dict[float, dict[str, Ratio]] = {value: {} for value in grid}
    for value, rows in seconds.items():
        threads = int(value) if sweep.axis == "workers" else min(sweep.threads(sweep.values[0]), profile.threads)
        for name, (device, numbers) in ways.items():
            work = sweep.work(name, int(value))
            if work and (predicted := predict(numbers(work), work, profile, device, threads)):
                rows[name] = predicted
    leaders = {value: min(rows, key=lambda name: rows[name].estimate) for value, rows in seconds.items() if rows}

    def contest(ours: str, theirs: str, value: float) -> Ratio:
        a, b = seconds[value][ours], seconds[value][theirs]
        margin = math.exp(math.hypot(*(math.log((each.high or math.inf) / each.estimate) for each in (a, b))))
        ratio = b.estimate / a.estimate
        return Ratio(ratio, ratio / margin, ratio * margin)

    order = follow(leaders, {value: set(rows) for value, rows in seconds.items()}, contest)
    return next(iter(leaders.values()), ""), order.crossings
