from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_work import machine as made_up

from compare import machine, profile
from compare.cell import Cell, Outcome, Status
from compare.plan import Plan
from compare.results import Results
from compare.store import Unreadable, load, merge, resumed

MACHINE = {"cpu": "A", "cores_usable": 2, "gpu": None}


def measured(path: Path | None, cells: list[Cell] | None = None, seed: int = 1, status: Status = Status.OK) -> Results:
    results = Results(Plan(cells or [Cell("w2v", "a"), Cell("w2v", "b")], rounds=2, seed=seed), MACHINE, path)
    for run in results.plan.runs():
        results.add(run, Outcome(status, phases={"steady": 1.0}, samples=(1.0,), quality={"loss": None}))
    return results


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "result.json"


def edit(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_what_was_saved_is_read_back(path):
    results = measured(path)
    (stored,) = load(path)
    assert stored.to_json() == results.to_json()


def test_a_real_machines_description_is_read_back(path):
    results = measured(path)
    results.machine = machine.describe()
    results.add(next(results.plan.runs()), Outcome(Status.FAILED, "out of memory"))
    assert load(path)[0].machine == results.machine


def test_rows_keep_the_ceilings_that_were_known_when_they_were_measured(path, monkeypatch):
    then, today = made_up(memory=1e9), made_up(memory=2e9)
    monkeypatch.setattr(profile, "of_machine", lambda facts: today)
    results = measured(path)
    assert load(path)[0].profile == today
    results.known = then
    results.save()
    assert load(path)[0].profile == then
    assert resumed(Results(results.plan, MACHINE, path, known=today)).profile == then
    edit(path, profile={"schema": "machine/1"})
    with pytest.raises(Unreadable, match=r"result\.json is a damaged profile"):
        load(path)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.unlink(), "No such file"),
        (lambda path: path.write_bytes(path.read_bytes()[:-100]), "truncated"),
        (lambda path: path.write_bytes(b"\x80\x81"), "no JSON"),
        (lambda path: path.write_text("[]"), "no result of compare"),
        (lambda path: path.write_text('{"schema": "other/1"}'), "no result of compare"),
        (lambda path: edit(path, schema="compare/2"), "has schema compare/2, this version reads compare/1: pip"),
        (lambda path: path.write_text('{"schema": "compare-collection/1", "results": []}'), "json holds no result$"),
        (lambda path: edit(path, cells=[]), "is damaged: cells must contain at least 1"),
        (lambda path: edit(path, plan={"rounds": 0, "seed": 1}), r"is damaged: plan\.rounds must be bigger than"),
    ],
)
def test_a_file_that_is_no_usable_result_is_refused_with_the_reason(path, spoil, message):
    measured(path)
    spoil(path)
    with pytest.raises(Unreadable, match=message):
        load(path)


def test_a_cell_that_was_edited_is_refused(path):
    measured(path)
    path.write_text(path.read_text().replace('"dtype": "float32"', '"dtype": "float64"'))
    with pytest.raises(Unreadable, match="was edited"):
        load(path)


def test_a_file_with_a_cell_twice_has_it_once_when_read(path):
    results = measured(path)
    cells = json.loads(path.read_text())["cells"]
    edit(path, cells=[*cells, cells[0]])
    (stored,) = load(path)
    assert [cell.backend for cell in stored.plan.cells] == ["a", "b"]
    assert (stored.done, stored.lacking) == (results.done, 0)


def test_resume_keeps_what_went_well_and_runs_the_rest_again(path):
    old = measured(path)
    again = resumed(Results(old.plan, MACHINE, path))
    assert {(run.cell.backend, run.round) for run, _ in again.finished} == {(n, r) for n in "ab" for r in (0, 1)}
    path.unlink()
    measured(path, status=Status.FAILED)
    assert resumed(Results(old.plan, MACHINE, path)).finished == []


def test_resume_may_add_rounds_and_finds_files_that_moved(path):
    old = measured(path)
    cells = [Cell("w2v", name, files={"corpus": "/elsewhere"}) for name in "ab"]
    again = resumed(Results(Plan(cells, rounds=5, seed=1), MACHINE, path))
    assert len(again.finished) == 4 and len(again.plan) == 10 and again.started == old.started
    assert {run.cell.files["corpus"] for run, _ in again.finished} == {"/elsewhere"}


@pytest.mark.parametrize(
    ("cells", "seed", "here", "message"),
    [
        ([Cell("w2v", "a"), Cell("w2v", "b")], 2, MACHINE, r"another experiment \(seed 1, not 2\)"),
        ([Cell("w2v", "a"), Cell("w2v", "b", shape={"dim": 3})], 1, MACHINE, r"rows have dim None, not 3\)"),
        ([Cell("w2v", "a")], 1, MACHINE, r"another experiment \(it has b\)"),
        (
            [Cell("w2v", "a", options={"epochs": 2}, files={"corpus": "/elsewhere"}), Cell("w2v", "b")],
            *(1, MACHINE, r"another experiment \(its rows have epochs None, not 2\)"),
        ),
        ([Cell("w2v", n) for n in "abc"], 1, MACHINE, r"another experiment \(it lacks c\)"),
        ([Cell("w2v", "a"), Cell("w2v", "b")], 1, {"cpu": "B", "cores_usable": 2}, r"elsewhere \(cpu\)"),
        ([Cell("w2v", "a"), Cell("w2v", "b")], 1, {**MACHINE, "gpu": {"name": "H200"}}, r"elsewhere \(gpu\)"),
    ],
)
def test_resume_refuses_another_experiment_or_machine(path, cells, seed, here, message):
    measured(path)
    with pytest.raises(Unreadable, match=message):
        resumed(Results(Plan(cells, 2, seed), here, path))


def test_a_file_from_before_the_gpu_was_told_is_gone_on_with(path):
    old = measured(path)
    edit(path, machine={"cpu": "A", "cores_usable": 2})
    assert len(resumed(Results(old.plan, {**MACHINE, "gpu": {"name": "H200"}}, path)).finished) == 4


def test_merged_files_are_read_like_single_ones_and_hold_each_result_once(tmp_path):
    first, second, both, all_of_them = (tmp_path / name for name in ("1", "2", "12", "all"))
    one, other = measured(first), measured(second, [Cell("mnist", "c")])
    assert merge([first, second], both) == 2
    assert merge([both, first], all_of_them) == 2
    assert [each.to_json() for each in load(all_of_them)] == [one.to_json(), other.to_json()]
