"""Where the time of a run goes."""

from __future__ import annotations

from collections.abc import Sequence

from compare.cell import Cell, Outcome
from compare.report.figures.parts import Bar, Figure, Table
from compare.report.naming import Naming
from compare.results import Results
from compare.statistics import median

PHASES = ("start", "import", "prepare", "compile", "steady", "quality")
"""Of a bar, in order; start is the process's own."""
MOST_BARS = 24


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
