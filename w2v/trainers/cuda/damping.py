"""How much of what warps learn at once, from copies that don't see each other's changes, is added to a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from w2v.trainers import Task
from w2v.trainers.traffic import traffic

SKIP_GRAM_CURVATURE, CBOW_CURVATURE = 0.2, 0.03
"""How far an example takes a row towards where it comes to rest, at a rate of 1: less for one context of several.

Chosen in lockstep simulations of 128 to 2,000 warps (see docs/gpu.md), never on a device.
"""


class Damping:
    """Keeps each row's examples on the device, to make factors of them there.

    to_device: copies a NumPy array to the device.
    """

    def __init__(self, task: Task, to_device: Callable[[Any], Any]) -> None:
        params = task.params
        syn0, syn1neg, syn1 = traffic(params, task.corpus.vocabulary)
        self._curvature = SKIP_GRAM_CURVATURE if params.sg else CBOW_CURVATURE
        # A warp keeps its copy of an input row for a whole ring of words, that of an output row for one.
        in_ring = (2 * params.window + 1) * syn0
        by_node = None if syn1 is None else syn1[::-1].copy()  # the root is the last node
        self._met = [None if rows is None else to_device(rows) for rows in (in_ring, syn1neg, by_node)]

    def factors(self, alpha: float, warps: int) -> list[Any]:
        """For the rows of syn0, syn1neg and syn1, float32; None without the table. 1 for a single warp."""
        rate = self._curvature * float(alpha)  # a NumPy scalar would make them float64
        return [None if met is None else damping(rate * met, warps) for met in self._met]


def damping(way: Any, learners: int) -> Any:
    """What to multiply the changes of each row by, where so many learn at once without seeing each other's.

    Where a row nears its place by 1 - exp(-way) in the words of one learner, it does so by 1 - exp(-learners * way)
    in those of all. So much of their changes is added up: all where a row hardly moves, their mean where each goes all
    the way. Hogwild's threads, few that meet often, add up as much as never overshoots (see hogwild/tables.hpp).

    way: the learning rate times a row's examples in one learner's words, times how far an example takes it at a rate
    of 1. An array of NumPy or CuPy, as is what comes back: of the same shape, between 0 and 1, 1 for a single learner.
    """
    way = np.maximum(way, 1e-12)  # a row that nobody meets divides nothing by nothing
    return np.expm1(-learners * way) / (learners * np.expm1(-way))
