"""The specification against finite differences and values known beforehand."""

import numpy as np
import pytest

from mnist import model


@pytest.fixture
def weights():
    """Of two hidden layers; their biases keep every ReLU away from its kink at zero, where no slope is defined."""
    weights = model.astype(model.initial_weights(hidden=(3, 4), seed=1), np.float64)
    for _, b in model.layers(weights):
        b += 0.1
    return weights


@pytest.fixture
def batch():
    rng = np.random.default_rng(2)
    return rng.random((5, model.PIXELS)), np.array([0, 9, 3, 3, 7])


@pytest.mark.parametrize("index", range(6), ids=["W1", "b1", "W2", "b2", "W3", "b3"])
def test_gradients_are_the_slopes_of_the_loss(weights, batch, index):
    _, gradients = model.loss_and_gradients(weights, *batch)
    array = weights[index]
    slopes = np.empty_like(array)
    step = 1e-6
    for place in np.ndindex(array.shape):
        value = array[place]
        array[place] = value + step
        above, _ = model.loss_and_gradients(weights, *batch)
        array[place] = value - step
        below, _ = model.loss_and_gradients(weights, *batch)
        array[place] = value
        slopes[place] = (above - below) / (2 * step)
    np.testing.assert_allclose(gradients[index], slopes, atol=1e-8)


def test_without_weights_every_class_is_as_likely(weights, batch):
    for array in weights:
        array[...] = 0
    loss, _ = model.loss_and_gradients(weights, *batch)
    assert loss == pytest.approx(np.log(10))


def test_large_logits_do_not_overflow():
    log_p = model.log_softmax(np.array([[1e4, 0.0]], np.float32))
    np.testing.assert_array_equal(log_p, [[0, -1e4]])


def test_a_step_moves_each_weight_against_its_gradient(weights, batch):
    before = model.astype(weights, np.float64)
    loss, gradients = model.loss_and_gradients(before, *batch)
    assert model.sgd_step(weights, *batch, learning_rate=0.5) == loss
    for old, gradient, new in zip(before, gradients, weights, strict=True):
        np.testing.assert_allclose(new, old - 0.5 * gradient)


def test_initial_weights_come_from_the_seed():
    first, same, other = (model.initial_weights(hidden=(4,), seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first[0], same[0])
    assert not np.array_equal(first[0], other[0])
    assert first[0].dtype == np.float32
    assert 0.9 < np.abs(first[0]).max() / np.sqrt(6 / (784 + 4)) <= 1


def test_accuracy_is_the_share_of_right_answers(weights):
    images = np.random.default_rng(0).integers(256, size=(8, model.PIXELS), dtype=np.uint8)
    _, Z = model.forward(weights, model.pixels(images))
    labels = Z.argmax(axis=1)
    labels[:2] = (labels[:2] + 1) % 10
    assert model.accuracy(weights, images, labels) == 0.75


def test_pixels_are_float32_from_0_to_1():
    X = model.pixels(np.array([[0, 255]], np.uint8))
    assert X.dtype == np.float32
    np.testing.assert_array_equal(X, [[0, 1]])


def test_a_network_without_hidden_units_is_refused():
    with pytest.raises(ValueError, match=r"hidden=\(128, 0\): give at least one hidden layer"):
        model.initial_weights(hidden=(128, 0))


def test_the_work_of_an_example_counts_every_product():
    forward = [(784, 128), (128, 64), (64, 10)]
    backward = [(784, 128), (128, 64), (128, 64), (64, 10), (64, 10)]
    assert model.flops_per_example((128, 64)) == sum(2 * m * n for m, n in forward + backward)
    assert model.flops_per_example() == 409_088
