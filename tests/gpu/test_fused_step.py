"""The MNIST kernels give the weights and losses of the specification, at any depth and with a smaller last batch."""

import re

import numpy as np
import nvrtc
import pytest

from mnist.backends import Task
from mnist.backends.fused_step import EPOCH, FusedStep, constants, source
from mnist.backends.numpy_ import NumPy
from mnist.model import astype, initial_weights

EXAMPLES, BATCH = 75, 32


def mnist_task(hidden, dtype):
    rng = np.random.default_rng(3)
    images = rng.integers(256, size=(EXAMPLES, 784), dtype=np.uint8)
    labels = rng.integers(10, size=EXAMPLES, dtype=np.uint8)
    return Task(images, labels, astype(initial_weights(hidden, seed=3), dtype), BATCH, learning_rate=0.1)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("hidden", "dtype"), [((40,), np.float32), ((33, 20), np.float32), ((16,), np.float64)], ids=str
)
def test_an_epoch_gives_the_weights_and_the_loss_of_numpy(emulate, hidden, dtype, seed):
    task, order = mnist_task(hidden, dtype), np.random.default_rng(seed).permutation(EXAMPLES)
    expected = NumPy(task)
    loss = expected.train_epoch(order)

    kernels = emulate(seed=seed).compile(source(), constants(task.dtype))
    step = FusedStep(task, np, kernels.launch)
    step.order[:] = order
    step.epoch[:] = np.array([(0.0, EXAMPLES, 0)], EPOCH).view(np.uint8)
    for _ in range(3):
        step.launch()
    assert step.epoch.view(EPOCH)[0]["place"] == EXAMPLES
    assert step.epoch.view(EPOCH)[0]["loss"] / EXAMPLES == pytest.approx(loss, rel=1e-5)
    for ours, theirs in zip(step.weights, expected.weights(), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-6)


def test_a_step_after_the_last_changes_nothing(emulate):
    task = mnist_task((16,), np.float32)
    step = FusedStep(task, np, emulate().compile(source(), constants(task.dtype)).launch)
    step.launch()
    for ours, start in zip(step.weights, task.weights, strict=True):
        np.testing.assert_array_equal(ours, start)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("architecture", ["75", "90"])
def test_the_kernels_compile(architecture, dtype):
    library = nvrtc.library()
    if library is None:
        pytest.skip(nvrtc.MISSING)
    real = constants(np.dtype(dtype))["REAL"]
    options = [f"-arch=sm_{architecture}", "--std=c++17", f"-DREAL={real}", "--ptxas-options=-v"]
    compiled, log = nvrtc.compile_kernels(library, source(), options)
    assert compiled and "warning" not in log, log
    assert set(re.findall(r"(\d+) bytes stack frame", log)) == {"0"}, log
