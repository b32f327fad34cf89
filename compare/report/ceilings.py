"""How near rows come to their machine's ceilings, in words."""

from __future__ import annotations

from collections.abc import Mapping

from compare import profile
from compare.results import Results
from compare.work import Share, share_of_ceiling

UNKNOWN = "No share of ceilings: this machine was not measured, run `compare machine`"
LEGEND = "by a model of the least work; a: arithmetic binds, m: memory, c: calls"


def shares(results: Results) -> Mapping[str, Share] | None:
    """Of the cells that have figures and a model, by key; None where neither this machine nor one like it was measured.

    Each is the share of what the machine of `results` could do at most.
    """
    machine = profile.of_machine(results.machine)
    if machine is None:
        return None
    found = {cell.key: share_of_ceiling(results, cell, machine) for cell in results.plan.cells}
    return {key: share for key, share in found.items() if share}


def text(share: Share | None) -> str:
    """`61% a`: as LEGEND says."""
    return f"{share.of_ceiling:.0%} {share.bound.binding[0]}" if share else "-"
