"""What the workload `mnist` makes of a cell, with a made-up backend and made-up images."""

from __future__ import annotations

import numpy as np
import pytest

from compare import mnist_plans, workloads
from compare.cell import Cell
from compare.workloads.mnist import ONCE, Trial, dataset_of, dataset_options
from mnist import backends, data


class Recorder:
    """A backend that keeps what it is called for."""

    def __init__(self, task: backends.Task) -> None:
        self.task, self.calls = task, []

    def reset(self) -> None:
        self.calls.append("reset")

    def train_epoch(self, order: np.ndarray) -> float:
        self.calls.append(len(order))
        return 1.0


@pytest.fixture
def few_images(monkeypatch):
    few = data.Dataset("few", *(np.arange(n * k, dtype=np.uint8).reshape(-1, k).squeeze() for n, k in SIZES))
    monkeypatch.setattr(data, "stand_in", lambda: few)


SIZES = (4, 784), (4, 1), (2, 784), (2, 1)


def prepared(backend: str, make=Recorder, **options: object) -> Trial:
    cell = Cell("mnist", backend, shape={"batch": 32, "hidden": [4]}, options={"learning_rate": 0.1, **options})
    trial = Trial(cell, seed=1)
    trial.make = make
    trial.prepare()
    return trial


@pytest.mark.parametrize("backend", ["numpy", "native", "jax"])
def test_every_row_throws_a_first_epoch_away(few_images, backend):
    trial = prepared(backend)
    trial.compile()
    assert trial.backend.calls == [data.EPOCH, "reset"]


@pytest.mark.parametrize("backend", ONCE)
def test_of_one_example_at_a_time_a_batch_is_enough(few_images, backend):
    trial = prepared(backend)
    trial.compile()
    assert trial.backend.calls == [32, "reset"]


def test_a_backend_that_finds_that_it_can_not_run_is_skipped_with_the_cure(few_images):
    def no_device(task: backends.Task) -> None:
        raise backends.Unavailable("sees no GPU: pip install it")

    with pytest.raises(workloads.Skip, match="sees no GPU: pip install it"):
        prepared("keras-gpu", no_device)


def test_a_row_that_lacks_the_dtype_is_no_failure_and_says_so_once(monkeypatch):
    monkeypatch.setattr(backends, "unavailable", lambda name: None)
    asked = mnist_plans.Asked((32, 256), ("numpy", "native-bf16"), ((128,),), "float64", 1, 1, {}, {})
    (cell,) = (cell for cell in mnist_plans.grid(asked) if cell.backend == "native-bf16")
    assert Trial.obstacle(cell) == "trains in float32, not in float64: choose another row"
    assert all(Trial.obstacle(cell) is None for cell in mnist_plans.grid(asked) if cell.backend != "native-bf16")


def test_dense_images_have_no_blank_pixel_and_are_another_data_set(few_images):
    options = dataset_options("few", dense=True)
    plain, dense = (dataset_of(Cell("mnist", "numpy", options=each)) for each in ({}, options))
    assert plain.train_images.min() == 0 < dense.train_images.min()
    np.testing.assert_array_equal(dense.test_images, np.maximum(plain.test_images, 1))
    assert options["dataset"] != dataset_options("few", dense=False)["dataset"]
