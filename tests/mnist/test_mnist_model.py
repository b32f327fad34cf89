"""The specification against finite differences and values known beforehand."""

import numpy as np
import pytest

from mnist import model


@pytest.fixture
def weights():
    return model.initial_weights(hidden=3, seed=1).astype(np.float64)


@pytest.fixture
def batch():
    rng = np.random.default_rng(2)
    return rng.random((5, model.PIXELS)), np.array([0, 9, 3, 3, 7])


@pytest.mark.parametrize("name", model.Weights._fields)
def test_gradients_are_the_slopes_of_the_loss(weights, batch, name):
    _, gradients = model.loss_and_gradients(weights, *batch)
    array = getattr(weights, name)
    slopes = np.empty_like(array)
    step = 1e-6
    for index in np.ndindex(array.shape):
        value = array[index]
        array[index] = value + step
        above, _ = model.loss_and_gradients(weights, *batch)
        array[index] = value - step
        below, _ = model.loss_and_gradients(weights, *batch)
        array[index] = value
        slopes[index] = (above - below) / (2 * step)
    np.testing.assert_allclose(getattr(gradients, name), slopes, atol=1e-8)


def test_without_weights_every_class_is_as_likely(weights, batch):
    for array in weights:
        array[...] = 0
    loss, _ = model.loss_and_gradients(weights, *batch)
    assert loss == pytest.approx(np.log(10))


def test_large_logits_do_not_overflow():
    log_p = model.log_softmax(np.array([[1e4, 0.0]], np.float32))
    np.testing.assert_array_equal(log_p, [[0, -1e4]])


def test_a_step_moves_each_weight_against_its_gradient(weights, batch):
    before = weights.astype(np.float64)
    loss, gradients = model.loss_and_gradients(before, *batch)
    assert model.sgd_step(weights, *batch, learning_rate=0.5) == loss
    for old, gradient, new in zip(before, gradients, weights, strict=True):
        np.testing.assert_allclose(new, old - 0.5 * gradient)


def test_initial_weights_come_from_the_seed():
    first, same, other = (model.initial_weights(hidden=4, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.W1, same.W1)
    assert not np.array_equal(first.W1, other.W1)
    assert first.W1.dtype == np.float32
    assert 0.9 < np.abs(first.W1).max() / np.sqrt(6 / (784 + 4)) <= 1


def test_accuracy_is_the_share_of_right_answers(weights):
    images = np.random.default_rng(0).integers(256, size=(8, model.PIXELS), dtype=np.uint8)
    Z = model.output_layer(weights, model.hidden_layer(weights, model.pixels(images)))
    labels = Z.argmax(axis=1)
    labels[:2] = (labels[:2] + 1) % 10
    assert model.accuracy(weights, images, labels) == 0.75


def test_pixels_are_float32_from_0_to_1():
    X = model.pixels(np.array([[0, 255]], np.uint8))
    assert X.dtype == np.float32
    np.testing.assert_array_equal(X, [[0, 1]])


def test_the_work_of_an_example_counts_the_five_products():
    hidden, classes = 128, 10
    products = [(784, hidden), (hidden, classes), (hidden, classes), (hidden, classes), (784, hidden)]
    assert model.flops_per_example(hidden) == sum(2 * m * n for m, n in products) == 409_088
