"""How near rows come to their machine's ceilings, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from compare.cell import Cell
from compare.profile import UNMEASURED, Profile
from compare.results import Results
from compare.work import Share, share_of_ceiling

UNMODELLED = "there is no work model for these rows, or the machine's profile lacks a ceiling"


def beyond(shares: Iterable[float]) -> str:
    """How rows get over 100%; empty where none does."""
    return "by less work than the model's, or faster products than NumPy's" if max(shares, default=0) > 1 else ""


@dataclass(frozen=True)
class Shares:
    """What rows reach of what their machine can do at most."""

    profile: Profile
    found: Mapping[str, Share]
    """By key, of the cells that have figures and a model."""

    def text(self, cell: Cell) -> str:
        """`61% a`: as `legend` says."""
        share = self.found.get(cell.key)
        return f"{share.of_ceiling:.0%} {share.bound.binding[0]}" if share else "-"

    @property
    def legend(self) -> str:
        return f"by a model of the least work; a: arithmetic binds, m: memory, c: calls; {self.source}"

    @property
    def source(self) -> str:
        """Whose ceilings they are, and, where rows get beyond them, how."""
        how = beyond(share.of_ceiling for share in self.found.values())
        return f"{f'over 100%: {how}; ' if how else ''}ceilings: {self.profile.origin}"


def shares(results: Results) -> Shares | None:
    """Of all cells; None where neither the machine of `results` nor one like it was measured."""
    if (known := results.profile) is None:
        return None
    found = {cell.key: share_of_ceiling(results, cell, known) for cell in results.plan.cells}
    return Shares(known, {key: share for key, share in found.items() if share})


def without(shares: Shares | None) -> str:
    """Why no row has a share."""
    return f"No share of ceilings: {UNMEASURED if shares is None else UNMODELLED}."
