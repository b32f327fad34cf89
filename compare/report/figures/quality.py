"""What was learnt in which time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compare.cell import Outcome
from compare.report.figures.parts import Figure, Table
from compare.report.naming import Naming
from compare.report.plot import Point, Series, plot
from compare.results import Results
from compare.statistics import median


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


def loss_curve(outcomes: Sequence[Outcome]) -> list[Point]:
    """(seconds since training began, loss): medians over the runs, at the end of each epoch or of all."""
    losses = [outcome.facts.get("losses") for outcome in outcomes]
    if not all(losses):
        last = [loss for outcome in outcomes if (loss := outcome.quality.get("loss")) is not None]
        return [(median([outcome.warm for outcome in outcomes]), median(last))]
    epochs = range(min(len(each or ()) for each in losses))
    return [
        (median([sum(o.samples[: n + 1]) for o in outcomes]), median([o.facts["losses"][n] for o in outcomes]))
        for n in epochs
    ]
