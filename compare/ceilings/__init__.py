"""This machine's ceilings: the best that its processor, memory and GPU do at what training is made of."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial
from itertools import chain

from compare import machine
from compare.ceilings import cpu, gpu
from compare.ceilings.timing import Effort
from compare.disturbance import Snapshot
from compare.profile import CACHE_LEVELS, MEMORY, Ceiling, Profile
from w2v.cores import usable_cores

Probe = Callable[[Effort], list[Ceiling]]


PASSES = 2
"""Over all probes, so that something else that runs for some seconds can't lower a ceiling."""


def measure(effort: Effort, name: str, watch: Callable[[str, int, int], None]) -> Profile:
    """The profile of this machine; `watch` is told what is measured next, how many are done, and how many there are."""
    todo, began = list(probes().items()), Snapshot.take()
    found: list[list[Ceiling]] = []
    for done, (label, probe) in enumerate(todo * PASSES):
        watch(label, done, len(todo) * PASSES)
        found.append(probe(effort))
    first, second = (chain(*half) for half in (found[: len(todo)], found[len(todo) :]))
    ceilings = [one.with_samples_of(again) for one, again in zip(first, second, strict=True)]
    disturbed = Snapshot.take().other_work(began)
    device = {} if (reason := gpu.unavailable()) else gpu.describe()
    if reason:
        ceilings.append(Ceiling("ceilings", "", None, "gpu", reason=reason))
    return Profile(name, machine.describe(), tuple(ceilings), date.today().isoformat(), device, disturbed)


def probes() -> dict[str, Probe]:
    """What is measured, in order, by the words that a progress bar shows."""
    found: dict[str, Probe] = {"a call": cpu.call, "a thread's start": cpu.thread_start}
    for threads in sorted({1, usable_cores()}):
        found |= {
            f"sgemm, threads: {threads}": partial(cpu.sgemm, threads),
            f"bfloat16, threads: {threads}": partial(cpu.bfloat16, threads),
            f"copy and triad, threads: {threads}": partial(cpu.streams, threads),
            **{
                f"rows in {level}, threads: {threads}": partial(cpu.rows, level, threads)
                for level in (*CACHE_LEVELS, MEMORY)
            },
        }
    return found if gpu.unavailable() else found | gpu.probes()
