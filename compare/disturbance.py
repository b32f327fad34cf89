"""What disturbed a run while it was timed: other work on its cores, slowing down from heat, a used-up CPU quota."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from compare import machine
from w2v.cores import affinity, usable_cores

THROTTLE_COUNTS = "cpu[0-9]*/thermal_throttle/*_throttle_count"
BUSY = 0.1
"""Share of the cores that may be taken by others before it is worth a word."""
SHORTEST = 0.2
"""Seconds. The kernel counts a core's time in ticks of 10 ms, so less than this says nothing."""


@dataclass(frozen=True)
class Snapshot:
    """The clocks and counters of one moment."""

    wall: float
    own: float
    """CPU seconds of this process and of those that it started, all threads together."""
    busy: float | None
    """Seconds that the cores this process may use were busy, or taken by other guests of the host.

    None under a CPU quota, which leaves it a part of them: what others do with the rest doesn't disturb it.
    """
    throttles: int | None
    stops: int | None = None
    """By the CPU quota."""

    @classmethod
    def take(cls, root: Path = Path("/sys/devices/system/cpu")) -> Snapshot:
        counters = list(root.glob(THROTTLE_COUNTS))
        throttles = sum(int(counter.read_text()) for counter in counters) if counters else None
        return cls(time.perf_counter(), own_seconds(), busy_seconds(), throttles, machine.quota_stops())

    def busy_elsewhere(self, since: Snapshot) -> float | None:
        """Cores that others took on average since then; None when it was too short to tell, or under a CPU quota."""
        wall = self.wall - since.wall
        if wall < SHORTEST or self.busy is None or since.busy is None:
            return None
        return max(0.0, (self.busy - since.busy) - (self.own - since.own)) / wall

    def other_work(self, since: Snapshot) -> str:
        """`other work took 0.9 of 2 cores`; empty where it took no more than BUSY of them, as far as one can tell."""
        cores, taken = usable_cores(), self.busy_elsewhere(since) or 0.0
        return f"other work took {taken:.1f} of {cores} cores" if taken > BUSY * cores else ""

    def throttled(self, since: Snapshot) -> bool | None:
        if self.throttles is None or since.throttles is None:
            return None
        return self.throttles > since.throttles

    def stopped(self, since: Snapshot) -> bool | None:
        """Whether the CPU quota was used up meanwhile."""
        if self.stops is None or since.stops is None:
            return None
        return self.stops > since.stops


def own_seconds() -> float:
    ended = os.times()
    seconds = time.process_time() + ended.children_user + ended.children_system
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            seconds += sum(child.cpu_times()[:2])
    return seconds


def busy_seconds() -> float | None:
    usable, cores = affinity(), psutil.cpu_times(percpu=True)
    if usable_cores() < len(usable):
        return None
    return sum(
        sum(cores[core]) - cores[core].idle - getattr(cores[core], "iowait", 0.0) - guest_seconds(cores[core])
        for core in usable
        if core < len(cores)
    )


def guest_seconds(core: object) -> float:
    """Linux counts guests' time in user and nice as well."""
    return float(getattr(core, "guest", 0.0) + getattr(core, "guest_nice", 0.0))
