"""Carry out one run in a process of its own, and say how it ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from compare.cell import Outcome, Run, Status
from compare.environment import worker_command, worker_environment
from compare.files import write_json
from compare.machine import oom_kills
from compare.workloads import load

LOG_TAIL = 4000


def execute(run: Run, timeout: float) -> Outcome:
    """Measure `run` within `timeout` seconds. Whatever is raised here, Ctrl-C too, kills the worker first."""
    cell = run.cell
    environment = worker_environment(cell.threads, cell.device, load(cell.workload).environment(cell))
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        run_path, outcome_path, log_path = (Path(folder, name) for name in ("run", "outcome", "log"))
        write_json(run_path, run.to_json())
        kills_before = oom_kills()
        began = time.perf_counter()
        with open(log_path, "wb") as log:
            worker = subprocess.Popen(
                worker_command("compare.worker", str(run_path), str(outcome_path)),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
            )
        try:
            worker.wait(timeout)
        except subprocess.TimeoutExpired:
            return Outcome(Status.TIMEOUT, f"still running after {timeout:g} s; raise --timeout", seconds=timeout)
        finally:
            kill(worker)
        seconds = time.perf_counter() - began
        log_tail = log_path.read_text(encoding="utf-8", errors="replace").strip()[-LOG_TAIL:]
        if outcome_path.exists():
            outcome = Outcome.from_json(json.loads(outcome_path.read_text(encoding="utf-8")))
        else:
            reason = death(worker.returncode, log_tail, out_of_memory=oom_kills() != kills_before)
            outcome = Outcome(Status.FAILED, reason)
        return replace(outcome, seconds=seconds, log=log_tail if outcome.status is Status.FAILED else "")


def kill(worker: subprocess.Popen[bytes]) -> None:
    """End the worker and whatever it has started, which may live on where the worker itself has ended."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):  # nothing is left; macOS: but processes that have ended
            os.killpg(worker.pid, signal.SIGKILL)
    else:
        worker.kill()
    worker.wait()
    if worker.stdin:
        worker.stdin.close()


def death(returncode: int, log: str, out_of_memory: bool) -> str:
    """Why a worker ended without an outcome, in one line."""
    if returncode < 0:
        names = {each.value: each.name for each in signal.Signals}  # most real-time signals have none
        name = names.get(-returncode, f"signal {-returncode}")
        return f"killed by {name}" + (": out of memory" if out_of_memory else "")
    return f"exited with code {returncode}" + (f": {log.splitlines()[-1]}" if log else "")
