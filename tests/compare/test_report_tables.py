"""`compare report` shows a result in the tables of the command that measured it."""

from __future__ import annotations

import pytest

from compare.cell import Cell
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


def test_shapes_of_word2vec_are_not_mixed_in_one_table():
    cells = [Cell("w2v", "hogwild", shape={"dim": dim}) for dim in (16, 64)]
    assert tables_of(Results(Plan(cells, 1, 1), {})) is None
