"""What a comparison was made for: the tables that show it."""

from __future__ import annotations

from dataclasses import dataclass

COMMANDS = ("w2v", "mnist", "sweep", "crossover", "claims")
"""Those that measure something to be shown."""
MNIST_VIEWS = ("details", "ops", "overhead")
APART = ("mnist-ops", "mnist-overhead")
"""Views that take a step or an epoch apart: no rows compete there."""


@dataclass(frozen=True)
class View:
    """The command that asked, and what is swept. Without a name: cells that are no more than measured."""

    name: str = ""
    """Of COMMANDS, or `mnist-` and one of MNIST_VIEWS."""
    axis: str = ""
    """Of a crossover: one of `shape_sweep.AXES`."""

    @classmethod
    def of_command(cls, line: str) -> View:
        """From a command line: files of earlier versions tell no more."""
        words = line.replace("=", " ").split()
        name = words[1] if len(words) > 1 and words[1] in COMMANDS else ""
        flags = [each for each in MNIST_VIEWS if f"--{each}" in words]
        if name == "mnist" and flags:
            return cls(f"mnist-{flags[-1]}")
        if name == "crossover":
            return cls(name, words[words.index("--axis") + 1]) if "--axis" in words[:-1] else cls()
        return cls(name)
