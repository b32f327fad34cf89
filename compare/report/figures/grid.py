"""Every row at every shape."""

from __future__ import annotations

import math
from collections.abc import Sequence

from compare.judge import Judgement
from compare.report.figures.parts import WORST_SHADE, Figure, Table
from compare.report.naming import Naming
from compare.results import Results
from compare.statistics import CONFIDENCE, geometric_mean, median

WORST_FACTOR = 30.0
"""How many times the best of its column gets the deepest shade."""


def grid(results: Results, judgements: Sequence[Judgement], naming: Naming) -> Figure:
    """Backends down, shapes across: seconds of a steady sample and their interval, shaded by distance from the best."""
    seconds = {cell.key: list(results.sample_seconds(cell).values()) for cell in results.plan.cells}
    winners = {judgement.winner.key for judgement in judgements if judgement.winner}
    barred = {key for judgement in judgements for key in judgement.barred}
    columns = list(dict.fromkeys(map(naming.column, results.plan.cells)))
    by_place = {(naming.row(cell), naming.column(cell)): cell for cell in results.plan.cells}
    best: dict[str, float] = {}
    for (_, shape), cell in by_place.items():
        if seconds[cell.key]:
            best[shape] = min(best.get(shape, math.inf), median(seconds[cell.key]))
    rows, shades = [], {}
    for row, name in enumerate(dict.fromkeys(map(naming.row, results.plan.cells))):
        texts = [name]
        for column, shape in enumerate(columns, 1):
            here = by_place.get((name, shape))
            if here is None:
                texts.append("")
            elif not seconds[here.key]:
                texts.append(results.ending(here))
            else:
                factor = median(seconds[here.key]) / best[shape]
                shades[row, column] = min(WORST_SHADE, round(WORST_SHADE * math.log(factor) / math.log(WORST_FACTOR)))
                mark = "\nwins" if here.key in winners else "\ncan't win" if here.key in barred else ""
                texts.append(with_interval(seconds[here.key]) + mark)
        rows.append(texts)
    note = (
        f"Seconds of one steady sample: median of the repeats, each in a fresh process, and its {CONFIDENCE:.0%} "
        "interval. The darker, the further from the best of its column."
    )
    return Figure("Every row at every shape", note, Table(["", *columns], rows, shades))


def with_interval(seconds: Sequence[float]) -> str:
    centre = geometric_mean(seconds)
    if centre.low is None or centre.high is None:
        return f"{median(seconds):.3g}"
    reach = "any" if centre.vague else f"{centre.low:.3g}\N{EN DASH}{centre.high:.3g}"
    return f"{median(seconds):.3g}\n{reach}"
