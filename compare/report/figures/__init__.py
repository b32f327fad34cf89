"""The figures of the report page, each with the table that it draws."""

from __future__ import annotations

from collections.abc import Sequence

from compare.judge import Judgement
from compare.report.figures.crossover import crossover
from compare.report.figures.grid import grid
from compare.report.figures.parts import Figure
from compare.report.figures.quality import quality
from compare.report.figures.roofline import roofline
from compare.report.figures.scaling import scaling
from compare.report.figures.waterfall import waterfall
from compare.report.naming import Naming
from compare.results import Results


def figures(results: Results, judgements: Sequence[Judgement], naming: Naming) -> list[Figure]:
    """All of one result, in the order of the page. A backend has one colour in all of them."""
    names = dict.fromkeys(cell.backend for cell in results.plan.cells)
    colours = {name: number for number, name in enumerate(names)}
    return [
        grid(results, judgements, naming),
        waterfall(results, naming),
        roofline(results, naming, colours),
        crossover(results, judgements, colours),
        quality(results, naming, colours),
        scaling(results, naming, colours),
    ]
