"""`compare report` shows a result in the tables of the command that measured it."""

from __future__ import annotations

import json
import re

import pytest

from compare import machine, profile, store
from compare.cell import Cell, Outcome, Status
from compare.plan import Plan
from compare.report.tables import TABLES, show
from compare.results import Results
from compare.shape_sweep import AXES, of_results, place, placed
from compare.view import COMMANDS, MNIST_VIEWS, View


@pytest.mark.parametrize(
    ("command", "view"),
    [
        ("compare w2v --backends hogwild,cupy --epochs 1", View("w2v")),
        ("compare mnist", View("mnist")),
        ("/usr/bin/compare mnist --backends numpy --details --out r.json", View("mnist-details")),
        ("compare mnist --ops", View("mnist-ops")),
        ("compare mnist --overhead", View("mnist-overhead")),
        ("compare sweep --methods pool-numpy,loop-jax,vmap-jax", View("sweep")),
        ("compare crossover mnist --axis batch --repeats 3", View("crossover", "batch")),
        ("compare crossover w2v --axis=dim", View("crossover", "dim")),
        ("compare claims --only batches", View("claims")),
        ("pytest", View()),
        ("", View()),
    ],
)
def test_a_file_of_an_earlier_version_is_shown_as_its_command_line_says(command, view, tmp_path):
    results = Results(Plan([Cell("w2v", "a")], 1, 1), {}, tmp_path / "result.json", command=command)
    results.save()
    stored = json.loads(results.path.read_text())
    del stored["plan"]["view"]
    results.path.write_text(json.dumps(stored))
    assert store.load(results.path)[0].plan.view == view


def test_the_view_is_kept_in_the_file(tmp_path):
    view = View("crossover", "hidden")
    results = Results(Plan([Cell("mnist", "a")], 1, 1, view), {}, tmp_path / "result.json", command="compare mnist")
    results.save()
    assert store.load(results.path)[0].plan.view == view


def test_every_view_has_its_tables():
    assert set(TABLES) == {*COMMANDS, *(f"mnist-{each}" for each in MNIST_VIEWS)}


def test_a_plug_ins_result_has_its_verdict_alone(capsys):
    results = Results(Plan([Cell("fake_workload", "quick", shape={"size": 3})], 1, 1), {})
    results.add(next(results.plan.runs()), Outcome(Status.OK, samples=(1.0,)))
    show(results)
    assert capsys.readouterr().out.splitlines()[-1] == "Verdict: quick is alone."


@pytest.mark.parametrize(("view", "tables"), [*((view, None) for view in ("w2v", "mnist", "sweep")), ("", pytest.fail)])
def test_where_no_row_has_figures_troubles_and_verdict_are_all(view, tables, capsys):
    cells = [Cell("mnist", name, shape={"batch": batch}) for name in ("here", "absent") for batch in (32, 64)]
    results = Results(Plan(cells, 1, 1, View(view)), {})
    for run in results.plan.runs():
        if run.cell.backend == "absent":
            results.add(run, Outcome(Status.SKIPPED, "needs a GPU"))
    show(results, tables)
    assert capsys.readouterr().out.splitlines() == [
        "absent skipped: needs a GPU",
        "Verdict after 0 of 2 runs: nothing finished that could be compared.",
    ]


@pytest.mark.parametrize("axis", ["dim", "workers"])
def test_a_sweep_of_word2vec_is_shown_along_its_axis(axis, capsys, monkeypatch):
    monkeypatch.setattr(profile, "of_machine", lambda facts: None)
    text = {"types": 50, "words": 2000, "negative": 5}
    cells = [placed(Cell("w2v", "hogwild", shape={"dim": 8}, options=text), axis, value) for value in (16, 64)]
    results = Results(Plan(cells, 1, 1, View("crossover", axis)), machine.describe())
    for run in results.plan.runs():
        results.add(run, Outcome(Status.OK, samples=(float(place(run.cell, axis)),)))
    show(results)
    told = capsys.readouterr().out
    assert f"w2v over {axis}" in told and re.search(rf"{axis} 64 *\n  hogwild +64 ", told)
    assert "no ceilings and no predictions" in told


@pytest.mark.parametrize(("workload", "axis"), [(workload, axis) for workload, axes in AXES.items() for axis in axes])
def test_a_cell_can_be_put_anywhere_along_every_axis(workload, axis):
    shape, options = {"hidden": [8], "batch": 4}, {}
    if workload == "w2v":
        shape, options = {"dim": 4, "negative": 5, "vocabulary": 9}, {"negative": 5, "types": 9}
    cell = Cell(workload, "numpy", shape=shape, options=options)
    results = Results(Plan([placed(cell, axis, value) for value in (2, 3)], 1, 1, View("crossover", axis)), {})
    sweep = of_results(results)
    assert sweep.values == [2, 3] and sweep.cell("numpy", 2) is results.plan.cells[0]
    moved = placed(cell, axis, 7)
    assert place(moved, axis) == 7 and placed(moved, axis, place(cell, axis)) == cell
