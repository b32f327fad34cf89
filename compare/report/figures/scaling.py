"""Speed by threads."""

from __future__ import annotations

from collections.abc import Mapping

from compare.report.figures.parts import Figure, Table
from compare.report.naming import Naming
from compare.report.plot import Series, plot
from compare.report.terminal import times
from compare.results import Results
from compare.statistics import median


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
