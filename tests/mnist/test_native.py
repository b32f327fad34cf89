"""Our own trainer: on every instruction set and number of threads what the specification says, or a clear error."""

import os
import subprocess
import sys
import textwrap
import threading
from dataclasses import replace

import numpy as np
import psutil
import pytest

from mnist import backends
from mnist.backends import Task, native
from mnist.backends.native import Native, NativeBFloat16, usable_isas
from mnist.backends.reference import Reference
from mnist.model import astype, initial_weights

EXAMPLES = 400
needs_bf16 = pytest.mark.skipif(native.why_not_bf16() is not None, reason=str(native.why_not_bf16()))


def task(hidden=(16,), batch_size=32, dtype=np.float32, learning_rate=0.05, threads=1, examples=EXAMPLES) -> Task:
    """Noise with random labels."""
    rng = np.random.default_rng(3)
    images = rng.integers(256, size=(examples, 784), dtype=np.uint8)
    labels = rng.integers(10, size=examples, dtype=np.uint8)
    return Task(
        images, labels, astype(initial_weights(hidden, seed=3), dtype), batch_size, learning_rate, threads=threads
    )


ORDER = np.random.default_rng(4).permutation(EXAMPLES)


@pytest.mark.parametrize("batch_size", [1, 7, 300, 1000], ids=lambda size: f"batch {size}")
@pytest.mark.parametrize("hidden", [(128,), (37, 50, 5)], ids=str)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float64, 1e-14)])
def test_any_shape_and_batch_size_trains_as_the_reference_on_every_instruction_set(
    hidden, batch_size, dtype, tolerance
):
    given = task(hidden, batch_size, dtype)
    reference = Reference(given)
    expected = reference.train_epoch(ORDER)
    for isa in usable_isas():
        backend = Native(given, isa)
        assert backend.train_epoch(ORDER) == pytest.approx(expected, rel=tolerance)
        for ours, theirs in zip(backend.weights(), reference.weights(), strict=True):
            assert ours.dtype == dtype
            np.testing.assert_allclose(ours, theirs, atol=tolerance)


def inked(share: float) -> np.ndarray:
    """Images that are blank but for a share of their pixels."""
    rng = np.random.default_rng(5)
    shape = EXAMPLES, 784
    return np.where(rng.random(shape) < share, rng.integers(1, 256, shape), 0).astype(np.uint8)


