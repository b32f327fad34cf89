"""Geometry of a plot: from figures to positions in an SVG of WIDTH x HEIGHT, which a template draws."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 420, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 10, 10, 44
COLOURS = 8
"""That can be told apart, also by the colour-blind. Series beyond have another marker to a colour."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high` between the pixels `begin` and `end`."""

    label: str
    low: float
    high: float
    begin: float
    end: float
    log: bool

    def at(self, value: float) -> float:
        low, high, value = map(math.log, (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        return round(self.begin + (value - low) / (high - low) * (self.end - self.begin), 1)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Positions and texts: round steps, or over a wide range 1, 2 and 5 of each decade, or powers of ten."""
        if self.log and self.high > 5 * self.low:
            decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            steps = (1, 2, 5) if self.high < 300 * self.low else (1,)
            stride = max(1, len(decades) // 6)
            values = [step * 10.0**decade for decade in decades if decade % stride == 0 for step in steps]
        else:
            step = _nice_step((self.high - self.low) / 5)
            first = math.ceil(self.low / step)
            values = [n * step for n in range(first, math.floor(self.high / step) + 1)]
        return [(self.at(value), f"{value:,.4g}") for value in values if self.low <= value <= self.high]


def _nice_step(rough: float) -> float:
    magnitude: float = 10 ** math.floor(math.log10(rough))
    return next(step * magnitude for step in (1, 2, 5, 10) if step * magnitude >= rough)


@dataclass(frozen=True)
class Line:
    """A series as it is drawn."""

    name: str
    colour: int
    marker: int
    """Each below COLOURS."""
    points: Sequence[Point]
    """Pixels."""
    joined: bool
    dashed: bool = False
    marked: bool = True

    @property
    def path(self) -> str:
        return "M" + "L".join(f"{x} {y}" for x, y in self.points) if self.joined else ""


@dataclass(frozen=True)
class Rule:
    """A vertical line at a value, with the interval around it."""

    text: str
    x: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Plot:
    """Everything that the template draws."""

    title: str
    x: Axis
    y: Axis
    lines: Sequence[Line]
    rules: Sequence[Rule] = ()
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True)
class Series:
    """Named points, in the units of the axes. `number` makes its colour and marker, the same in every plot."""

    name: str
    points: Sequence[Point]
    number: int
    joined: bool = True
    dashed: bool = False
    marked: bool = True


@dataclass(frozen=True)
class Mark:
    """A value of the x axis worth a vertical line, and its interval."""

    text: str
    value: float
    low: float | None = None
    high: float | None = None


def plot(
    title: str,
    x_label: str,
    y_label: str,
    series: Sequence[Series],
    log_x: bool = True,
    log_y: bool = True,
    marks: Iterable[Mark] = (),
) -> Plot:
    """All `series` on common axes, which fit them; at least one series must have a point."""
    points = [point for each in series for point in each.points]
    x = _axis(x_label, [each[0] for each in points], LEFT, WIDTH - RIGHT, log_x)
    y = _axis(y_label, [each[1] for each in points], HEIGHT - BOTTOM, TOP, log_y)

    def within(value: float | None, fallback: float) -> float:
        return fallback if value is None else min(max(x.at(value), x.begin), x.end)

    return Plot(
        title,
        x,
        y,
        [
            Line(
                each.name,
                each.number % COLOURS,
                (each.number + each.number // COLOURS) % COLOURS,
                [(x.at(px), y.at(py)) for px, py in each.points],
                each.joined and len(each.points) > 1,
                each.dashed,
                each.marked,
            )
            for each in series
        ],
        [
            Rule(mark.text, x.at(mark.value), within(mark.low, x.begin), within(mark.high, x.end))
            for mark in marks
            if x.low <= mark.value <= x.high
        ],
    )


def _axis(label: str, values: Sequence[float], begin: float, end: float, log: bool) -> Axis:
    low, high = min(values), max(values)
    if log:
        margin = max((high / low) ** 0.06, 1.1)
        return Axis(label, low / margin, high * margin, begin, end, log=True)
    margin = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    return Axis(label, low - margin, high + margin, begin, end, log=False)
