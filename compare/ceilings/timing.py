"""How long the shortest of several calls takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Action = Callable[[], Any]


@dataclass(frozen=True)
class Effort:
    """How much time a ceiling is given, and how large its tables are."""

    samples: int = 5
    seconds: float = 0.02
    """That a sample lasts at least."""
    matrix: int = 2048
    """Rows and columns of the matrices of sgemm."""
    memory_bytes: int = 512 * 2**20
    """Of a table or an array that is to lie in main memory; more where caches are large."""


FULL = Effort()
QUICK = Effort(samples=1, seconds=0.001, matrix=128, memory_bytes=2**24)


def seconds_per_call(action: Action, effort: Effort) -> tuple[float, ...]:
    """One figure a sample: the mean of as many calls as last `effort.seconds`. A first call is not counted."""
    return seconds_per_repeat(lambda calls: repeat(action, calls), effort)


def seconds_per_repeat(run: Callable[[int], Any], effort: Effort) -> tuple[float, ...]:
    """The same of `run(n)`, which does something n times."""

    def time_of(times: int) -> float:
        began = time.perf_counter()
        run(times)
        return time.perf_counter() - began

    run(1)
    times = 1
    while (elapsed := time_of(times)) < effort.seconds:
        times = max(2 * times, int(times * effort.seconds / max(elapsed, 1e-9)))
    return (elapsed / times, *(time_of(times) / times for _ in range(effort.samples - 1)))


def repeat(action: Action, times: int) -> None:
    for _ in range(times):
        action()
