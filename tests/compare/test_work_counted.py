"""The work model against counts of what programs really do: XLA's of its compiled step, NumPy's of the reference."""

from __future__ import annotations

import numpy as np
import pytest

from compare.work.mnist import mlp
from compare.work.w2v import sgns, zipf
from mnist.model import initial_weights
from w2v.params import Params
from w2v.trainers import Task
from w2v.trainers.reference import sample_windows, train_windows


@pytest.mark.parametrize("hidden", [(128,), (256, 64)])
@pytest.mark.parametrize("batch", [32, 1024])
def test_xla_counts_hardly_more_flops_than_the_model_and_no_fewer_bytes(hidden, batch):
    jax_ = pytest.importorskip("mnist.backends.jax_", reason="JAX is not installed")
    weights = initial_weights(hidden)
    X, labels = np.zeros((batch, 784), np.float32), np.zeros(batch, np.int32)
    step = jax_.compiled_step.lower(np.float32(0.1), X, labels, weights, np.arange(batch)).compile()
    counted = step.cost_analysis()
    (counted,) = counted if isinstance(counted, list) else [counted]  # a list before JAX 0.5
    work = mlp((784, *hidden, 10), batch, batch, calls_per_step=1)
    assert 1 <= counted["flops"] / work.flops < 1.03  # biases, activations, softmax and the update are left out
    assert counted["bytes accessed"] >= work.streamed_bytes + work.row_moves.bytes_moved


class Counted(np.ndarray):
    """Counts the arithmetic done with it, and with whatever it results in."""

    flops = 0.0

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [each.view(np.ndarray) if isinstance(each, Counted) else each for each in inputs]
        if "out" in kwargs:
            kwargs["out"] = tuple(each.view(np.ndarray) for each in kwargs["out"])
        result = getattr(ufunc, method)(*plain, **kwargs)
        if method == "at":
            Counted.flops += np.size(plain[0][plain[1]])
            return None
        Counted.flops += 2 * np.size(result) * plain[0].shape[-1] if ufunc is np.matmul else np.size(result)
        return np.asarray(result).view(Counted)

    def __array_function__(self, function, types, args, kwargs):
        if function is np.outer:  # would turn to plain arrays
            return np.multiply(args[0][:, None], args[1][None, :])
        return super().__array_function__(function, types, args, kwargs)


# Skip-gram sums what contexts teach a row before the row gets it; CBOW multiplies each context by its lock and share.
@pytest.mark.parametrize(("sg", "most"), [(1, 1.15), (0, 1.25)])
def test_the_reference_does_hardly_more_arithmetic_than_the_model(sg, most):
    vocabulary, rng = zipf(1000, 3000), np.random.default_rng(0)
    params = Params(sg=sg, vector_size=128, window=3, negative=4, sample=1e-2, epochs=1, compute_loss=False)
    text = rng.permutation(np.repeat(np.arange(len(vocabulary)), vocabulary.counts)).astype(np.int32)
    noise, keep = vocabulary.noise_probabilities(params.ns_exponent), vocabulary.keep_probabilities(params.sample)
    windows = sample_windows([text], keep, noise, params.window, True, params.negative, rng)
    tables = [rng.standard_normal((len(vocabulary), 128)).astype(np.float32).view(Counted) for _ in range(2)]
    Counted.flops = 0.0
    train_windows(Task(None, params, *tables), windows, alpha=0.025)
    model = sgns(vocabulary, params, len(text), pairwise=False).flops
    assert 0.98 < Counted.flops / model < most  # a few windows are cut; the model leaves sigmoids out
