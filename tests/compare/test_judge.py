from __future__ import annotations

from dataclasses import replace

import pytest

from compare.cell import Cell, Outcome, Status
from compare.judge import Unlike, groups, judge
from compare.plan import Plan
from compare.report.verdicts import contests
from compare.results import Results
from compare.view import View

BASE = Cell("mnist", "a", shape={"batch": 32}, options={"dataset": "MNIST"})
FAST, SLOW, WILD = (1.0, 1.01, 0.99, 1.0, 1.0), (1.2, 1.21, 1.19, 1.2, 1.2), (0.9, 1.2, 1.0, 0.8, 1.1)


def measured(losses: dict[str, float] | None = None, **seconds: tuple[float, ...]) -> Results:
    results = Results(Plan([replace(BASE, backend=name) for name in seconds], 5, 1), {})
    for run in results.plan.runs():
        value = seconds[run.cell.backend][run.round]
        loss = (losses or {}).get(run.cell.backend, 1.0)
        results.add(run, Outcome(Status.OK, samples=(value,), quality={"loss": loss}))
    return results


def test_a_winner_is_decidedly_faster_than_every_other():
    results = measured(a=FAST, b=SLOW)
    judgement = judge(results, results.plan.cells)
    assert judgement.winner is not None and judgement.winner.backend == "a"
    (ratio,) = judgement.ratios.values()
    assert ratio.estimate == pytest.approx(1.2, rel=1e-3)


def test_what_noise_could_have_made_is_a_tie():
    results = measured(a=FAST, b=WILD, c=SLOW)
    judgement = judge(results, results.plan.cells)
    assert judgement.winner is None and judgement.best is not None and judgement.best.backend in "ab"
    assert {cell.backend for cell in [judgement.best, *judgement.tied]} == {"a", "b"}


@pytest.mark.parametrize(("axis", "names"), [("workers", ["threads 1", "threads 2"]), ("dim", ["dim 8"])])
def test_along_workers_rows_compete_at_each_number_of_threads(axis, names):
    cells = [Cell("w2v", name, shape={"dim": 8}, threads=threads) for threads in (1, 2) for name in "ab"]
    assert list(contests(Results(Plan(cells, 3, 1, View("crossover", axis)), {}))) == names


def test_a_row_alone_has_nothing_to_win():
    results = measured(a=FAST)
    assert judge(results, results.plan.cells).winner is None


def test_a_fast_row_with_a_higher_loss_is_barred():
    results = measured({"a": 1.06}, a=FAST, b=SLOW)
    judgement = judge(results, results.plan.cells)
    assert judgement.best is not None and judgement.best.backend == "b"
    assert list(judgement.barred.values()) == ["its loss is 1.06, the lowest is 1"]


def test_a_workloads_own_gate_replaces_that_of_the_loss():
    results = measured({"a": 1.06}, a=FAST, b=SLOW)
    judgement = judge(results, results.plan.cells, barred={})
    assert judgement.winner is not None and judgement.winner.backend == "a"


@pytest.mark.parametrize(
    "change", [{"shape": {"batch": 64}}, {"dtype": "bfloat16"}, {"options": {}}, {"workload": "w2v"}]
)
def test_unlike_cells_are_refused_and_stand_in_groups_of_their_own(change):
    cells = [BASE, replace(BASE, backend="b", threads=2), replace(BASE, backend="c", **change)]
    results = Results(Plan(cells, 1, 1), {})
    with pytest.raises(Unlike, match=f"{next(iter(change))} .* can't be compared"):
        judge(results, cells)
    assert groups(results) == [cells[:2], cells[2:]]
