"""Words for people."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "s") -> str:
    """`1 word`, `1,234 words`; plural: what the noun ends in where there are several."""
    return f"{number:,} {noun}{'' if number == 1 else plural}"
