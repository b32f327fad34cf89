"""Where the winner changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compare.cell import Cell
from compare.crossover import course
from compare.judge import Judgement
from compare.report.figures.parts import Figure, Table
from compare.report.plot import Mark, Point, Series, plot
from compare.results import Results
from compare.shape_sweep import axis_value
from compare.statistics import median


def crossover(results: Results, judgements: Sequence[Judgement], colours: Mapping[str, int]) -> Figure:
    """Seconds along each shape axis that has several values, with the crossings between rows that may win."""
    title = "Where the winner changes"
    plots, rows = [], []
    barred = {key for judgement in judgements for key in judgement.barred}
    for axis, family in axes([cell for judgement in judgements for cell in judgement.cells]).items():
        series: dict[str, list[Point]] = {}
        speeds: dict[float, dict[str, dict[int, float]]] = {}
        for cell in family:
            x, seconds = axis_value(cell, axis[1]), results.sample_seconds(cell)
            if x is not None and seconds:
                series.setdefault(cell.backend, []).append((x, median(list(seconds.values()))))
                if cell.key not in barred:
                    speeds.setdefault(x, {})[cell.backend] = {round: 1 / value for round, value in seconds.items()}
        lines = [Series(name, sorted(points), colours[name]) for name, points in series.items()]
        if not lines:
            continue
        found = course(speeds).crossings
        marks = [Mark(f"{each.before} to {each.after}", each.at, each.low, each.high) for each in found]
        plots.append(plot(axis[0], axis[1], "seconds a sample", lines, marks=marks))
        for line in lines:
            rows += [[line.name, f"{axis[1]} {x:g}", f"{y:.4g}", ""] for x, y in line.points]
        for each in found:
            reach = f"{each.low:.3g} to {each.high:.3g}" if each.decided else "not decided: more repeats"
            rows.append([f"{each.before} to {each.after}", f"{axis[1]} {each.at:.3g}", "", reach])
    if not plots:
        return Figure(title, "Only one shape was measured: nothing can cross.")
    note = "A crossing lies between two shapes that were measured; its interval ends where one is decidedly faster."
    return Figure(title, note, Table(["", "at", "seconds a sample", "interval"], rows), plots)


def axes(cells: Sequence[Cell]) -> dict[tuple[str, str], list[Cell]]:
    """(what stays the same, the axis) -> cells, of every numeric shape axis along which a backend has several cells."""
    found: dict[tuple[str, str], list[Cell]] = {}
    for axis in dict.fromkeys(name for cell in cells for name in cell.shape):
        for cell in cells:
            if axis_value(cell, axis) is not None:
                rest = {name: value for name, value in cell.shape_texts.items() if name != axis}
                same = ", ".join(f"{name} {value}" for name, value in [*rest.items(), ("threads", cell.threads)])
                found.setdefault((same, axis), []).append(cell)
    return {key: family for key, family in found.items() if len({axis_value(cell, key[1]) for cell in family}) > 1}
