"""Which of the instruction sets that the kernels were compiled for a trainer uses."""

from __future__ import annotations


def choose_isa(isa: str | None, usable: list[str]) -> str:
    """`isa`, or the first of `usable` (best first) if it is None; ValueError if this processor can't run it."""
    if isa is not None and isa not in usable:
        raise ValueError(f"isa={isa!r} can't run on this processor: choose from {', '.join(usable)}")
    return isa or usable[0]
