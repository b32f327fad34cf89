"""Runs of a fake workload, each in a real process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from compare.cell import Outcome, Run, Status
from compare.runner import death, execute


def run(cell, timeout=60.0, seed=1) -> Outcome:
    return execute(Run(cell, round=0, seed=seed), timeout)


def test_good_run_times_every_phase_apart(fake_cell):
    outcome = run(fake_cell("good", samples=3, options={"seconds": 0.01}))
    assert outcome.status is Status.OK, outcome
    assert list(outcome.phases) == ["import", "prepare", "compile", "steady", "quality"]
    assert len(outcome.samples) == 3 and min(outcome.samples) >= 0.01
    assert outcome.phases["steady"] == outcome.warm == sum(outcome.samples)
    assert outcome.warm < outcome.cold < outcome.seconds
    assert outcome.quality == {"loss": pytest.approx(1 / 3), "score": None}
    assert outcome.peak_bytes is not None and outcome.peak_bytes > 2**20


def test_worker_has_thread_limits_and_the_workloads_own_variables(fake_cell):
    facts = run(fake_cell("good", threads=3), seed=7).facts
    assert facts["seed"] == 7
    assert facts["environment"] == {
        "OMP_NUM_THREADS": "3",
        "OPENBLAS_NUM_THREADS": "3",
        "JAX_PLATFORMS": "cpu",
        "FAKE_BACKEND": "good",
    }


def test_a_file_in_the_current_folder_is_not_taken_for_a_module_of_its_name(fake_cell, tmp_path, monkeypatch):
    for name in ("compare", "json", "random"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('a file of the user')")
    monkeypatch.chdir(tmp_path)
    assert run(fake_cell("good")).status is Status.OK


@pytest.mark.parametrize(
    ("backend", "status", "reason"),
    [
        ("missing", Status.SKIPPED, "not installed: pip install missing"),
        ("raises", Status.FAILED, "ValueError: bad news"),
        ("segfaults", Status.FAILED, "killed by SIGSEGV"),
        ("exits", Status.FAILED, "exited with code 7: noise on standard output"),
        ("hoards", Status.FAILED, "out of memory: 8 TB"),
        ("diverges", Status.DIVERGED, "loss is nan"),
    ],
)
def test_bad_end_is_named_in_one_line(fake_cell, backend, status, reason):
    outcome = run(fake_cell(backend))
    assert (outcome.status, outcome.reason) == (status, reason)


def test_step_that_returns_before_its_device_has_finished_is_refused(fake_cell):
    outcome = run(fake_cell("returns_early"))
    assert outcome.status is Status.FAILED and outcome.samples == ()
    assert outcome.reason.startswith("returned before its device had finished: ")
    assert "so its times would be too short and don't count" in outcome.reason


def test_failure_keeps_what_the_worker_printed(fake_cell):
    assert "Traceback" in run(fake_cell("raises")).log


def test_timeout_ends_the_worker(fake_cell):
    cell = fake_cell("hangs")
    outcome = run(cell, timeout=5.0)
    assert (outcome.status, outcome.reason) == (Status.TIMEOUT, "still running after 5 s; raise --timeout")
    assert not psutil.pid_exists(int(Path(cell.files["pid"]).read_text()))


def ended(pid: int) -> bool:
    """Soon, or already; whether anybody has asked how doesn't matter."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False


def test_what_a_killed_worker_had_started_ends_too(fake_cell):
    cell = fake_cell("leaves_a_child")
    assert run(cell).reason == "killed by SIGKILL"
    assert ended(int(Path(cell.files["pid"]).read_text()))


def test_a_worker_whose_parent_is_killed_takes_along_what_it_has_started(fake_cell):
    cell = fake_cell("hangs_with_a_child")
    execute_run = "runner.execute(cell.Run.from_json(json.load(sys.stdin)), 60)"
    script = f"import json, sys; from compare import cell, runner; {execute_run}"
    parent = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE)
    assert parent.stdin is not None
    parent.stdin.write(json.dumps(Run(cell, 0, 1).to_json()).encode())
    parent.stdin.close()
    path, deadline = Path(cell.files["pid"]), time.monotonic() + 30
    while not (path.exists() and path.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    assert ended(int(path.read_text()))


def test_kernels_memory_kill_is_named():
    assert death(-9, "", out_of_memory=True) == "killed by SIGKILL: out of memory"
    assert death(-9, "", out_of_memory=False) == "killed by SIGKILL"


def test_a_signal_without_a_name_is_named_by_its_number():
    assert death(-35, "", out_of_memory=False) == "killed by signal 35"


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="peak of a parent is carried over on Linux")
def test_peak_memory_is_the_workers_own(fake_cell):
    ballast = bytearray(400 * 2**20)
    ballast[:: 2**12] = b"x" * len(ballast[:: 2**12])
    outcome = run(fake_cell("good"))
    assert outcome.peak_bytes is not None and outcome.peak_bytes < len(ballast)
