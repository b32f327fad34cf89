"""Whole plans carried out by a command, in a real process that can be interrupted and run out of disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

DRIVER = """
import json, sys
from pathlib import Path
from compare.cell import Cell
from compare.conduct import conduct
from compare.plan import Plan

cells = [Cell("fake_workload", **fields) for fields in json.loads(sys.argv[1])]
rounds, timeout, seed, out = int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5])

def show(results):
    ends = [f"{run.cell.backend}={outcome.status.value}" for run, outcome in results.finished]
    print("shown:", *sorted(ends))

{prelude}
if __name__ == "__main__":
    conduct(Plan(cells, rounds, seed), timeout, out, show)
"""


def start(
    cells: list[dict], out: Path, rounds: int = 1, timeout: float = 60, seed: int = 1, prelude: str = ""
) -> subprocess.Popen[str]:
    script = DRIVER.replace("{prelude}", prelude)
    arguments = [json.dumps(cells), str(rounds), str(timeout), str(seed), str(out)]
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def statuses(out: Path) -> dict[str, list[str]]:
    cells = json.loads(out.read_text())["cells"]
    return {cell["backend"]: [run["status"] for run in cell["runs"]] for cell in cells}


def wait_until(true, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_all_well_is_exit_code_0_and_says_nothing_on_standard_error(tmp_path):
    out = tmp_path / "result.json"
    process = start([{"backend": "good"}, {"backend": "missing"}], out)
    assert process.communicate() == ("shown: good=ok missing=skipped\n", "")
    assert process.returncode == 0
    assert statuses(out) == {"good": ["ok"], "missing": ["skipped"]}


def test_crash_and_timeout_have_their_rows_and_the_others_finish(tmp_path):
    out, pid = tmp_path / "result.json", tmp_path / "pid"
    bad = [{"backend": "segfaults"}, {"backend": "hangs", "files": {"pid": str(pid)}}]
    process = start([*bad, {"backend": "good"}], out, rounds=2, timeout=6)
    process.communicate()
    assert process.returncode == 1
    assert statuses(out) == {"segfaults": ["failed"] * 2, "hangs": ["timeout"] * 2, "good": ["ok"] * 2}


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_keeps_and_shows_what_has_finished_and_ends_the_worker(tmp_path, stop):
    out, pid = tmp_path / "result.json", tmp_path / "pid"
    hangs = {"backend": "hangs", "files": {"pid": str(pid)}}
    process = start([{"backend": "good"}, hangs], out, rounds=2, seed=1, timeout=600)
    wait_until(lambda: pid.exists() and pid.read_text())
    done = statuses(out)
    process.send_signal(stop)
    output, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert done == statuses(out) == {"good": ["ok"], "hangs": []}
    assert output == "shown: good=ok\n"
    assert error == f"Interrupted. 1 of 4 runs finished, 1 kept in {out}.\n"
    assert sorted(os.listdir(tmp_path)) == ["pid", "result.json"]
    assert not psutil.pid_exists(int(pid.read_text()))


def test_worker_does_not_outlive_a_killed_parent(tmp_path):
    pid = tmp_path / "pid"
    process = start([{"backend": "hangs", "files": {"pid": str(pid)}}], tmp_path / "result.json", timeout=600)
    wait_until(lambda: pid.exists() and pid.read_text())
    process.kill()
    process.communicate()
    wait_until(lambda: not psutil.pid_exists(int(pid.read_text())))


def test_full_disk_keeps_the_runs_saved_before_and_names_the_file(tmp_path):
    out = tmp_path / "result.json"
    limit = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
"""
    process = start([{"backend": "good", "options": {"ballast": 100_000}}], out, rounds=3, prelude=limit)
    output, error = process.communicate()
    assert process.returncode == 1
    assert output == "shown: good=ok good=ok\n"
    assert error == f"File too large: {out}. 2 of 3 runs finished, 1 kept in {out}.\n"
    assert statuses(out) == {"good": ["ok"]}
    assert os.listdir(tmp_path) == ["result.json"]
