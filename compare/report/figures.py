"""The figures of the report page, each with the table that it draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from compare.cell import Cell, Outcome
from compare.crossover import crossings
from compare.judge import Judgement
from compare.profile import Profile
from compare.report.naming import Naming
from compare.report.plot import Mark, Plot, Point, Series, plot
from compare.report.terminal import times
from compare.results import Results
from compare.statistics import CONFIDENCE, geometric_mean, median
from compare.work import of_cell, share_of_ceiling

PHASES = ("start", "import", "prepare", "transfer", "compile", "steady", "quality")
"""Of a bar, in order; start is the process's own."""
WORST_SHADE = 9
WORST_FACTOR = 30.0
"""How many times the best of its column gets the deepest shade."""
MOST_BARS = 24


@dataclass(frozen=True)
class Table:
    """Headings and rows of texts; the first column names the row."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    shades: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """By row and column, from 0 (the best of its column) to WORST_SHADE."""


@dataclass(frozen=True)
class Bar:
    """A row of the waterfall."""

    label: str
    parts: Sequence[tuple[str, float, float]]
    """(phase, share of the longest bar in per cent, seconds)."""
    seconds: float


@dataclass(frozen=True)
class Figure:
    """A section of the page. Without a table there was nothing to show, and `note` says why."""

    title: str
    note: str
    table: Table | None = None
    plots: Sequence[Plot] = ()
    bars: Sequence[Bar] = ()


def figures(
    results: Results, judgements: Sequence[Judgement], profile: Profile | None, naming: Naming
) -> list[Figure]:
    """All of one result, in the order of the page. A backend has one colour in all of them."""
    names = dict.fromkeys(cell.backend for cell in results.plan.cells)
    colours = {name: number for number, name in enumerate(names)}
    return [
        grid(results, judgements, naming),
        waterfall(results, naming),
        roofline(results, profile, naming, colours),
        crossover(results, judgements, colours),
        quality(results, naming, colours),
        scaling(results, naming, colours),
    ]


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


def waterfall(results: Results, naming: Naming) -> Figure:
    """Where the seconds of a whole run go, from the start of its process to the end of its evaluation."""
    phases_of = [(cell, phase_seconds(list(results.ok(cell).values()))) for cell in results.plan.cells]
    timed = [(cell, phases) for cell, phases in phases_of if phases]
    longest = max((sum(phases.values()) for _, phases in timed), default=1.0)
    bars = [
        Bar(naming.full(cell), [(p, 100 * s / longest, s) for p, s in phases.items()], sum(phases.values()))
        for cell, phases in timed[:MOST_BARS]
    ]
    rows = [
        [naming.full(cell), *(in_seconds(phases[phase]) for phase in PHASES), cold_and_warm(results, cell)]
        for cell, phases in timed
    ]
    note = (
        "Seconds of one run by phase, medians. Cold is what a first run costs up to the end of training, warm is "
        "training alone."
        + (f" Bars for the first {MOST_BARS} rows, the table has all." if len(timed) > MOST_BARS else "")
    )
    headings = ["", *PHASES, "cold / warm"]
    return Figure("Where the time goes", note, Table(headings, rows) if rows else None, bars=bars)


def roofline(results: Results, profile: Profile | None, naming: Naming, colours: Mapping[str, int]) -> Figure:
    """Every cell under the ceilings of its machine: a model of the work, over the measured time."""
    title = "Share of the machine's ceilings"
    if profile is None:
        return Figure(title, "This machine's ceilings were not measured: compare machine, then this report again.")
    rows: list[list[str]] = []
    series: dict[str, list[Point]] = {}
    for cell in results.plan.cells:
        outcomes = list(results.ok(cell).values())
        work = of_cell(cell, outcomes[0].facts) if outcomes else None
        share = share_of_ceiling(cell, outcomes[0], profile) if outcomes else None
        if work is None or share is None:
            continue
        seconds = median(list(results.sample_seconds(cell).values()))
        moved = work.streamed_bytes + work.row_moves.bytes_moved
        speed, intensity = work.flops / seconds, work.flops / moved
        series.setdefault(cell.backend, []).append((intensity, speed / 1e9))
        part = f"{share.bound.seconds / seconds:.1%}"
        rows.append([naming.full(cell), f"{speed / 1e9:.3g}", f"{intensity:.3g}", part, share.bound.binding])
    if not rows:
        return Figure(title, "There is no work model for these rows, or the machine's profile lacks a ceiling.")
    points = [Series(name, each, colours[name], joined=False) for name, each in series.items()]
    headings = ["", "GFLOP/s", "FLOP a byte", "share of ceiling", "ceiling"]
    note = (
        f"By a model of the least work, not by counters; ceilings as measured ({profile.name}). Bytes count every move "
        "of a row or weight, so what a cache holds may rise above the line of main memory."
    )
    lines = roofs(profile, results, [x for each in series.values() for x, _ in each])
    drawn = plot("Roofline", "FLOP a byte moved", "GFLOP/s", [*lines, *points])
    return Figure(title, note, Table(headings, rows), [drawn])


def roofs(profile: Profile, results: Results, intensities: Sequence[float]) -> list[Series]:
    """Main memory's slope up to the flat roof of matrix products, for the most threads that were measured with."""
    threads = max(cell.threads for cell in results.plan.cells)
    peak, stream = profile.value("sgemm", threads=threads, dtype="float32"), profile.value("copy", threads=threads)
    if peak is None or stream is None:
        return []
    ridge = peak / stream
    left, right = min([*intensities, ridge]) / 2, max([*intensities, ridge]) * 2
    path = [(left, stream * left / 1e9), (ridge, peak / 1e9), (right, peak / 1e9)]
    name = f"memory {stream / 1e9:.0f} GB/s, then sgemm {peak / 1e9:.0f} GFLOP/s"
    return [Series(name, path, 7, dashed=True, marked=False)]


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
        found = crossings(speeds)
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


