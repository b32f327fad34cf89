"""Fits and their errors on made-up backends, whose two numbers are known."""

from __future__ import annotations

import math

import pytest
from test_work import machine

from compare.prediction import Fit, Measured, fit, predict
from compare.work.mnist import mlp
from compare.work.roofline import bound

CALL = 1e-5  # of test_work's machine


def point(batch: int, calls: float, slack: float, factor: float = 1.0) -> Measured:
    """A backend that takes `calls` calls a step, and `slack` times what the ceilings allow, times `factor`."""
    work = mlp((784, 128, 10), batch, 48_000, 5)
    limit = bound(work, machine(), "cpu", 1)
    return Measured(work, limit, CALL, factor * (work.steps * calls * CALL + slack * limit.throughput))


def test_a_backend_that_follows_the_model_is_found_exactly():
    found = fit([point(batch, calls=40, slack=1.5) for batch in (32, 256, 2048)])
    assert (found.calls, found.slack) == pytest.approx((40, 1.5))
    assert found.error == pytest.approx(0, abs=1e-9) and len(found.left_out) == 3


def test_a_backend_without_costs_by_the_step_has_none():
    found = fit([point(batch, calls=0, slack=3) for batch in (32, 256, 2048)])
    assert (found.calls, found.slack) == pytest.approx((0, 3), abs=1e-9)


def test_the_error_is_that_of_shapes_that_were_not_seen():
    three = [point(batch, 40, 1.5) for batch in (32, 256, 4096)]
    odd = point(1024, 40, 1.5, factor=1.2)
    honest = fit([*three, odd]).error
    assert honest >= math.log(1.2) / 2  # the odd one alone, over four shapes
    assert honest > fit([*three, point(1024, 40, 1.5, factor=1.02)]).error


def test_two_shapes_are_too_few():
    assert fit([point(32, 1, 1), point(64, 1, 1)]) is None


def test_another_machine_is_predicted_from_its_own_ceilings_with_the_earned_range():
    work = mlp((784, 128, 10), 32, 48_000, 5)
    fitted = Fit(calls=40, slack=1.5, error=0.1)
    predicted = predict(fitted, work, machine(), "cpu", 1)
    throughput = bound(work, machine(), "cpu", 1).throughput
    assert predicted.estimate == pytest.approx(1500 * 40 * CALL + 1.5 * throughput)
    assert predicted.high / predicted.estimate == pytest.approx(math.exp(0.2))
    assert predict(fitted, work, machine(), "gpu", 1) is None
