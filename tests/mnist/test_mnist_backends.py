"""Every backend that is installed trains as the specification does, step by step."""

import os
import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from train_steps import task, train

from mnist import backends, device
from mnist.backends import BACKENDS, unavailable
from mnist.backends.reference import Reference


@pytest.fixture(scope="module")
def reference():
    return train(Reference(task()))


@pytest.fixture(scope="module")
def trainings(tmp_path_factory):
    """By each backend that can run here, the coming results of the process that trains it.

    Backends that need the same environment share a process; all processes run at once, since most of their time goes
    into imports and compilers that keep one core busy.
    """
    together = {}
    for name, entry in BACKENDS.items():
        if not unavailable(name):
            together.setdefault(frozenset(entry.environment.items()), []).append(name)
    with ThreadPoolExecutor(len(together)) as pool:
        starts = [
            (names, pool.submit(train_in_a_process, names, environment, tmp_path_factory.mktemp("trained")))
            for environment, names in together.items()
        ]
        yield {name: training for names, training in starts for name in names}


def train_in_a_process(names, environment, folder):
    """Arrays by `backend/name`; on one thread, as these products are too small to share."""
    script, out = Path(__file__).with_name("train_steps.py"), folder / "results.npz"
    variables = {**os.environ, "OMP_NUM_THREADS": "1", **dict(environment), "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, str(script), str(out), *names], env=variables, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return np.load(out)


@pytest.fixture(scope="module", params=[name for name in BACKENDS if name != "reference"])
def trained(request, trainings):
    """What the backend has trained: arrays by name."""
    if reason := unavailable(request.param):
        pytest.skip(reason)
    together, prefix = trainings[request.param].result(), f"{request.param}/"
    return {name.removeprefix(prefix): together[name] for name in together if name.startswith(prefix)}


@pytest.fixture
def tolerance(request):
    """What rounding may do to a loss, as a share of it, and to a weight: bfloat16 keeps 8 bits of 24."""
    return (1e-2, 3e-2) if BACKENDS[request.node.callspec.params["trained"]].precision else (1e-5, 2e-6)


def test_every_step_has_the_loss_of_the_reference(trained, reference, tolerance):
    np.testing.assert_allclose(trained["steps"], reference["steps"], rtol=tolerance[0])


def test_an_epoch_returns_the_mean_loss_over_examples_and_starts_from_the_reset_weights(trained, reference, tolerance):
    np.testing.assert_allclose(trained["epoch"], reference["epoch"], rtol=tolerance[0])


@pytest.mark.parametrize("array", ["W1", "b1", "W2", "b2", "W3", "b3"])
def test_the_weights_after_an_epoch_are_those_of_the_reference(trained, reference, tolerance, array):
    assert trained[array].dtype == np.float32
    np.testing.assert_allclose(trained[array], reference[array], atol=tolerance[1])


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


def test_a_gpu_row_says_that_it_needs_one_before_anything_is_imported(monkeypatch):
    monkeypatch.setattr(device, "unavailable", lambda: "needs an NVIDIA GPU")
    assert backends.unavailable("jax-gpu") == backends.unavailable("keras-gpu") == "needs an NVIDIA GPU"
    assert backends.unavailable("numpy") is None


@pytest.mark.parametrize(("name", "compiled"), [("KerasGPU", False), ("KerasGPUJit", True)])
def test_keras_on_a_gpu_that_tensorflow_does_not_see_says_how_to_install_it(monkeypatch, name, compiled):
    """As with the TensorFlow for processors on a machine with a GPU."""
    sees_none = SimpleNamespace(list_physical_devices=lambda kind: [])
    monkeypatch.setitem(sys.modules, "tensorflow", SimpleNamespace(config=sees_none))
    monkeypatch.setitem(sys.modules, "keras", SimpleNamespace())
    row = runpy.run_path(str(Path(backends.__file__).with_name("keras_.py")))[name]
    assert row.jit_compile is compiled
    with pytest.raises(backends.Unavailable, match=r"sees no GPU: pip install 'w2v-compare\[tf-gpu\]'"):
        row(task())


def test_with_a_gpu_its_row_says_which_library_is_missing(monkeypatch):
    monkeypatch.setattr(device, "unavailable", lambda: None)
    monkeypatch.setattr(backends, "find_spec", lambda module: None)
    assert "pip install 'w2v-compare[jax-gpu]'" in backends.unavailable("jax-gpu")
