"""Crossings of made-up speeds, where the answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from compare.crossover import Crossing, Gap, course
from compare.statistics import t_quantile

SHAPES = (1.0, 4.0, 16.0, 64.0)


def crossings(rows) -> list[Crossing]:
    return list(course(rows).crossings)


def line(at_one: float, slope: float, noise=lambda round: 0.0, rounds: int = 4, shapes=SHAPES):
    """Speeds at_one · x^slope · exp(noise), by shape and round."""
    return {x: {r: at_one * x**slope * math.exp(noise(r)) for r in range(rounds)} for x in shapes}


def swing(size: float):
    return lambda round: size if round % 2 else -size


def speeds(**rows):
    """shape -> name -> round -> speed."""
    shapes = sorted({x for row in rows.values() for x in row})
    return {x: {name: row[x] for name, row in rows.items() if x in row} for x in shapes}


def test_two_power_laws_cross_exactly_where_they_should():
    (found,) = crossings(speeds(flat=line(8, 0), steep=line(1, 1)))
    assert (found.before, found.after) == ("flat", "steep")
    assert found.at == pytest.approx(8.0)


def test_the_interval_is_where_the_ratios_own_interval_leaves_one_out():
    (found,) = crossings(speeds(flat=line(8, 0, swing(0.1)), steep=line(1, 1)))
    margin = t_quantile(3) * np.std([0.1, -0.1, 0.1, -0.1], ddof=1) / 2
    assert found.low == pytest.approx(8 * math.exp(-margin))
    assert found.high == pytest.approx(8 * math.exp(margin))
    assert found.decided


def test_an_interval_may_end_shapes_away():
    (found,) = crossings(speeds(flat=line(8, 0, swing(0.9)), steep=line(1, 1)))
    margin = t_quantile(3) * np.std([0.9, -0.9, 0.9, -0.9], ddof=1) / 2
    assert margin > math.log(2)  # beyond the shapes 4 and 16 that bracket it
    assert found.low is None or found.low == pytest.approx(8 * math.exp(-margin))
    assert found.low is None and found.high is None  # and beyond those measured: nothing is extrapolated


def test_one_repeat_has_a_crossing_but_no_interval():
    (found,) = crossings(speeds(flat=line(8, 0, rounds=1), steep=line(1, 1, rounds=1)))
    assert found.at == pytest.approx(8.0) and found.low is found.high is None and not found.decided


def test_a_winner_throughout_crosses_nowhere():
    assert crossings(speeds(fast=line(100, 0), slow=line(1, 1))) == []
    assert crossings(speeds(alone=line(1, 1))) == []
    assert crossings({}) == []


def test_three_rows_hand_over_twice():
    rows = speeds(small=line(6, 0), middle=line(3, 0.5), large=line(0.75, 1))
    assert [(c.before, c.after) for c in crossings(rows)] == [("small", "middle"), ("middle", "large")]
    assert [c.at for c in crossings(rows)] == pytest.approx([4.0, 16.0], rel=1e-6)


def test_a_row_that_wins_again_is_told_twice():
    hill = {1.0: 1.0, 4.0: 4.0, 16.0: 4.0, 64.0: 1.0}
    rows = speeds(flat=line(2, 0), hill={x: dict.fromkeys(range(4), v) for x, v in hill.items()})
    assert [(c.before, c.after) for c in crossings(rows)] == [("flat", "hill"), ("hill", "flat")]
    assert [c.at for c in crossings(rows)] == pytest.approx([2.0, 32.0])


def test_a_shape_at_which_a_row_is_missing_is_not_bridged():
    steep = line(1, 1)
    del steep[16.0], steep[64.0]
    assert crossings(speeds(flat=line(8, 0), steep=steep)) == []


def test_a_change_of_leaders_is_told_where_one_of_them_is_missing_next_door():
    steep = line(1, 1)
    del steep[4.0]
    found = course(speeds(flat=line(8, 0), steep=steep))
    assert found.crossings == [] and list(found.leaders.values()) == ["flat", "flat", "steep", "steep"]
    assert found.gaps == [Gap("flat", "steep", 4.0, 16.0, [("steep", 4.0)])]


def test_rounds_that_a_row_lacks_are_left_out_for_all():
    flat, steep = line(8, 0), line(1, 1)
    flat[16.0][9] = 1e9
    (found,) = crossings(speeds(flat=flat, steep=steep))
    assert found.at == pytest.approx(8.0)


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_holds_the_true_crossing_about_as_often_as_it_says(seed):
    rng = np.random.default_rng(seed)
    held = 0
    for _ in range(100):
        noise = rng.normal(0, 0.05, (2, 4, 5))
        rows = {
            x: {
                "flat": {r: 8 * math.exp(noise[0, i, r]) for r in range(5)},
                "steep": {r: x * math.exp(noise[1, i, r]) for r in range(5)},
            }
            for i, x in enumerate(SHAPES)
        }
        (found,) = crossings(rows)
        held += (found.low or 0) <= 8 <= (found.high or math.inf)
    assert held >= 95  # 99 % intervals
