"""Who may win: one gate for each workload, asked by tables, JSON, the page and claims alike."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from compare import machine
from compare.cell import REFERENCE, Cell, Outcome, Status
from compare.cli import main
from compare.gates import barred
from compare.plan import Plan
from compare.report.naming import Naming
from compare.report.verdicts import by_group, contests, sentence
from compare.results import Results
from compare.view import View

BASE = Cell("mnist", "jax", shape={"hidden": [128], "batch": 32}, samples=5, options={"dataset": "MNIST"})
SWEEP = Cell("sweep", "", shape={"hidden": [8]}, options={"dataset": "", "epochs": 1, "configurations": [[8, 1, 0.1]]})


def results(cells: list[Cell], seconds: dict[str, float], **facts: object) -> Results:
    found = Results(Plan(cells, 3, 1), machine.describe())
    quality = {"loss": 1.0, "accuracy": 0.5}
    for run in found.plan.runs():
        took = seconds[run.cell.backend] * (1 + run.round / 1000)
        found.add(run, Outcome(Status.OK, samples=(took,), quality=quality, facts={"step_losses": [2.0], **facts}))
    return found


def test_a_row_of_fewer_samples_competes_beside_the_others_of_its_shape():
    example = replace(BASE, backend="numpy-example", samples=1)
    reference = replace(BASE, backend=REFERENCE, dtype="float64")
    found = results([BASE, example, reference], {"jax": 1.0, "numpy-example": 4.0, REFERENCE: 2.0})
    (verdict,) = by_group(found).values()
    assert verdict.startswith("jax wins, 4.00 (")


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"shape": {"hidden": [128], "batch": 64}}, ["batch 32", "batch 64"]),
        ({"dtype": "float64"}, ["dtype float32", "dtype float64"]),
        ({"options": {"dataset": "another"}}, ["dataset MNIST", "dataset another"]),
        ({"threads": 2}, ["hidden 128, batch 32"]),
    ],
)
def test_a_group_is_called_by_what_tells_it_from_the_others(change, names):
    found = results([BASE, replace(BASE, **change)], {"jax": 1.0})
    assert list(contests(found)) == list(by_group(found)) == names


def test_no_two_rows_of_a_report_have_one_name():
    options = [{**BASE.options, "examples": steps} for steps in (188, 1500)]
    empty = [replace(BASE, shape={"hidden": [1], "batch": 1}, options=each) for each in options]
    names = [Naming([BASE, *empty]).full(cell) for cell in (BASE, *empty)]
    assert names == ["jax, hidden 128, batch 32", *(f"jax, hidden 1, batch 1, examples {n}" for n in (188, 1500))]


def test_what_is_taken_apart_has_no_winner():
    found = results([BASE], {"jax": 1.0})
    apart = replace(found, plan=Plan(found.plan.cells, 3, 1, View("mnist-ops")))
    assert by_group(apart) == {} and sentence(apart) == "work taken apart: no rows compete."


def swept(ends: dict[str, float]) -> Results:
    found = Results(Plan([replace(SWEEP, backend=method) for method in ends], 3, 1), machine.describe())
    for run in found.plan.runs():
        finishes = [[ends[run.cell.backend], ends[run.cell.backend] / 2]]
        took = 1.0 if run.cell.backend == "vmap-jax" else 2.0 + run.round / 1000
        facts = {"finishes": finishes, "children_bytes": 0}
        phases = {"import": 0.0, "steady": took}
        quality = {"loss": 1.0, "accuracy": 0.5}  # of the best configuration, which all found
        found.add(run, Outcome(Status.OK, phases=phases, samples=(took,), facts=facts, quality=quality))
    return found


def test_a_method_that_ended_elsewhere_wins_neither_in_the_table_nor_in_json_nor_on_the_page(tmp_path):
    found = swept({"vmap-jax": 1.5, "loop-jax": 1.0, "loop-numpy": 1.0})
    (reason,) = barred(found).values()
    assert reason == "it ended elsewhere than most methods with learning rate 0.1, batch 8, seed 1"
    source, page = tmp_path / "sweep.json", tmp_path / "page.html"
    source.write_text(json.dumps(found.to_json()))
    told = CliRunner().invoke(main, ["report", str(source), "--json"])
    (verdict,) = json.loads(told.stdout)[0]["verdicts"].values()
    assert verdict.startswith("a tie between loop-jax and loop-numpy") or "equally fast" in verdict
    assert CliRunner().invoke(main, ["report", str(source), "--out", str(page)]).exit_code == 0
    assert f"<dd>{verdict}" in page.read_text(encoding="utf-8")
