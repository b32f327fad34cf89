from __future__ import annotations

from compare.cell import REFERENCE, Cell, Outcome, Run, Status
from compare.mnist_plans import Asked, overhead
from compare.plan import Plan

CELLS = [Cell("w2v", name) for name in "abcdefgh"]


def test_every_round_holds_every_cell_in_an_order_of_its_own():
    orders = {}
    for run in Plan(CELLS, rounds=3, seed=1).runs():
        orders.setdefault(run.round, []).append(run.cell.backend)
    assert all(sorted(order) == list("abcdefgh") for order in orders.values())
    assert len({tuple(order) for order in orders.values()}) == 3


def test_rows_of_a_shape_follow_each_other_in_a_round_and_their_reference_is_first():
    cells = [Cell("mnist", name, shape={"batch": size}) for size in (8, 32) for name in ("a", "b", "c", REFERENCE)]
    for run in (order := Plan(cells, 1, seed=3).round(0))[::4]:
        assert run.cell.backend == REFERENCE
    assert [run.cell.shape["batch"] for run in order] in ([8] * 4 + [32] * 4, [32] * 4 + [8] * 4)


def test_a_cell_that_two_views_ask_for_is_measured_once():
    plan = Plan([*CELLS, Cell("w2v", "a", files={"corpus": "/there"}), Cell("w2v", "b")], rounds=2, seed=1)
    assert len(plan) == 2 * len(CELLS) == len(list(plan.runs()))


def test_steps_with_nothing_to_do_are_measured_once_for_networks_of_one_depth():
    asked = Asked((256, 257), ("numpy",), ((128,), (512,)), "float32", 1, 1, {}, {})
    cells = Plan(overhead(asked), 1, 1).cells
    assert len({cell.key for cell in cells}) == len(cells)
    assert sum("examples" in cell.options for cell in cells) == 2  # 188 and 187 steps


def test_order_is_repeated_by_its_seed():
    assert list(Plan(CELLS, 2, seed=5).runs()) == list(Plan(CELLS, 2, seed=5).runs())
    assert list(Plan(CELLS, 2, seed=5).runs()) != list(Plan(CELLS, 2, seed=6).runs())


def test_a_round_has_one_seed_and_no_other_round_has_it():
    seeds = {}
    for run in Plan(CELLS, rounds=3, seed=10).runs():
        seeds.setdefault(run.round, set()).add(run.seed)
    assert seeds == {0: {10}, 1: {11}, 2: {12}}


def test_key_depends_on_what_a_cell_is_and_not_on_where_its_files_lie():
    cell = Cell("w2v", "a", shape={"dim": 100}, files={"corpus": "/here"})
    assert cell.key == Cell("w2v", "a", shape={"dim": 100}, files={"corpus": "/there"}).key
    assert cell.key != Cell("w2v", "a", shape={"dim": 200}, files={"corpus": "/here"}).key


def test_run_and_outcome_survive_json():
    run = Run(Cell("w2v", "a", shape={"dim": 100}), round=1, seed=2)
    outcome = Outcome(Status.OK, phases={"steady": 1.5}, samples=(1.5,), quality={"loss": None})
    assert Run.from_json(run.to_json()) == run
    assert Outcome.from_json(outcome.to_json()) == outcome
