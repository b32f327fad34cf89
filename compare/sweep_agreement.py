"""Whether a method trained each configuration as most methods did: the gate that a winner of `compare sweep` passes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from compare.cell import Cell, Outcome
from compare.report.terminal import enumeration
from compare.results import Results
from compare.statistics import median
from mnist.data import TEST
from mnist.sweep import Configuration, Finish

LOSS_TOLERANCE = 0.01
"""How far a configuration's final loss may be off the median of all methods, whatever its accuracy. Up to a learning
rate of 0.3 rounding makes less than 0.001; at 1 it grows from step to step, and NumPy is 0.002 off itself with another
number of threads, JAX 0.01 off native."""
CHANCE = 3.0
"""Standard errors by which the test accuracy may be off where the loss is: trainings that only rounding drove apart
are as good as each other, and tell as many test images right but for chance."""

Finishes = Sequence[Finish]
"""Of each configuration."""


def objections(results: Results, cells: Sequence[Cell]) -> dict[str, str]:
    """Why methods can't win, by key: configurations that ended elsewhere than by most of the methods `cells`."""
    found = {cell.key: finishes(results.ok(cell)) for cell in cells}
    expected = [middle(ends) for ends in zip(*found.values(), strict=True)]
    reasons: dict[str, str] = {}
    for key, ends in found.items():
        apart = [
            name(configuration)
            for configuration, mine, most in zip(configurations(cells[0]), ends, expected, strict=True)
            if elsewhere(mine, most)
        ]
        if apart:
            reasons[key] = f"it ended elsewhere than most methods with {enumeration(apart)}"
    return reasons


def configurations(cell: Cell) -> list[Configuration]:
    return [Configuration(*values) for values in cell.options["configurations"]]


def name(configuration: Configuration) -> str:
    return f"learning rate {configuration.learning_rate:g}, batch {configuration.batch_size}, seed {configuration.seed}"


def finishes(outcomes: Mapping[int, Outcome]) -> list[Finish]:
    """Of each configuration, in the first round."""
    first = outcomes[min(outcomes)]
    return [Finish(*(each or (float("nan"), float("nan")))) for each in first.facts["finishes"]]


def middle(ends: Finishes) -> Finish:
    """The median loss and accuracy of one configuration by all methods; diverged where most diverged."""
    finite = [end for end in ends if not end.diverged]
    if 2 * len(finite) < len(ends):
        return next(end for end in ends if end.diverged)
    return Finish(median([end.loss for end in finite]), median([end.accuracy for end in finite]))


def elsewhere(end: Finish, most: Finish) -> bool:
    """Whether something other than rounding sets `end` apart."""
    if end.diverged or most.diverged:
        return end.diverged != most.diverged
    chance = math.sqrt(2 * most.accuracy * (1 - most.accuracy) / TEST)
    loss_apart = abs(end.loss - most.loss) > LOSS_TOLERANCE * most.loss
    return loss_apart and abs(end.accuracy - most.accuracy) > CHANCE * chance