@pytest.mark.parametrize("share", [0, 0.02, 0.5, 1], ids=lambda share: f"{share:.0%} inked")
@pytest.mark.parametrize("batch_size", [1, 7, 300], ids=lambda size: f"batch {size}")
def test_blank_pixels_are_left_out_without_a_trace(share, batch_size):
    given = replace(task((37,), batch_size, threads=2), images=inked(share))
    reference = Reference(given)
    expected = reference.train_epoch(ORDER)
    for isa in usable_isas():
        backend = Native(given, isa)
        assert backend.train_epoch(ORDER) == pytest.approx(expected, rel=1e-6)
        for ours, theirs in zip(backend.weights(), reference.weights(), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("batch_size", [128, 256], ids=["chunk by chunk", "two chunks a batch"])
@pytest.mark.parametrize("first", ["blank", "inked"])
def test_a_pixel_that_is_blank_in_a_chunk_and_inked_in_another_is_trained(first, batch_size):
    given = task(batch_size=batch_size, examples=256)
    given.images[:] = 0
    given.images[128:, 300] = 200
    backend, reference = Native(given), Reference(given)
    order = np.arange(256) if first == "blank" else np.arange(256)[::-1].copy()
    backend.train_epoch(order)
    reference.train_epoch(order)
    trained, before = backend.weights()[0], given.weights[0]
    np.testing.assert_array_equal(np.flatnonzero((trained != before).any(axis=1)), [300])
    np.testing.assert_allclose(trained[300], reference.weights()[0][300], atol=1e-6)


@pytest.mark.parametrize("hidden", [(128,), (40, 50)], ids=str)
@pytest.mark.parametrize("batch_size", [1, 32, 300], ids=lambda size: f"batch {size}")
def test_the_weights_are_the_same_bits_for_any_number_of_threads(hidden, batch_size):
    def trained(threads):
        backend = Native(task(hidden, batch_size, threads=threads))
        backend.train_epoch(ORDER)
        return backend.weights()

    for threads in (2, 3, 20):
        for one, many in zip(trained(1), trained(threads), strict=True):
            np.testing.assert_array_equal(one, many)


def test_the_first_hundred_steps_have_the_losses_of_the_float64_reference():
    given = task(batch_size=8, examples=800)
    ours, reference = Native(given), Reference(given)
    steps = np.arange(800).reshape(100, 8)
    np.testing.assert_allclose(
        [ours.train_epoch(step) for step in steps], [reference.train_epoch(step) for step in steps], rtol=1e-5
    )


@pytest.mark.parametrize(("batch_size", "threads", "running"), [(32, 1, 1), (32, 2, 2), (1, 2, 1)])
def test_as_many_threads_run_as_allowed_and_one_where_a_batch_is_too_small_to_share(batch_size, threads, running):
    backend = Native(task((128,), batch_size, threads=threads))
    training = threading.Thread(target=backend.train_epoch, args=(np.tile(ORDER, 20),))
    before, most = psutil.Process().num_threads(), 0
    training.start()
    while training.is_alive():
        most = max(most, psutil.Process().num_threads())
    training.join()
    assert most == before + running


def test_too_little_memory_for_what_threads_make_themselves_is_an_error():
    script = """
        import resource, sys

        import numpy as np
        import psutil

        from mnist.backends import Task
        from mnist.backends.native import Native
        from mnist.model import initial_weights

        images, labels = np.zeros((8, 784), np.uint8), np.zeros(8, np.uint8)
        backend = Native(Task(images, labels, initial_weights((30_000,), seed=1), 8, 0.1, threads=2))
        used, room = psutil.Process().memory_info().vms, int(sys.argv[1])
        if room:
            resource.setrlimit(resource.RLIMIT_AS, (used + room, resource.RLIM_INFINITY))
        try:
            backend.train_epoch(np.arange(8))
        except MemoryError:
            print("MemoryError")
        else:
            (peak,) = (line.split()[1] for line in open("/proc/self/status") if line.startswith("VmPeak"))
            print(1024 * int(peak) - used)
    """

    def outcome(room: int) -> str:
        command = [sys.executable, "-c", textwrap.dedent(script), str(room)]
        alike = {**os.environ, "MALLOC_ARENA_MAX": "1"}  # a thread's own heap is large, and made only where it fits
        return subprocess.run(command, env=alike, capture_output=True, text=True, check=True).stdout.strip()

    needed, of_a_thread = int(outcome(room=0)), 4 * 785 * 15_000
    assert outcome(needed - of_a_thread // 2) == "MemoryError"


def test_a_learning_rate_that_is_too_large_ends_in_a_loss_that_is_not_finite():
    backend = Native(task(learning_rate=1e30))
    losses = [backend.train_epoch(ORDER) for _ in range(3)]
    assert not np.isfinite(losses[-1])


def test_training_leaves_the_tasks_weights_alone():
    given = task()
    before = astype(given.weights, np.float32)
    Native(given).train_epoch(ORDER)
    for old, new in zip(before, given.weights, strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("index", [-1, EXAMPLES])
def test_an_order_outside_the_examples_is_refused(index):
    with pytest.raises(IndexError, match="the order must name examples 0 to 399"):
        Native(task()).train_epoch(np.array([0, index]))


def test_a_label_beyond_the_classes_is_refused():
    given = task()
    with pytest.raises(ValueError, match="label 10: labels must be below 10"):
        Native(replace(given, labels=np.full_like(given.labels, 10)))


@needs_bf16
@pytest.mark.parametrize("batch_size", [1, 7, 300], ids=lambda size: f"batch {size}")
@pytest.mark.parametrize("hidden", [(128,), (37, 50, 5)], ids=str)
def test_bfloat16_products_stay_within_a_percent_of_the_reference(hidden, batch_size):
    given = task(hidden, batch_size, learning_rate=0.01, threads=2)
    assert NativeBFloat16(given).train_epoch(ORDER) == pytest.approx(Reference(given).train_epoch(ORDER), rel=0.01)


@needs_bf16
@pytest.mark.parametrize("share", [0, 0.02, 0.5, 1], ids=lambda share: f"{share:.0%} inked")
@pytest.mark.parametrize("batch_size", [1, 7, 300], ids=lambda size: f"batch {size}")
def test_bfloat16_products_leave_out_blank_pixels_too(share, batch_size):
    given = replace(task((37,), batch_size, learning_rate=0.001), images=inked(share))
    backend, reference = NativeBFloat16(given), Reference(given)
    assert backend.train_epoch(ORDER) == pytest.approx(reference.train_epoch(ORDER), rel=0.01)
    for ours, theirs, before in zip(backend.weights(), reference.weights(), given.weights, strict=True):
        assert np.linalg.norm(ours - theirs) <= 0.05 * np.linalg.norm(theirs - before)


@needs_bf16
def test_bfloat16_refuses_float64_weights():
    with pytest.raises(ValueError, match="keeps float32 weights, not float64: choose float32, or native"):
        NativeBFloat16(task(dtype=np.float64))


def test_without_the_instructions_bfloat16_says_so(monkeypatch):
    monkeypatch.setattr(native, "BF16_COMPILED", True)
    monkeypatch.setattr(native, "has_bf16", lambda: False)
    assert "no AVX-512 BF16 instructions" in (backends.unavailable("native-bf16") or "")
    with pytest.raises(RuntimeError, match="no AVX-512 BF16 instructions"):
        NativeBFloat16(task())


def test_where_the_compiler_lacks_bfloat16_the_processor_is_not_blamed(monkeypatch):
    monkeypatch.setattr(native, "BF16_COMPILED", False)
    monkeypatch.setattr(native, "has_bf16", lambda: False)
    assert "not compiled: build with GCC" in (backends.unavailable("native-bf16") or "")
