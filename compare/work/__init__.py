"""The work model: what training must do at the least, and how fast a machine can do it at most.

A model, not a count: its quantities follow from shapes by the formulas in `mnist.py` and `w2v.py`, its speeds from a
machine's measured ceilings (`compare.profile`). Everything a backend does beyond, it could in principle do without;
so the share of the ceiling says how much faster a better program might be, and the binding term what would stop it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compare.cell import Cell
from compare.profile import Profile
from compare.results import Results
from compare.statistics import median
from compare.work import mnist, w2v
from compare.work.quantities import Work
from compare.work.roofline import Bound, bound

MODELS = {"mnist": mnist.of_cell, "w2v": w2v.of_cell}


@dataclass(frozen=True)
class Share:
    """How near a measured cell comes to the ceiling that binds it."""

    bound: Bound
    of_ceiling: float
    """1 is as fast as the model says that this machine could be. More: the model is wrong there, and says so."""


def of_cell(cell: Cell, facts: Mapping[str, Any]) -> Work | None:
    """The work of one steady sample of `cell`, with what its run found (`Outcome.facts`); None without a model."""
    model = MODELS.get(cell.workload)
    return model(cell, facts) if model else None


def share_of_ceiling(results: Results, cell: Cell, profile: Profile) -> Share | None:
    """Of the median steady sample. None without one or a model, or where `profile` lacks a ceiling that it needs."""
    seconds, ok = list(results.sample_seconds(cell).values()), list(results.ok(cell).values())
    work = of_cell(cell, ok[0].facts) if seconds else None
    limit = bound(work, profile, cell.device, cell.threads) if work else None
    return Share(limit, limit.seconds / median(seconds)) if limit else None
