"""Called with the paths of RUN.json and OUTCOME.json: measure one run in this fresh process.

The outcome goes back by an atomically written file, so nothing that a library prints can spoil it, and a
crash leaves no file at all. Standard input is the parent's lifeline: when it closes, the parent is gone.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from compare.cell import Outcome, Run, Status
from compare.disturbance import Snapshot
from compare.files import write_json
from compare.workloads import Diverged, Skip, Trial, load

UNFINISHED_SHARE, UNFINISHED_SECONDS = 0.1, 0.001
"""Waiting for less than this, as a share of the step or in all, is the noise of reading back."""


def peak_resident_bytes() -> int:
    """The peak resident set of this process since it began.

    Linux's VmHWM, since `ru_maxrss` there starts from the parent's peak (the kernel carries it over exec).
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    if sys.platform == "win32":
        return int(psutil.Process().memory_info().peak_wset)
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in bytes on macOS


class Unfinished(Exception):
    """A step returned before its work was done, so its time says nothing."""


def sample(trial: Trial) -> float:
    """Seconds of one step, the device's work included.

    Raises
    ------
    Unfinished
        If reading the result back had to wait: then the device had still been at work when the step returned.
    """
    times = [time.perf_counter()]
    for action in (trial.step, trial.finish, trial.finish):
        action()
        times.append(time.perf_counter())
    step, first, again = (after - before for before, after in itertools.pairwise(times))
    left = first - again  # the second only reads, and waits for nothing
    if left > UNFINISHED_SHARE * step and left > UNFINISHED_SECONDS:
        raise Unfinished(
            f"returned before its device had finished: {left * 1e3:.3g} ms of work were left after a step of "
            f"{step * 1e3:.3g} ms, so its times would be too short and don't count; the backend's author can mend "
            "that: a step must wait for the device"
        )
    return step


def measure(run: Run) -> Outcome:
    """Take `run` through every phase. Whatever stops it becomes the outcome's status and reason."""
    cell = run.cell
    found: dict[str, Any] = {"load_before": psutil.getloadavg()[0], "phases": {}}

    def timed(phase: str, action: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        result = action()
        found["phases"][phase] = time.perf_counter() - began
        return result

    try:
        workload = load(cell.workload)
        if reason := workload.obstacle(cell):
            raise Skip(reason)
        trial = workload(cell, run.seed)
        timed("import", trial.load)
        timed("prepare", trial.prepare)
        timed("compile", trial.compile)
        trial.finish()  # the first reading back of all may have costs of its own
        before = Snapshot.take()
        found["samples"] = tuple(sample(trial) for _ in range(cell.samples))
        after = Snapshot.take()
        found["phases"]["steady"] = sum(found["samples"])
        found["cpu_seconds"] = after.own - before.own
        found["busy_elsewhere"] = after.busy_elsewhere(before)
        found["throttled"] = after.throttled(before)
        found["stopped"] = after.stopped(before)
        found["peak_bytes"] = peak_resident_bytes()
        quality = timed("quality", trial.quality)
        lost = [name for name, value in quality.items() if value is not None and not math.isfinite(value)]
        if lost:
            raise Diverged(", ".join(f"{name} is {quality[name]}" for name in lost))
        return Outcome(Status.OK, quality=quality, facts=trial.facts(), **found)
    except Skip as skip:
        return Outcome(Status.SKIPPED, str(skip), **found)
    except Diverged as divergence:
        return Outcome(Status.DIVERGED, str(divergence), **found)
    except Unfinished as unfinished:
        return Outcome(Status.FAILED, str(unfinished), **found)
    except MemoryError as error:
        return Outcome(Status.FAILED, f"out of memory: {error}".rstrip(": "), **found)
    except Exception as error:
        traceback.print_exc()
        return Outcome(Status.FAILED, " ".join(f"{type(error).__name__}: {error}".split()), **found)


def die_with_parent() -> None:
    """Takes along what this process has started: the parent gave it a process group of its own."""
    sys.stdin.buffer.read()
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def main() -> None:
    run_path, outcome_path = map(Path, sys.argv[1:])
    threading.Thread(target=die_with_parent, daemon=True).start()
    run = Run.from_json(json.loads(run_path.read_text(encoding="utf-8")))
    write_json(outcome_path, measure(run).to_json())
    # A library's threads or exit handlers must not turn a measured run into a hang or a crash.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
