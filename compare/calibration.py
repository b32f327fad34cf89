"""How the backends of this package measured up to the work model: what predictions for unmeasured shapes rest on.

`calibration.json` is made by `benchmarks/calibrate.py` from result files in the repository.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compare import gates, work
from compare.prediction import Fit, Measured, fit, unfitted_error
from compare.profile import Profile
from compare.results import Results
from compare.statistics import median
from compare.work.roofline import bound, call_seconds

FILE = Path(__file__).with_name("calibration.json")


@dataclass(frozen=True)
class Calibration:
    """Of one workload, on one machine."""

    machine: str
    fits: Mapping[str, Fit]
    """By backend."""
    unfitted_error: float

    def to_json(self) -> dict[str, Any]:
        fits = {name: {"calls": f.calls, "slack": f.slack, "error": f.error} for name, f in self.fits.items()}
        return {"machine": self.machine, "unfitted_error": self.unfitted_error, "fits": fits}


def load() -> dict[str, Calibration]:
    """By workload, as it ships."""
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        workload: Calibration(
            values["machine"], {name: Fit(**f) for name, f in values["fits"].items()}, values["unfitted_error"]
        )
        for workload, values in stored.items()
    }


def calibrate(results: Iterable[Results], profile: Profile) -> dict[str, Calibration]:
    """From everything in `results`, all measured on the machine of `profile`, that may win and has a work model.

    Of networks only what was trained on images without blank pixels: a shape alone doesn't say that there are some to
    be skipped.
    """
    points: dict[str, dict[str, list[Measured]]] = {}
    call = call_seconds(profile, "cpu")
    assert call is not None
    for each in results:
        barred = gates.barred(each)
        for cell in each.plan.cells:
            unfit = cell.key in barred or (cell.workload == "mnist" and not cell.options.get("dense"))
            ok = [] if unfit else list(each.ok(cell).values())
            todo = work.of_cell(cell, ok[0].facts) if ok else None
            limit = bound(todo, profile, cell.device, cell.threads) if todo else None
            if todo and limit:
                seconds = median(list(each.sample_seconds(cell).values()))
                point = Measured(todo, limit, call, seconds)
                points.setdefault(cell.workload, {}).setdefault(cell.backend, []).append(point)
    return {workload: _of_points(profile.name, by_backend) for workload, by_backend in points.items()}


def _of_points(machine: str, points: Mapping[str, list[Measured]]) -> Calibration:
    every = [point for each in points.values() for point in each]
    fits = {backend: found for backend, each in points.items() if (found := fit(each))}
    return Calibration(machine, fits, unfitted_error(every))
