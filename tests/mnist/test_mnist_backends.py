"""Every backend that is installed trains as the specification does, step by step."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from train_steps import task, train

from mnist import backends
from mnist.backends.reference import Reference


@pytest.fixture(scope="module")
def reference():
    return train(Reference(task()))


@pytest.fixture(scope="module", params=[name for name in backends.BACKENDS if name != "reference"])
def trained(request, tmp_path_factory):
    name = request.param
    if reason := backends.unavailable(name):
        pytest.skip(reason)
    out = tmp_path_factory.mktemp("trained") / "result.npz"
    environment = {**os.environ, **backends.entry(name).environment, "PYTHONPATH": os.pathsep.join(sys.path)}
    script = Path(__file__).with_name("train_steps.py")
    result = subprocess.run(
        [sys.executable, str(script), name, str(out)], env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return np.load(out)


def test_every_step_has_the_loss_of_the_reference(trained, reference):
    np.testing.assert_allclose(trained["steps"], reference["steps"], rtol=1e-5)


def test_an_epoch_returns_the_mean_loss_over_examples_and_starts_from_the_reset_weights(trained, reference):
    np.testing.assert_allclose(trained["epoch"], reference["epoch"], rtol=1e-5)


@pytest.mark.parametrize("array", ["W1", "b1", "W2", "b2", "W3", "b3"])
def test_the_weights_after_an_epoch_are_those_of_the_reference(trained, reference, array):
    assert trained[array].dtype == np.float32
    np.testing.assert_allclose(trained[array], reference[array], atol=2e-6)


def test_a_last_smaller_batch_is_trained():
    pieces = list(backends.batches(np.arange(10), 4))
    assert [list(piece) for piece in pieces] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_an_unknown_backend_is_refused_with_the_near_one():
    with pytest.raises(ValueError, match="no backend is called 'numpi': did you mean 'numpy'"):
        backends.entry("numpi")


def test_a_backend_without_its_library_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(backends, "find_spec", lambda module: None)
    assert backends.unavailable("jax") == "jax not installed: pip install 'w2v-compare[jax]'"
    assert backends.unavailable("numpy") is None
