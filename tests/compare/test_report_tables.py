"""`compare report` shows a result in the tables of the command that measured it."""

from __future__ import annotations

import re

import pytest

from compare import machine, profile
from compare.cell import Cell, Outcome, Status
from compare.plan import Plan
from compare.report import mnist, mnist_ops, mnist_overhead, mnist_sweep, w2v
from compare.report.tables import tables_of
from compare.results import Results


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([("w2v", "hogwild"), ("w2v", "gensim")], w2v.show),
        ([("mnist", "numpy"), ("mnist", "reference")], mnist.show),
        ([("mnist-operations", "numpy"), ("mnist", "native")], mnist_ops.show),
        ([("mnist-parts", "gather"), ("mnist-parts", "products"), ("mnist", "numpy")], mnist_overhead.show),
        ([("sweep", "loop-numpy")], mnist_sweep.show),
        ([("mnist", "numpy")], None),  # of a claim: no reference
        ([("mnist-parts", "products"), ("mnist", "numpy"), ("sweep", "vmap-jax")], None),
        ([("fake_workload", "quick")], None),
    ],
)
def test_each_kind_of_result_has_its_tables(cells, expected):
    plan = Plan([Cell(workload, backend) for workload, backend in cells], rounds=1, seed=1)
    assert tables_of(Results(plan, {})) is expected


def test_other_shapes_of_word2vec_are_not_mixed_in_one_table():
    cells = [Cell("w2v", "hogwild", shape={"dim": dim, "window": dim}) for dim in (16, 64)]
    assert tables_of(Results(Plan(cells, 1, 1), {})) is None


def test_shapes_of_word2vec_are_shown_as_the_sweep_they_are(capsys, monkeypatch):
    monkeypatch.setattr(profile, "of_machine", lambda facts: None)
    shapes = [{"dim": 16}, {"dim": 64}]
    results = Results(Plan([Cell("w2v", "hogwild", shape=shape) for shape in shapes], 1, 1), machine.describe())
    for run in results.plan.runs():
        results.add(run, Outcome(Status.OK, samples=(float(run.cell.shape["dim"]),)))
    tables = tables_of(results)
    assert tables is not None
    tables(results)
    told = capsys.readouterr().out
    assert "w2v over dim" in told and re.search(r"dim 64 *\n  hogwild +64 ", told)
    assert "no ceilings and no predictions" in told
