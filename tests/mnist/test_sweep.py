"""Every method of a sweep ends where a plain loop over NumPy's float32 does."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

from mnist import sweep
from mnist.backends import unavailable
from mnist.data import Dataset
from mnist.sweep import Configuration, Finish, Sweep
from mnist.threads import THREAD_LIMITS, single_threaded

RATES = (0.01, 0.3, 1e38)
METHODS = [
    pytest.param(method, marks=pytest.mark.skipif(bool(reason), reason=f"{reason}"))
    for method, (_, backend) in sweep.METHODS.items()
    for reason in [unavailable(backend)]
]


@pytest.fixture(scope="module")
def small():
    """Three learning rates, the last of which overflows, at two batch sizes; 40 examples an epoch."""
    rng = np.random.default_rng(5)
    images, labels = rng.integers(256, size=(90, 784), dtype=np.uint8), rng.integers(10, size=90, dtype=np.uint8)
    configurations = [Configuration(batch, seed=3, learning_rate=rate) for rate in RATES for batch in (16, 8)]
    return Sweep(Dataset("noise", images, labels, images, labels), configurations, (6, 5), 2, threads=2, examples=40)


@pytest.fixture(scope="module")
def expected(small):
    return sweep.loop(small, "numpy")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_ends_where_the_loop_does(method, small, expected):
    train, _ = sweep.METHODS[method]
    for found, wanted in zip(train(small), expected, strict=True):
        assert found.diverged == wanted.diverged
        if not wanted.diverged:
            assert found.loss == pytest.approx(wanted.loss, rel=1e-5)
            assert found.accuracy == wanted.accuracy


def test_a_learning_rate_that_overflows_diverges(expected):
    assert [finish.diverged for finish in expected] == [False] * 4 + [True] * 2


def test_the_winner_has_the_lowest_loss_of_those_that_did_not_diverge():
    assert sweep.winner([Finish(math.nan, 0.1), Finish(0.5, 0.8), Finish(0.4, 0.7)]) == 2
    assert sweep.winner([Finish(math.inf, 0.1)]) is None


def test_single_threaded_leaves_the_environment_as_it_was(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with single_threaded():
        assert {os.environ[name] for name in THREAD_LIMITS} == {"1"}
    assert os.environ["OMP_NUM_THREADS"] == "7" and "MKL_NUM_THREADS" not in os.environ
