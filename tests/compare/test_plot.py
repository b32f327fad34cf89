from __future__ import annotations

import pytest

from compare.report.plot import Mark, Series, plot


def test_positions_run_from_left_to_right_and_from_the_bottom_up():
    drawn = plot("t", "x", "y", [Series("a", [(1.0, 1.0), (10.0, 10.0), (100.0, 100.0)], 0)])
    (first, middle, last) = drawn.lines[0].points
    assert first[0] < middle[0] < last[0] < drawn.width and drawn.height > first[1] > middle[1] > last[1] > 0
    assert middle[0] - first[0] == pytest.approx(last[0] - middle[0], abs=0.11)
    assert drawn.lines[0].path.startswith(f"M{first[0]} {first[1]}L")


def test_a_linear_axis_has_round_ticks_within_the_data():
    drawn = plot("t", "x", "y", [Series("a", [(0.0, 0.31), (1.0, 0.74)], 0)], log_x=False, log_y=False)
    assert [text for _, text in drawn.y.ticks] == ["0.3", "0.4", "0.5", "0.6", "0.7"]


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ((0.2, 0.31), ["0.2", "0.25", "0.3"]),
        ((32.0, 4096.0), ["50", "100", "200", "500", "1,000", "2,000"]),
        ((1e-3, 1e5), ["0.001", "0.1", "10", "1,000"]),
    ],
)
def test_a_logarithmic_axis_has_ticks_that_people_count_in(values, ticks):
    drawn = plot("t", "x", "y", [Series("a", [(value, 1.0) for value in values], 0)])
    assert set(ticks) <= {text for _, text in drawn.x.ticks} and len(drawn.x.ticks) <= 9


def test_one_point_is_a_marker_and_no_line():
    drawn = plot("t", "x", "y", [Series("a", [(3.0, 5.0)], 0)], log_y=False)
    assert drawn.lines[0].path == "" and len(drawn.lines[0].points) == 1


def test_twenty_series_are_told_apart_by_colour_and_marker():
    drawn = plot("t", "x", "y", [Series(str(n), [(1.0, 1.0)], n) for n in range(20)])
    assert len({(line.colour, line.marker) for line in drawn.lines}) == 20


def test_a_mark_has_its_interval_and_stays_within_the_plot():
    series = [Series("a", [(1.0, 1.0), (100.0, 1.0)], 0)]
    marks = [Mark("in", 10.0, 5.0, None), Mark("out", 1000.0)]
    (rule,) = plot("t", "x", "y", series, marks=marks).rules
    assert rule.low is not None and rule.low < rule.x < rule.high == plot("t", "x", "y", series).x.end
