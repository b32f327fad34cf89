from __future__ import annotations

import pytest

from compare.parity import noise_of_difference, shortfalls


def row(*analogies: float | None) -> dict[int, dict[str, float | None]]:
    return {
        round: {"analogies": value, "analogies_asked": 10_000 if value is not None else 0}
        for round, value in enumerate(analogies)
    }


def test_equal_rows_do_not_fall_short():
    gensim, ours = row(0.35, 0.36, 0.35), row(0.36, 0.35, 0.35)
    assert shortfalls(ours, gensim, [gensim, ours]) == []


def test_better_row_does_not_fall_short():
    gensim, ours = row(0.35, 0.36, 0.35), row(0.45, 0.46, 0.45)
    assert shortfalls(ours, gensim, [gensim, ours]) == []


def test_row_below_the_spread_of_repeats_falls_short():
    gensim, ours = row(0.35, 0.36, 0.35), row(0.30, 0.31, 0.30)
    (found,) = shortfalls(ours, gensim, [gensim, ours])
    assert found.score == "analogies" and found.by == pytest.approx(0.05) and found.noise < 0.05


def test_same_difference_within_a_wide_spread_does_not():
    gensim, ours = row(0.25, 0.45, 0.35), row(0.20, 0.40, 0.30)
    assert shortfalls(ours, gensim, [gensim, ours]) == []


def test_spread_is_pooled_over_all_rows():
    gensim, ours, wild = row(0.35, 0.36), row(0.30, 0.31), row(0.2, 0.5)
    assert noise_of_difference("analogies", [gensim, ours, wild], 2) > noise_of_difference(
        "analogies", [gensim, ours], 2
    )


def test_one_repeat_is_judged_by_the_binomial_error():
    noise = noise_of_difference("analogies", [row(0.5), row(0.5)], runs=1)
    assert noise == pytest.approx(2.498 * 2**0.5 * 0.005, rel=1e-3)
    assert shortfalls(row(0.48), row(0.5), [row(0.48), row(0.5)])
    assert not shortfalls(row(0.49), row(0.5), [row(0.49), row(0.5)])


def losses(*values: float) -> dict[int, dict[str, float | None]]:
    return {round: {"loss": value} for round, value in enumerate(values)}


@pytest.mark.parametrize(
    ("ours", "barred"),
    [((3.47, 3.46), True), ((2.955, 2.956), False), ((2.80, 2.81), False), ((3.47,), True), ((2.97,), False)],
)
def test_loss_above_the_references_falls_short_beyond_noise_and_one_percent(ours, barred):
    reference = losses(2.95, 2.951)
    found = shortfalls(losses(*ours), reference, [losses(*ours), reference])
    assert [each.score for each in found] == ["loss"] * barred


def test_loss_within_a_wide_spread_does_not_fall_short():
    reference, ours = losses(2.0, 4.0), losses(2.2, 4.1)
    assert shortfalls(ours, reference, [ours, reference]) == []


def test_score_that_is_not_defined_is_not_judged():
    assert shortfalls(row(None), row(0.5), [row(None), row(0.5)]) == []