def quality(results: Results, naming: Naming, colours: Mapping[str, int]) -> Figure:
    """Loss against seconds of training: epoch by epoch where the run kept its losses, else where it ended."""
    rows: list[list[str]] = []
    curves: dict[str, list[Series]] = {}
    for cell in results.plan.cells:
        outcomes = list(results.ok(cell).values())
        if not outcomes or outcomes[0].quality.get("loss") is None:
            continue
        curve = loss_curve(outcomes)
        curves.setdefault(naming.column(cell), []).append(Series(cell.backend, curve, colours[cell.backend]))
        rows += [[naming.full(cell), f"{seconds:.4g}", f"{loss:.4g}"] for seconds, loss in curve]
    if not rows:
        return Figure("What was learnt in that time", "No run kept a loss.")
    plots = [
        plot(shape, "seconds of training", "loss", series, log_x=True, log_y=False) for shape, series in curves.items()
    ]
    note = "Further left is faster, lower is better. Medians of the repeats."
    return Figure("What was learnt in that time", note, Table(["", "seconds", "loss"], rows), plots)


def scaling(results: Results, naming: Naming, colours: Mapping[str, int]) -> Figure:
    """Speed by threads, over one thread, of cells that differ in nothing else."""
    families: dict[str, dict[int, float]] = {}
    shown = {}
    for cell in results.plan.cells:
        if seconds := list(results.sample_seconds(cell).values()):
            name = f"{cell.backend} {naming.column(cell, without='threads')}"
            families.setdefault(name, {})[cell.threads] = median(seconds)
            shown[name] = cell.backend
    several = {name: dict(sorted(family.items())) for name, family in families.items() if len(family) > 1}
    if not several:
        return Figure("Thread scaling", "Only one number of threads was measured: nothing can scale.")
    lines, rows = [], []
    for name, family in several.items():
        fewest = next(iter(family))
        ups = [(float(threads), fewest * family[fewest] / seconds) for threads, seconds in family.items()]
        lines.append(Series(name, ups, colours[shown[name]]))
        rows += [[name, f"{threads:g}", f"{family[int(threads)]:.4g}", times(up)] for threads, up in ups]
    note = "Speed over that of one thread, or over the fewest threads measured times their number."
    drawn = plot("Thread scaling", "threads", "times one thread", lines)
    return Figure("Thread scaling", note, Table(["", "threads", "seconds", "times one thread"], rows), [drawn])


def loss_curve(outcomes: Sequence[Outcome]) -> list[tuple[float, float]]:
    losses = [outcome.facts.get("losses") for outcome in outcomes]
    if not all(losses):
        last = median([outcome.quality["loss"] or math.nan for outcome in outcomes])
        return [(median([outcome.warm for outcome in outcomes]), last)]
    epochs = range(min(len(each or ()) for each in losses))
    return [
        (median([sum(o.samples[: n + 1]) for o in outcomes]), median([o.facts["losses"][n] for o in outcomes]))
        for n in epochs
    ]


def phase_seconds(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Median seconds of every one of PHASES; empty without outcomes."""
    outcomes = [outcome for outcome in outcomes if outcome.phases]
    if not outcomes:
        return {}
    found = {phase: median([outcome.phases.get(phase, 0.0) for outcome in outcomes]) for phase in PHASES[1:]}
    starts = [max(0.0, (outcome.seconds or 0.0) - sum(outcome.phases.values())) for outcome in outcomes]
    return {"start": median(starts), **found}


def in_seconds(value: float) -> str:
    """To three figures; what takes less than a tenth of a millisecond is nothing."""
    return f"{value:.3g}" if value >= 1e-4 else "0"


def cold_and_warm(results: Results, cell: Cell) -> str:
    outcomes = list(results.ok(cell).values())
    return " / ".join(f"{median([getattr(each, name) for each in outcomes]):.3g}" for name in ("cold", "warm"))


def with_interval(seconds: Sequence[float]) -> str:
    centre = geometric_mean(seconds)
    if centre.low is None or centre.high is None:
        return f"{median(seconds):.3g}"
    return f"{median(seconds):.3g}\n{centre.low:.3g}\N{EN DASH}{centre.high:.3g}"


def axis_value(cell: Cell, axis: str) -> float | None:
    """A number, or a list of one; None for anything else, which is no place on an axis."""
    value = cell.shape.get(axis)
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    return float(value) if isinstance(value, int | float) and value > 0 else None


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
