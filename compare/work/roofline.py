"""How fast a machine can do some work at most: the roofline of its measured ceilings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from compare.profile import CACHE_LEVELS, MEMORY, Profile
from compare.work.quantities import RowMoves, Work


@dataclass(frozen=True)
class Bound:
    """The least seconds that each kind of work takes; they may overlap, so the longest alone is certain."""

    terms: Mapping[str, float]
    """By "arithmetic", "memory" and "calls"."""

    @property
    def binding(self) -> str:
        return max(self.terms, key=lambda name: self.terms[name])

    @property
    def seconds(self) -> float:
        return self.terms[self.binding]

    @property
    def throughput(self) -> float:
        """Seconds of whichever of arithmetic and memory takes longer."""
        return max(self.terms["arithmetic"], self.terms["memory"])


def bound(work: Work, profile: Profile, device: str, threads: int) -> Bound | None:
    """None where `profile` has no figure for something that `work` needs (no GPU, no rate for its dtype)."""
    terms = _terms(work, profile, device, threads)
    known = {name: seconds for name, seconds in terms.items() if seconds is not None}
    return Bound(known) if len(known) == len(terms) else None


def lacking(work: Work, profile: Profile, device: str, threads: int) -> list[str]:
    """For which kinds of work `profile` lacks a ceiling."""
    return [name for name, seconds in _terms(work, profile, device, threads).items() if seconds is None]


def _terms(work: Work, profile: Profile, device: str, threads: int) -> dict[str, float | None]:
    flops = profile.value("sgemm", device, threads, dtype=work.dtype)
    stream = profile.value("copy", device, threads)
    call = call_seconds(profile, device)
    rows = _row_seconds(work.row_moves, profile, device, threads)
    return {
        "arithmetic": None if flops is None else work.flops / flops,
        "memory": None if stream is None or rows is None else work.streamed_bytes / stream + rows,
        "calls": None if call is None else work.calls * call,
    }


def call_seconds(profile: Profile, device: str) -> float | None:
    """Of a call into a library, or of a launch on a device that need not be waited for; None where not measured."""
    return profile.value("launch", device, mode="stream") if device == "gpu" else profile.value("call")


def _row_seconds(moves: RowMoves, profile: Profile, device: str, threads: int) -> float | None:
    if device == "gpu":  # of its cache no rate is measured: what it holds is taken to cost nothing
        rate = profile.value("copy", "gpu")
        missed = 1 - cached_share(moves, profile.gpu.get("l2_bytes", 0))
        return None if rate is None else missed * moves.bytes_moved / rate
    seconds, held = 0.0, 0.0
    for level in (*CACHE_LEVELS, MEMORY):
        rate = profile.row_rate("update", moves.row_bytes, level, threads)
        if rate is None and level == MEMORY:
            return None
        if rate is not None:
            reached = 1.0 if level == MEMORY else max(held, cached_share(moves, profile.cache_bytes(level)))
            seconds += (reached - held) * moves.bytes_moved / rate
            held = reached
    return seconds


def cached_share(moves: RowMoves, cache_bytes: float) -> float:
    """The share of moves whose row a least-recently-used cache holds, if each move picks its row independently.

    Che's approximation (Che, Tung and Wang 2002, "Hierarchical Web Caching Systems", IEEE JSAC 20): a row that is
    picked with probability p is held with probability 1 - exp(-p T), and T is where the rows held fill the cache.
    """
    capacity, picked = cache_bytes / moves.row_bytes, moves.moves > 0
    rows, total = moves.rows[picked].astype(float), float(moves.moves.sum())
    if capacity >= rows.sum():
        return 1.0
    if capacity < 1:
        return 0.0
    shares = moves.moves[picked] / total
    p = shares / rows

    def surplus(log_time: float) -> float:
        return float(rows @ -np.expm1(-p * np.exp(log_time))) - capacity

    # Held rows are at most T / 1 picks, so T >= capacity; after picking each row 50 times over, all are held.
    time = np.exp(brentq(surplus, np.log(capacity), np.log(50 / p.min())))
    return float(shares @ -np.expm1(-p * time))
