"""A step taken apart is the specification's step, in every array library that is installed."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from mnist import model, operations

LIBRARIES = [
    pytest.param(name, marks=pytest.mark.skipif(find_spec(name) is None, reason=f"{name} not installed"))
    for name in ("numpy", "jax", "tensorflow")
]
RATE = 0.5


@pytest.fixture
def start():
    """Weights of two hidden layers, inputs and labels of a batch."""
    rng = np.random.default_rng(2)
    weights = model.initial_weights(hidden=(6, 5), seed=1)
    return weights, rng.random((8, model.PIXELS), np.float32), rng.integers(10, size=8)


def expected(start):
    weights, X, labels = start
    trained = model.astype(weights, weights[0].dtype)
    model.sgd_step(trained, X, labels, RATE)
    return dict(zip(model.names(weights), trained, strict=True))


def whole_step(library):
    """All operations of a step of three layers, in one function of its arrays."""
    steps = operations.operations(3, RATE, library)

    def step(arrays):
        found = dict(arrays)
        for operation in steps.values():
            found |= operation(found)
        return {name: found[name] for name in arrays if name[0] in "Wb"}

    return step


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_operations_together_are_a_step(name, start):
    library = operations.library(name)
    wanted = expected(start)
    trained = whole_step(library)(operations.arrays(*start, library))
    library.synchronize(trained)
    assert trained.keys() == wanted.keys()
    for key, array in wanted.items():
        np.testing.assert_allclose(np.asarray(trained[key]), array, atol=1e-6)


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_step_in_float64_is_not_cut_to_float32(name, start):
    weights, X, labels = start
    double, library = (model.astype(weights, np.float64), X, labels), operations.library(name)
    wanted = expected(double)
    trained = whole_step(library)(operations.arrays(*double, library))
    for key, array in wanted.items():
        np.testing.assert_allclose(np.asarray(trained[key]), array, atol=1e-14)


@pytest.mark.parametrize("name", LIBRARIES[1:])
def test_compiled_into_one_call_they_are_the_same_step(name, start):
    library = operations.library(name)
    compiled = library.compiled(whole_step(library))
    trained = compiled(operations.arrays(*start, library))
    for key, array in expected(start).items():
        np.testing.assert_allclose(np.asarray(trained[key]), array, atol=1e-6)


def test_operations_are_named_in_their_order():
    assert list(operations.operations(2, RATE, operations.library("numpy"))) == [
        "Z1 = X W1 + b1",
        "A1 = ReLU(Z1)",
        "Z2 = A1 W2 + b2",
        "P = softmax(Z2)",
        "dZ2 = (P - Y) / batch",
        "dW2 = A1' dZ2, db2",
        "dA1 = dZ2 W2'",
        "dZ1 = dA1 where Z1 > 0",
        "dW1 = X' dZ1, db1",
        "update",
    ]
