"""The work model against cases worked out by hand, simulation, and the networks' own counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from compare.cell import Cell, Outcome, Status
from compare.plan import Plan
from compare.profile import Ceiling, Profile
from compare.results import Results
from compare.work import of_cell, share_of_ceiling
from compare.work.mnist import mlp
from compare.work.quantities import RowMoves, Work
from compare.work.roofline import bound, cached_share
from compare.work.w2v import of_spectrum, sgns, spectrum, zipf
from mnist.model import flops_per_example
from w2v.params import Params
from w2v.vocabulary import Vocabulary


def machine(*more: Ceiling, l2: str = "1K", l3: str = "16K", memory: float = 1e6) -> Profile:
    """1 Gflop/s, 100 MB/s of memory, 10 µs a call; updates at 4, 2 and 1 MB/s in L2, L3, memory, or in proportion."""
    levels = {"L2": 4 * memory, "L3": 2 * memory, "memory": memory}
    return Profile(
        "made up",
        {"caches": {"L2 Unified": l2, "L3 Unified": l3}},
        (
            Ceiling("sgemm", "flop/s", 1e9, conditions={"dtype": "float32"}),
            Ceiling("copy", "B/s", 1e8),
            Ceiling("call", "s", 1e-5),
            *(Ceiling("update", "B/s", r, conditions={"row_bytes": 256, "level": lv}) for lv, r in levels.items()),
            *more,
        ),
        gpu={"name": "made up"} if more else {},
    )


def uniform(rows: int, moves: float, row_bytes: int = 256) -> RowMoves:
    return RowMoves(row_bytes, np.array([rows]), np.array([moves]))


def test_a_dense_network_worked_out_by_hand():
    work = mlp((3, 4, 2), batch=5, examples=12, calls_per_step=5)
    assert work.steps == 3 and work.calls == 15
    assert work.flops == 12 * (2 * 2 * 3 * 4 + 3 * 2 * 4 * 2)  # layer 1 in two products, layer 2 in three
    assert work.streamed_bytes == 12 * 3 * 4
    assert work.row_moves.bytes_moved == pytest.approx(3 * 2 * 4 * (3 * 4 + 4 + 4 * 2 + 2))  # read and written


@pytest.mark.parametrize("hidden", [(128,), (64, 32), ()])
def test_flops_are_those_that_mnist_counts(hidden):
    work = mlp((784, *hidden, 10), batch=32, examples=100, calls_per_step=0)
    assert work.flops == 100 * flops_per_example(hidden)


def skip_gram(pairwise: bool, **params: int) -> Work:
    """Two words, each half of 1,000 that are all kept: d=16, so a row is a cache line."""
    settings = Params(**{"sg": 1, "window": 2, "negative": 3, "vector_size": 16, "sample": 0, "epochs": 1, **params})
    return sgns(Vocabulary(["a", "b"], [500, 500]), settings, 1000, pairwise)


def test_a_window_worked_out_by_hand():
    work = skip_gram(pairwise=False)
    assert work.flops == 1000 * 3 * 4 * 6 * 16  # 3 contexts on average, 4 outputs
    assert work.row_moves.bytes_moved == pytest.approx(2 * 64 * 1000 * (1 + 1 + 3))
    assert work.streamed_bytes == 4000


def test_pairs_draw_negatives_of_their_own():
    work = skip_gram(pairwise=True)
    assert work.flops == skip_gram(pairwise=False).flops
    assert work.row_moves.bytes_moved == pytest.approx(2 * 64 * 1000 * (1 + 1 + 3 * 3))


def test_cbow_worked_out_by_hand():
    work = skip_gram(pairwise=True, sg=0)
    assert work.flops == 1000 * (4 * 6 * 16 + 3 * 2 * 16)
    assert work.row_moves.bytes_moved == pytest.approx(2 * 64 * 1000 * (1 + 1 + 3))


def test_windows_that_do_not_shrink_have_two_w_contexts():
    settings = Params(sg=1, window=2, negative=3, vector_size=16, sample=0, epochs=1, shrink_windows=False)
    work = sgns(Vocabulary(["a", "b"], [500, 500]), settings, 1000, False)
    assert work.flops == 1000 * 4 * 4 * 6 * 16


def test_subsampled_words_are_not_worked_on():
    vocabulary, settings = Vocabulary(["a", "b"], [900, 100]), Params(sg=1, sample=0.01, vector_size=16, epochs=1)
    keep = vocabulary.keep_probabilities(0.01)
    kept = 900 * keep[0] + 100 * keep[1]
    assert sgns(vocabulary, settings, 1000, False).flops == pytest.approx(kept * 6 * 6 * 6 * 16)


def test_the_terms_of_a_bound_worked_out_by_hand():
    work = Work(2e9, 1e8, uniform(4, 1000), calls=1e5, dataset_bytes=0, steps=1)  # 4 rows of 256 B: L2 holds them
    limit = bound(work, machine(), "cpu", 1)
    assert limit.terms == pytest.approx({"arithmetic": 2.0, "memory": 1.0 + 2 * 256 * 1000 / 4e6, "calls": 1.0})
    assert limit.binding == "arithmetic" and limit.seconds == pytest.approx(2.0)


def test_rows_that_no_cache_holds_move_at_the_rate_of_memory():
    work = Work(0, 0, uniform(10**6, 1000), calls=0, dataset_bytes=0, steps=1)
    assert bound(work, machine(l2="0K", l3="0K"), "cpu", 1).terms["memory"] == pytest.approx(2 * 256 * 1000 / 1e6)


def test_without_a_gpu_there_is_no_bound_for_one():
    work = Work(1, 1, uniform(1, 1), calls=1, dataset_bytes=0, steps=1)
    assert bound(work, machine(), "gpu", 1) is None
    gpu = (
        Ceiling("sgemm", "flop/s", 1e12, "gpu", conditions={"dtype": "float32"}),
        Ceiling("copy", "B/s", 1e12, "gpu"),
        Ceiling("launch", "s", 2e-6, "gpu", conditions={"mode": "stream"}),
    )
    assert bound(work, machine(*gpu), "gpu", 1).binding == "calls"


@pytest.mark.parametrize(("capacity", "share"), [(100, 1.0), (50, 0.5), (0.5, 0.0)])
def test_a_cache_holds_its_share_of_rows_that_are_moved_equally_often(capacity, share):
    assert cached_share(uniform(100, 1e6), capacity * 256) == pytest.approx(share, abs=1e-9)


def test_ches_approximation_agrees_with_a_simulated_cache():
    p = 1 / (np.arange(300) + 2.7)
    p /= p.sum()
    held: dict[int, None] = {}
    hits = 0
    picks = np.random.default_rng(0).choice(300, 40_000, p=p)
    for number, row in enumerate(picks.tolist()):
        hits += number >= 10_000 and row in held
        held.pop(row, None)
        held[row] = None
        if len(held) > 60:
            del held[next(iter(held))]
    model = cached_share(RowMoves(64, np.ones(300), p), 60 * 64)
    assert model == pytest.approx(hits / 30_000, abs=0.01)


def test_a_spectrum_keeps_what_the_model_needs():
    vocabulary = zipf(20_000, 1_000_000)
    settings, words = Params(sg=1, epochs=1), int(vocabulary.counts.sum())
    exact = sgns(vocabulary, settings, words, False)
    rough = sgns(of_spectrum(spectrum(vocabulary.counts)), settings, words, False)
    assert rough.flops == pytest.approx(exact.flops, rel=2e-3)
    assert cached_share(rough.row_moves, 2**20) == pytest.approx(cached_share(exact.row_moves, 2**20), abs=2e-3)
    assert len(spectrum(vocabulary.counts)) <= 200


def test_zipf_counts_add_up_and_fall():
    counts = zipf(1000, 10**6).counts
    assert counts.sum() == pytest.approx(10**6, rel=1e-3)
    assert counts[0] / counts[9] == pytest.approx(12.7 / 3.7, rel=1e-3)


def test_the_share_of_a_measured_cell():
    cell = Cell("mnist", "numpy", shape={"batch": 48_000, "hidden": [128]})
    results = Results(Plan([cell], 3, 1), {})
    assert share_of_ceiling(results, cell, machine()) is None
    for run, seconds in zip(results.plan.runs(), (40.0, 100.0, 50.0), strict=True):
        results.add(run, Outcome(Status.OK, samples=(seconds,)))
    share = share_of_ceiling(results, cell, machine())
    assert share is not None
    assert share.bound.binding == "arithmetic"
    assert share.of_ceiling == pytest.approx(48_000 * flops_per_example((128,)) / 1e9 / 50)


def test_calls_follow_how_a_backend_computes():
    calls = {
        name: of_cell(Cell("mnist", name, shape={"batch": 32, "hidden": [128]}), {}).calls
        for name in ("numpy", "numpy-example", "jax", "jax-scan")
    }
    assert calls == {"numpy": 5 * 1500, "numpy-example": 5 * 48_000, "jax": 1500, "jax-scan": 1}


def test_products_in_a_precision_of_their_own_have_no_model():
    assert of_cell(Cell("mnist", "native-bf16", shape={"batch": 32, "hidden": [128]}), {}) is None


def test_word2vec_needs_the_counts_and_hierarchical_softmax_has_no_model():
    options = {"words": 1000, "epochs": 2, "window": 5, "negative": 5, "sample": 0}
    cell = Cell("w2v", "hogwild", shape={"dim": 16}, options=options)
    facts = {"spectrum": [[500.0, 2]]}
    assert of_cell(cell, facts).flops == 2000 * 6 * 6 * 6 * 16
    assert of_cell(cell, {}) is None
    assert of_cell(Cell("w2v", "hogwild", shape={"dim": 16}, options={**options, "hs": 1}), facts) is None
    assert of_cell(Cell("another", "hogwild"), facts) is None


def test_a_dtype_without_a_measured_rate_has_no_bound():
    work = mlp((3, 4, 2), 5, 12, 5, "float64")
    assert bound(work, machine(), "cpu", 1) is None
    assert math.isfinite(bound(mlp((3, 4, 2), 5, 12, 5), machine(), "cpu", 1).seconds)
