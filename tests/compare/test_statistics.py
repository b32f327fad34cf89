from __future__ import annotations

import numpy as np
import pytest

from compare.statistics import (
    CONFIDENCE,
    LEAST_ROUNDS,
    Ratio,
    drift,
    fastest,
    mean_difference,
    median,
    paired_ratio,
    spread,
    welch_ratio,
)


def series(*values: float) -> dict[int, float]:
    return dict(enumerate(values))


@pytest.mark.parametrize("rounds", [1, LEAST_ROUNDS - 1])
def test_few_rounds_have_a_ratio_and_no_interval(rounds):
    ours, theirs = series(*[6.0] * rounds), series(*[2.0] * rounds)
    assert paired_ratio(ours, theirs) == Ratio(pytest.approx(3.0), None, None)
    assert not paired_ratio(ours, theirs).decided
    assert mean_difference(ours, theirs) is None


def test_an_interval_over_a_factor_of_a_hundred_says_nothing():
    assert Ratio(1.0, 0.09, 10.0).vague and not Ratio(1.0, 0.11, 10.0).vague and not Ratio(1.0).vague


def test_rounds_are_paired():
    drifting = paired_ratio(series(2.0, 20.0, 200.0), series(1.0, 10.0, 100.0))
    assert (drifting.estimate, drifting.low, drifting.high) == (pytest.approx(2.0),) * 3


def test_only_common_rounds_count():
    assert paired_ratio({0: 4.0, 2: 9.0}, {0: 2.0, 1: 1.0}).estimate == pytest.approx(2.0)
    assert paired_ratio({0: 4.0}, {1: 1.0}) is None


def test_ratio_and_its_inverse_say_the_same():
    a, b = series(3.0, 3.3, 2.9), series(1.0, 1.2, 0.9)
    there, back = paired_ratio(a, b), paired_ratio(b, a)
    assert there.estimate == pytest.approx(1 / back.estimate)
    assert there.low == pytest.approx(1 / back.high)


def test_interval_holds_the_true_ratio_as_often_as_it_says():
    random = np.random.default_rng(0)
    trials, hits = 2000, 0
    for _ in range(trials):
        noisy = paired_ratio(series(*np.exp(random.normal(0.5, 0.2, 3))), series(1.0, 1.0, 1.0))
        hits += noisy.low <= np.exp(0.5) <= noisy.high
    assert hits / trials == pytest.approx(CONFIDENCE, abs=0.007)


def test_clear_winner_stands_alone():
    assert fastest({"slow": series(1.0, 1.1, 0.9), "fast": series(9.0, 9.5, 9.2)}) == ["fast"]


def test_overlap_is_a_tie():
    speeds = {"a": series(1.0, 1.2, 0.9), "b": series(1.1, 1.1, 1.1), "c": series(0.1, 0.1, 0.1)}
    assert fastest(speeds) == ["b", "a"]


def test_one_round_decides_nothing():
    assert fastest({"a": series(1.0), "b": series(100.0)}) == ["b", "a"]


def test_a_row_of_the_fast_rounds_alone_does_not_beat_one_that_is_faster_in_each_of_them():
    slow_first = series(1.0, 1.0, 1.0, 1.0, 2.0, 2.02, 2.04)
    fast_rounds_alone = {round: 0.96 * slow_first[round] for round in (4, 5, 6)}
    assert fastest({"all": slow_first, "late": fast_rounds_alone}) == ["late", "all"]


def test_no_rows_no_winner():
    assert fastest({}) == []


def test_median_and_spread():
    assert median([1.0, 9.0, 2.0]) == 2.0
    assert spread([1.0, 2.0, 3.0]) == pytest.approx(0.5)
    assert spread([1.0]) is None


def test_runs_that_were_not_paired_are_compared_by_welch():
    assert welch_ratio([2.0, 2.02, 1.98], [1.0, 1.01, 0.99]).decided
    assert welch_ratio([2.0, 2.02, 1.98], [1.0, 1.01, 0.99]).estimate == pytest.approx(2.0, rel=1e-3)
    assert not welch_ratio([1.0, 1.3, 0.8], [1.1, 0.9, 1.2]).decided
    assert not welch_ratio([2.0], [1.0]).decided
    assert welch_ratio([2.0, 2.0, 2.0], [1.0, 1.0, 1.0]).decided
    assert not welch_ratio([2.0, 2.0], [1.0, 1.0, 1.0]).decided


def test_drift_is_the_change_from_the_first_round_to_the_last():
    assert drift(series(1.0, 1.1, 1.21, 1.331)).estimate == pytest.approx(1.331)
    assert not drift(series(1.0, 1.2, 0.9, 1.1)).decided
    assert drift(series(1.0, 2.0, 3.0)) is None
