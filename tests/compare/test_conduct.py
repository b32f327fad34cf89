"""Whole plans carried out by a command, in a real process that can be interrupted and run out of disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import islice
from pathlib import Path

import psutil
import pytest

from compare.cell import Outcome, Status
from compare.conduct import rounds
from compare.plan import DECIDING_ROUNDS, STEADY_ROUNDS
from compare.results import Results

GOOD_FIRST = 6
"""A seed with which the first of two cells runs first."""
DRIVER = """
import json, signal, sys
from pathlib import Path
from compare.cell import Cell
from compare.conduct import conduct
from compare.plan import Measuring, Plan

cells = [Cell("fake_workload", **fields) for fields in json.loads(sys.argv[1])]
rounds, seed, options = int(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
options["out"] = Path(options["out"])

def show(results):
    ends = [f"{run.cell.backend}={outcome.status.value}" for run, outcome in results.finished]
    print("shown:", *sorted(ends))

{prelude}
if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as `compare` does
    conduct(Plan(cells, rounds, seed), Measuring(rounds, seed, **options), show)
"""


def start(
    cells: list[dict], out: Path, rounds: int = 1, seed: int = 1, prelude: str = "", timeout: float = 60, **options
) -> subprocess.Popen[str]:
    script = DRIVER.replace("{prelude}", prelude)
    options |= {"out": str(out), "timeout": timeout}
    arguments = [json.dumps(cells), str(rounds), str(seed), json.dumps(options)]
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


def test_all_well_is_exit_code_0_and_a_pipe_gets_the_plan_and_a_line_for_each_run(tmp_path):
    out = tmp_path / "result.json"
    process = start([{"backend": "good"}, {"backend": "missing"}], out, rounds=2)
    output, error = process.communicate()
    assert output == "shown: good=ok good=ok missing=skipped\n"
    plan, first, second = error.splitlines()
    assert plan == "2 runs of 1 row, each in a fresh process: about 4 s."
    assert first.startswith("[1/2] ") and " left" in first and second.startswith("[2/2] ") and "left" not in second
    assert process.returncode == 0
    assert statuses(out) == {"good": ["ok", "ok"], "missing": ["skipped"]}


def test_crash_and_timeout_have_their_rows_and_the_others_finish(tmp_path):
    out, pid = tmp_path / "result.json", tmp_path / "pid"
    bad = [{"backend": "segfaults"}, {"backend": "hangs", "files": {"pid": str(pid)}}]
    process = start([*bad, {"backend": "good"}], out, rounds=2, timeout=6)
    process.communicate()
    assert process.returncode == 1
    assert statuses(out) == {"segfaults": ["failed"] * 2, "hangs": ["timeout"] * 2, "good": ["ok"] * 2}


def test_where_no_row_has_figures_no_table_is_shown(tmp_path):
    output, _ = start([{"backend": "raises"}], tmp_path / "result.json").communicate(timeout=60)
    assert "shown" not in output and output.endswith("Verdict: nothing finished that could be compared.\n")


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_keeps_and_shows_what_has_finished_and_ends_the_worker(tmp_path, stop):
    out, pid = tmp_path / "result.json", tmp_path / "pid"
    hangs = {"backend": "hangs", "files": {"pid": str(pid)}}
    process = start([{"backend": "good"}, hangs], out, rounds=2, seed=GOOD_FIRST, timeout=600)
    wait_until(lambda: pid.exists() and pid.read_text())
    done = statuses(out)
    process.send_signal(stop)
    output, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert done == statuses(out) == {"good": ["ok"], "hangs": []}
    assert output == "shown: good=ok\n"
    assert error.splitlines()[2:] == [
        f"Interrupted. 1 of 4 runs finished, 1 kept in {out}.",
        "The same command with --resume goes on.",
    ]
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
    assert f"{out}: File too large. 2 of 3 runs finished, 1 kept in {out}." in error.splitlines()
    assert statuses(out) == {"good": ["ok"]}
    assert os.listdir(tmp_path) == ["result.json"]


def test_resume_after_a_kill_repeats_no_finished_run(tmp_path):
    out, pid = tmp_path / "result.json", tmp_path / "pid"
    cells = [{"backend": "good"}, {"backend": "hangs_once", "files": {"pid": str(pid)}}]
    process = start(cells, out, rounds=2, seed=GOOD_FIRST, timeout=600)
    wait_until(lambda: pid.exists() and pid.read_text())
    process.kill()
    process.communicate()
    before = json.loads(out.read_text())["cells"][0]["runs"]
    assert [run["round"] for run in before] == [0]

    process = start(cells, out, rounds=2, seed=GOOD_FIRST, resume=True)
    _, error = process.communicate()
    assert process.returncode == 0, error
    plan, *lines = error.splitlines()
    assert plan.startswith("3 runs of 2 rows, 1 already finished, each in a fresh process: ") and len(lines) == 3
    assert statuses(out) == {"good": ["ok"] * 2, "hangs_once": ["ok"] * 2}
    assert json.loads(out.read_text())["cells"][0]["runs"][0] == before[0]


def test_a_file_that_exists_is_not_overwritten(tmp_path):
    out = tmp_path / "result.json"
    out.write_text("an hour's work")
    _, error = start([{"backend": "good"}], out).communicate()
    assert f"{out} exists: --resume goes on with it" in error
    assert out.read_text() == "an hour's work"


def test_budget_ends_the_comparison_and_runs_no_cell_beyond_it(tmp_path):
    process = start([{"backend": "good", "options": {"seconds": 0.3}}], tmp_path / "r.json", rounds=1000, budget=1.5)
    _, error = process.communicate()
    assert process.returncode == 0
    done = len(statuses(tmp_path / "r.json")["good"])
    assert 1 <= done < 20
    _, first, *_, told, hint = error.splitlines()
    assert told == f"The budget is spent. {done} of 1,000 runs finished, {done} kept in {tmp_path / 'r.json'}."
    assert hint == "The same command with --resume goes on." and "; at most " in first


def test_while_the_budget_lasts_unsure_rows_are_repeated_beside_the_others(fake_plan):
    results = Results(fake_plan("noisy", "good", "missing", rounds=2), {})
    for runs in islice(rounds(results, extra=True), 4):
        for run in runs:
            seconds = 1.0 + run.round % 2 if run.cell.backend == "noisy" else 1.0
            ok = Outcome(Status.OK, samples=(seconds,))
            results.add(run, Outcome(Status.SKIPPED) if run.cell.backend == "missing" else ok)
    counts = Counter(run.cell.backend for run, _ in results.finished)
    assert counts == {"noisy": 2 + 3, "good": 2 + 3, "missing": 2}


def test_no_round_is_added_once_every_row_is_sure(fake_plan):
    results = Results(fake_plan("good", rounds=3), {})
    for runs in rounds(results, extra=True):
        for run in runs:
            results.add(run, Outcome(Status.OK, samples=(1.0,)))
    assert len(results.finished) == 3


def test_rows_that_tie_for_the_first_place_are_judged_again_after_all_deciding_rounds_alone(fake_plan):
    results = Results(fake_plan("good", "noisy", "slow", rounds=3), {})
    for runs in rounds(results, extra=False):
        for run in runs:
            seconds = {"good": 1.0, "noisy": 2.0 + run.round % 2, "slow": 9.0}[run.cell.backend]
            results.add(run, Outcome(Status.OK, samples=(seconds,)))
    counts = Counter(run.cell.backend for run, _ in results.finished)
    assert counts == {"slow": 3, "noisy": DECIDING_ROUNDS, "good": DECIDING_ROUNDS}


def test_rows_whose_repeats_lie_far_apart_have_five_and_steady_ones_three(fake_plan):
    results = Results(fake_plan("good", "slow", "noisy", rounds=3), {})
    for runs in rounds(results, extra=False):
        for run in runs:
            seconds = {"good": 1.0, "slow": 2.0, "noisy": 30.0 + 9 * (run.round % 2)}[run.cell.backend]
            results.add(run, Outcome(Status.OK, samples=(seconds,)))
    counts = Counter(run.cell.backend for run, _ in results.finished)
    assert counts == {"good": STEADY_ROUNDS, "slow": 3, "noisy": STEADY_ROUNDS}


def test_a_true_tie_ends(fake_plan):
    results = Results(fake_plan("good", "noisy", rounds=3), {})
    for runs in rounds(results, extra=False):
        for run in runs:
            results.add(run, Outcome(Status.OK, samples=(1.0,)))
    assert len(results.finished) == 2 * DECIDING_ROUNDS


def test_two_rounds_that_were_asked_for_stay_two(fake_plan):
    results = Results(fake_plan("good", "noisy", rounds=2), {})
    assert len(list(rounds(results, extra=False))) == 1


def test_dry_run_measures_nothing_and_says_how_long_it_would_take(tmp_path):
    out = tmp_path / "result.json"
    process = start([{"backend": "good"}, {"backend": "missing"}], out, rounds=3, dry_run=True)
    output, error = process.communicate()
    assert output.splitlines() == [
        "good: 3 runs, about 6 s",
        "can't run here: missing: not installed: pip install missing",
        "3 runs of 1 row, each in a fresh process: about 6 s.",
    ]
    assert error == "" and not out.exists()


def test_dry_run_says_no_more_than_the_budget(tmp_path):
    process = start([{"backend": "good"}], tmp_path / "result.json", rounds=3, dry_run=True, budget=5)
    assert process.communicate()[0].splitlines()[-1] == "3 runs of 1 row, each in a fresh process: at most 5 s."


def test_dry_run_as_json_is_the_same_plan(tmp_path):
    output, _ = start([{"backend": "good"}], tmp_path / "result.json", dry_run=True, as_json=True).communicate()
    row = {"row": "good", "runs": 1, "time": "about 2 s"}
    plan = {"rows": [row], "unavailable": {}, "runs": 1, "finished": 0, "time": "about 2 s"}
    assert json.loads(output) == plan


def test_json_is_the_result_with_its_warnings(tmp_path):
    output, _ = start([{"backend": "good"}], tmp_path / "result.json", as_json=True).communicate()
    printed = json.loads(output)
    assert printed["cells"][0]["summary"]["status"] == "ok" and isinstance(printed["warnings"], list)
