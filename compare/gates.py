"""Why a row can't win: it did other work than the rows beside it, or learnt less.

Each workload has a gate of its own. Whatever names a winner, a table, JSON, the page or a claim, asks here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from compare import agreement, parity, sweep_agreement
from compare.cell import REFERENCE, Cell
from compare.judge import groups, losses_apart
from compare.results import Results
from compare.workloads import PARTS

Gate = Callable[[Results, Sequence[Cell]], dict[str, str]]
"""Of like cells that have figures: the reason, in words, by the key of the cell."""
GATES: Mapping[str, Gate] = {
    "mnist": agreement.objections,
    "w2v": parity.objections,
    "sweep": sweep_agreement.objections,
}
"""By workload; others have `losses_apart`."""


def barred(results: Results) -> dict[str, str]:
    """Why cells can't win, by key; what has no figures is not judged, nor a reference, nor the parts of a workload."""
    found: dict[str, str] = {}
    for cells in groups(results):
        measured = [cell for cell in cells if cell.backend != REFERENCE and results.ok(cell)]
        if measured and cells[0].workload not in PARTS:
            found |= GATES.get(cells[0].workload, losses_apart)(results, measured)
    return found
