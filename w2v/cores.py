"""How many cores there are to train on."""

from __future__ import annotations

import math
import os
from pathlib import Path

CPU_LIMIT = Path("/sys/fs/cgroup/cpu.max")


def affinity() -> set[int]:
    """The cores that this process may run on; all of them where the system can't tell."""
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))


def usable_cores() -> int:
    """Cores that this process may keep busy: those that affinity and the control group leave it."""
    cores = len(affinity())
    try:
        quota, period = CPU_LIMIT.read_text(encoding="ascii").split()
    except OSError:
        return cores
    return cores if quota == "max" else max(1, min(cores, math.ceil(int(quota) / int(period))))
