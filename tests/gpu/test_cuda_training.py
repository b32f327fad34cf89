"""The training kernel gives the reference's weights on the same samples, in every mode."""

import numpy as np
import pytest
from injected import assert_same_weights, samples, task, trained_by_reference

from w2v.trainers.cuda import Cupy


def assert_trains_like_the_reference(device, task):
    windows = samples(task)
    expected = trained_by_reference(task, windows, alpha=0.05)
    worker = Cupy(task, device).worker(0)
    did = worker.train_windows(windows, alpha=0.05)
    worker.finish()
    assert_same_weights(task, did, *expected)


@pytest.mark.parametrize(
    "params",
    [
        {"vector_size": 1, "window": 1, "negative": 1},
        {"vector_size": 100},
        {"vector_size": 300},
        {"negative": 63, "vector_size": 130},
        {"window": 20},
        {"words": 3},
    ],
    ids=str,
)
def test_skip_gram_with_negative_sampling_in_any_size(device, params):
    assert_trains_like_the_reference(device, task(**params))


@pytest.mark.parametrize("heads", [{"hs": 1, "negative": 0}, {"hs": 1, "negative": 5}], ids=["tree", "tree and noise"])
@pytest.mark.parametrize("mode", [{"sg": 1}, {"sg": 0}], ids=["skip-gram", "CBOW"])
def test_hierarchical_softmax(device, mode, heads):
    assert_trains_like_the_reference(device, task(**mode, **heads, vector_size=100))


@pytest.mark.parametrize("params", [{}, {"cbow_mean": 0, "window": 12, "negative": 20}], ids=str)
def test_cbow_with_negative_sampling(device, params):
    assert_trains_like_the_reference(device, task(sg=0, **params))


@pytest.mark.parametrize("sg", [0, 1])
def test_locked_rows_move_by_their_factor(device, sg):
    assert_trains_like_the_reference(device, task(sg=sg, locked=True))


@pytest.mark.parametrize("params", [{"vector_size": 100}, {"sg": 0, "hs": 1}], ids=str)
def test_the_order_in_which_lanes_run_does_not_matter(emulate, params):
    # A lane that reads what another one has yet to write shows here, for each seed has another order.
    results = []
    for seed in range(4):
        ordered = task(**params)
        worker = Cupy(ordered, emulate(seed=seed)).worker(0)
        worker.train_windows(samples(ordered), alpha=0.05)
        worker.finish()
        results.append(np.concatenate([table.ravel() for table in ordered.tables.values()]))
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


@pytest.mark.parametrize("sg", [0, 1])
def test_many_warps_lose_no_update(device, sg):
    # Steps too small for their order to matter: all warps' changes must add up to the reference's.
    many = task(words=8, sentences=60, length=40, sg=sg, sample=0)
    start = {name: table.copy() for name, table in many.tables.items()}
    worker = Cupy(many, device).worker(0)
    windows = samples(many, centres=2000)
    expected, _ = trained_by_reference(many, windows, alpha=1e-4)
    worker.train_windows(windows, 1e-4, blocks=4, block_warps=4)
    worker.finish()
    for name, table in many.tables.items():
        change, wanted = table - start[name], expected.tables[name] - start[name]
        assert np.abs(change - wanted).max() < 0.02 * np.abs(wanted).max(), name
