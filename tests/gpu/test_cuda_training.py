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
def test_many_warps_lose_no_update(interleaved, sg):
    # Steps too small for order or damping to matter: all warps' changes must add up to the reference's, one by one.
    many = task(words=8, sentences=60, length=40, sg=sg, sample=0)
    start = {name: table.copy() for name, table in many.tables.items()}
    worker = Cupy(many, interleaved).worker(0)
    windows = samples(many, centres=2000)
    expected, _ = trained_by_reference(many, windows, alpha=2e-5)
    worker.train_windows(windows, 2e-5, blocks=4, block_warps=4)
    worker.finish()
    for name, table in many.tables.items():
        change, wanted = table - start[name], expected.tables[name] - start[name]
        assert np.abs(change - wanted).max() < 0.02 * np.abs(wanted).max(), name


def test_rows_lie_beyond_what_32_bits_count(emulate, monkeypatch, tmp_path):
    # Files with holes, of more than 2**31 floats each, of which a few rows at the end are touched.
    near = task(vector_size=64)
    windows, model = samples(near), Cupy(near, emulate())
    words, most = len(near.syn0), 2**31 // 64 + 1000
    names = "syn0", "syn1neg"
    for name in names:
        far = np.memmap(tmp_path / name, np.float32, "w+", shape=(most, 64))
        far[-words:] = getattr(near, name)
        setattr(model, name, far)
    undamped = np.zeros(most, np.float32)
    undamped[-words:] = 1
    monkeypatch.setattr(model.damping, "factors", lambda alpha, warps: [undamped, undamped, None])
    far_windows = windows._replace(tokens=windows.tokens + most - words, negatives=windows.negatives + most - words)
    expected, _ = trained_by_reference(near, windows, alpha=0.05)
    model.worker(0).train_windows(far_windows, alpha=0.05)
    for name in names:
        trained = getattr(model, name)[-words:]
        np.testing.assert_allclose(trained, getattr(expected, name), rtol=2e-4, atol=2e-5, err_msg=name)
