"""What `compare advise` says."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from compare.advise import KERNELS, Advice
from compare.calibration import Calibration
from compare.report.terminal import WIDTH, enumeration, output, table
from compare.statistics import Ratio


def show(shape: str, found: Sequence[Advice], calibration: Calibration, notes: Sequence[str]) -> None:
    """Print a line for each device, what limits it, and what could not be said."""
    console = output()
    console.print(f"{shape}\n", markup=False)
    priced = any(each.cost for each in found)
    grid = table("", "device", "backend", "seconds an epoch", *(["cost an epoch"] if priced else []))
    for number, each in enumerate(found, 1):
        cost = [ranged(each.cost, ".2g") if each.cost else "-"] if priced else []
        grid.add_row(f"{number} {each.device.upper()}", each.backend, ranged(each.seconds), *cost)
    console.print(grid)
    for number, each in enumerate(found, 1):
        upload = f" Sending the data takes {each.upload:.2g} s once." if each.upload is not None else ""
        console.print(f"{number} {each.machine}: {each.sentence}.{upload}", markup=False)
    console.print(f"\n{legend(found, calibration)}", markup=False)
    if notes:
        console.print()
    for note in notes:
        console.print(note, markup=False)


def legend(found: Sequence[Advice], calibration: Calibration) -> str:
    """What the columns mean."""
    names = enumeration(list(calibration.fits))
    meanings = {
        "backend": f"the fastest of {names}, as fitted on {calibration.machine} and carried over by each machine's "
        "ceilings; others can't be predicted"
    }
    if any(each.backend == KERNELS for each in found):
        meanings[KERNELS] = "a GPU's work by the bare model, fitted to no backend: hence the wide range"
    meanings["seconds"] = "predicted by the work model (twice its error on shapes left out of the fit, either way)"
    if any(each.cost for each in found):
        meanings["cost"] = "hours of an epoch x the price of an hour, in the currency of --price"
    lines = [fill(f"{name:<9}{meaning}", WIDTH, subsequent_indent=" " * 9) for name, meaning in meanings.items()]
    return "\n".join(lines)


def ranged(value: Ratio, form: str = ".3g") -> str:
    """`0.12 (0.1-0.15)`."""
    assert value.low is not None and value.high is not None
    return f"{value.estimate:{form}} ({value.low:{form}}-{value.high:{form}})"
