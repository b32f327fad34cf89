"""What a program asks of CUDA, and when its device is at work: recorded by CUPTI, CUDA's profiling interface."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from typing import Any

BUFFER_BYTES = 8 * 2**20
NANOSECOND = 1e-9


@dataclass
class Activity:
    """Of a stretch of time. Calls that a call makes itself are part of it."""

    seconds: float = 0.0
    kernels: int = 0
    kernel_seconds: float = 0.0
    """In which at least one kernel ran."""
    copies: int = 0
    """Between host and device."""
    copied_bytes: int = 0
    copy_seconds: float = 0.0
    calls: dict[str, tuple[int, float]] = field(default_factory=dict)
    """How often each function of CUDA was called, and the seconds in it, all calls together."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def unavailable() -> str | None:
    """Why nothing can be recorded, in one line with the cure; None when it can. Imports nothing."""
    if find_spec("cupti") is None:
        return "CUPTI's Python interface not installed: pip install cupti-python, of the driver's CUDA version"
    return None


@contextmanager
def recorded() -> Iterator[Activity]:
    """What goes on in the block, which must wait for its device itself; filled in when it ends."""
    from cupti import cupti

    kinds = cupti.ActivityKind
    wanted = kinds.CONCURRENT_KERNEL, kinds.MEMCPY, kinds.RUNTIME, kinds.DRIVER
    records: list[Any] = []
    found = Activity()
    cupti.activity_register_callbacks(lambda: (BUFFER_BYTES, 0), records.extend)
    for kind in wanted:
        cupti.activity_enable(kind)
    began = time.perf_counter()
    try:
        yield found
        found.seconds = time.perf_counter() - began
        cupti.activity_flush_all(1)
    finally:
        for kind in wanted:
            cupti.activity_disable(kind)
    summarize(records, cupti, found)


def summarize(records: Iterable[Any], cupti: Any, found: Activity) -> None:
    """Add CUPTI's records up."""
    kinds, copies = cupti.ActivityKind, cupti.ActivityMemcpyKind
    kernels: list[tuple[int, int]] = []
    calls: dict[int, list[tuple[int, int, str]]] = {}
    for record in records:
        if record.kind == kinds.CONCURRENT_KERNEL:
            kernels.append((record.start, record.end))
        elif record.kind == kinds.MEMCPY and record.copy_kind in (copies.HTOD, copies.DTOH):
            found.copies += 1
            found.copied_bytes += record.bytes
            found.copy_seconds += (record.end - record.start) * NANOSECOND
        elif record.kind in (kinds.RUNTIME, kinds.DRIVER):
            domains = cupti.CallbackDomain
            domain = domains.RUNTIME_API if record.kind == kinds.RUNTIME else domains.DRIVER_API
            name = cupti.get_callback_name(domain, record.cbid)
            calls.setdefault(record.thread_id, []).append((record.start, -record.end, name))
    found.kernels = len(kernels)
    found.kernel_seconds = covered(kernels) * NANOSECOND
    for of_thread in calls.values():
        outer_end = 0
        for start, negative_end, name in sorted(of_thread):
            if -negative_end > outer_end:  # else the one before has made it
                outer_end = -negative_end
                count, seconds = found.calls.get(name, (0, 0.0))
                found.calls[name] = count + 1, seconds + (outer_end - start) * NANOSECOND


def covered(spans: Iterable[tuple[int, int]]) -> int:
    """How much of the line is in at least one span."""
    total = reached = 0
    for start, end in sorted(spans):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
