"""Whether a row trained the same network as everybody: the gate that a winner of `compare mnist` must pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compare import threads
from compare.cell import REFERENCE, Cell, Outcome
from compare.results import Results
from compare.statistics import median
from mnist.backends import BACKENDS

STEP_TOLERANCE = 0.01
"""Of a step's loss, or of 1 where it is smaller. Rounding alone makes 1e-5, until a ReLU's input rounds to the other
side of zero, as it did once in 24 trainings: that moved a loss by 0.006."""
ACCURACY_TOLERANCE = 0.003
"""Of the test accuracy after as many epochs."""

Outcomes = Mapping[int, Outcome]
"""By round."""


def objections(results: Results, cells: Sequence[Cell]) -> dict[str, str]:
    """Why rows can't win, by key; cells: of one shape, measured."""
    expected = reference(results, cells[0])
    found = {cell.key: objection(cell, results.ok(cell), expected) for cell in cells}
    return {key: reason for key, reason in found.items() if reason}


def reference(results: Results, cell: Cell) -> Outcomes:
    """The training in float64 that `cell` is judged by; empty where there is none."""
    every = [each for each in results.plan.cells if each.backend == REFERENCE]
    alike = (each for each in every if (each.shape, each.options) == (cell.shape, cell.options))
    return next(map(results.ok, alike), {})


def step_difference(ours: Outcomes, reference: Outcomes) -> float | None:
    """The largest of a first step's loss, of all rounds, relative to it or to 1; None if nothing compares."""
    differences = [
        abs(mine - theirs) / max(1.0, theirs)
        for round in ours.keys() & reference.keys()
        for mine, theirs in zip(*(each[round].facts["step_losses"] for each in (ours, reference)), strict=True)
    ]
    return max(differences, default=None)


def accuracy_difference(ours: Outcomes, reference: Outcomes) -> float | None:
    """The median over rounds; None if nothing compares: other epochs, or figures missing."""
    differences = [
        mine - theirs
        for round in ours.keys() & reference.keys()
        if len(ours[round].samples) == len(reference[round].samples)
        and (mine := ours[round].quality["accuracy"]) is not None
        and (theirs := reference[round].quality["accuracy"]) is not None
    ]
    return median(differences) if differences else None


def objection(cell: Cell, ours: Outcomes, reference: Outcomes) -> str | None:
    """Why the row of `cell` can't win, in words; None when it may. reference: the same training in float64."""
    if cell.backend in BACKENDS and (precision := BACKENDS[cell.backend].precision):
        return f"its products are {precision}, so it stands by itself"
    steps, accuracy = step_difference(ours, reference), accuracy_difference(ours, reference)
    if steps is None:
        return "there is no float64 reference to check its losses"
    if not steps <= STEP_TOLERANCE:
        return f"the loss of one of its first steps is {steps:.2g} off the float64 reference's"
    if accuracy is not None and abs(accuracy) > ACCURACY_TOLERANCE:
        return f"its test accuracy is {100 * accuracy:+.2f} points off the float64 reference's"
    beyond = [reason for outcome in ours.values() if (reason := threads.excess(cell, outcome))]
    return beyond[0] if beyond else None
