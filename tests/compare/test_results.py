from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
import textwrap

import pytest

from compare import machine
from compare.cell import Outcome, Status
from compare.files import write_json
from compare.results import SCHEMA, Results

OK = Outcome(Status.OK, phases={"steady": 2.0}, samples=(2.0,), quality={"loss": 1.0, "analogies": None})


def test_file_has_the_schema_and_every_outcome_under_its_cell(fake_plan, tmp_path):
    path = tmp_path / "result.json"
    plan = fake_plan("good", "segfaults", rounds=2)
    results = Results(plan, machine.describe(), path)
    for run in plan.runs():
        end = OK if run.cell.backend == "good" else Outcome(Status.FAILED, "killed by SIGSEGV")
        results.add(run, end)
    stored = json.loads(path.read_text())
    assert stored["schema"] == SCHEMA == "compare/1"
    assert stored["plan"] == {"rounds": 2, "seed": 1, "view": {"name": "", "axis": ""}}
    assert stored["machine"]["cores_usable"] >= 1
    good, bad = stored["cells"]
    assert (good["backend"], bad["backend"]) == ("good", "segfaults")
    assert good["key"] == plan.cells[0].key
    assert [run["round"] for run in good["runs"]] == [0, 1]
    assert good["runs"][0]["samples"] == [2.0] and good["runs"][0]["quality"]["analogies"] is None
    assert {run["reason"] for run in bad["runs"]} == {"killed by SIGSEGV"}


def test_file_is_saved_after_every_run(fake_plan, tmp_path):
    plan = fake_plan("good", rounds=3)
    results = Results(plan, {}, tmp_path / "result.json")
    for number, run in enumerate(plan.runs(), 1):
        results.add(run, OK)
        assert len(json.loads(results.path.read_text())["cells"][0]["runs"]) == number == results.saved


def test_what_cannot_be_compared_has_no_figures_but_what_is_skipped_is_no_failure(fake_plan):
    results = Results(fake_plan("good", "missing"), {})
    runs = list(results.plan.runs())
    results.add(runs[0], OK)
    results.add(runs[1], Outcome(Status.SKIPPED, "no GPU"))
    assert results.all_well
    assert results.ok(runs[0].cell) == {0: OK} and results.ok(runs[1].cell) == {}


def test_write_that_fails_halfway_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "result.json"
    path.write_text("old")
    with pytest.raises(ValueError, match="Out of range"):
        write_json(path, ["x" * 100_000, float("nan")])
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["result.json"]


def test_full_disk_names_the_file_keeps_the_old_one_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "result.json"
    path.write_text("old")
    # A real failed write: the kernel refuses to let any file of this process grow past the limit.
    script = f"""
        import resource, signal
        from pathlib import Path
        from compare.files import write_json
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, {resource.getrlimit(resource.RLIMIT_FSIZE)[1]}))
        try:
            write_json(Path({str(path)!r}), "x" * 1_000_000)
        except OSError as error:
            print(error.errno, error.filename)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(errno.EFBIG), str(path)]
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["result.json"]


def test_more_rounds_help_while_an_interval_is_wide_or_missing(fake_plan):
    plan = fake_plan("good", rounds=8)
    (cell,), results = plan.cells, Results(plan, {})
    wanted = []
    for run in plan.runs():
        results.add(run, Outcome(Status.OK, samples=(1 + run.round % 2 / 30,)))
        wanted.append(results.unsure(cell))
    assert wanted == [True] * 4 + [False] * 4  # rounds 3 % apart have an interval of 5 % either way from five on
    assert not Results(plan, {}).unsure(cell)
