"""What two cells of a claim come to: a verdict and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from compare.cell import Cell
from compare.gates import barred
from compare.report.terminal import failures, interval
from compare.results import Results
from compare.statistics import Ratio, median, paired_ratio
from mnist import device


class Verdict(str, Enum):
    HOLDS = "holds here"
    FAILS = "does not hold here"
    NEEDS_GPU = "needs a GPU"
    UNDECIDED = "undecided here"


@dataclass(frozen=True)
class Answer:
    """What came of a claim, and the figures, a line each."""

    verdict: Verdict
    figures: Sequence[str]


def times_as_fast(results: Results, fast: Cell, slow: Cell) -> Ratio | None:
    """How many times as fast a steady sample of `fast` is, round by round; None unless both were measured."""
    return paired_ratio(results.sample_seconds(slow), results.sample_seconds(fast))


def decided(ratio: Ratio | None, at_least: float = 1.0) -> Verdict:
    """Whether a ratio is decidedly above `at_least`, decidedly below, or neither."""
    if ratio is None or ratio.low is None or ratio.high is None:
        return Verdict.UNDECIDED
    if ratio.low > at_least:
        return Verdict.HOLDS
    return Verdict.FAILS if ratio.high < at_least else Verdict.UNDECIDED


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """Of a claim with several parts: it holds where all do, and needs a GPU where nothing else keeps it open."""
    order = (Verdict.FAILS, Verdict.UNDECIDED, Verdict.NEEDS_GPU, Verdict.HOLDS)
    return min(verdicts, key=order.index)


def contest(results: Results, fast: Cell, slow: Cell, at_least: float = 1.0) -> Answer:
    """Whether `fast` is as many times as fast. A row that can't run here, or that no winner may be, decides nothing."""
    missing = [cell for cell in (fast, slow) if not results.sample_seconds(cell)]
    if missing:
        known = [told(results, cell) for cell in (fast, slow) if cell not in missing]
        lacking = [line for cell in missing for line in why_not(results, cell)]
        verdict = Verdict.NEEDS_GPU if all(needs_gpu(results, cell) for cell in missing) else Verdict.UNDECIDED
        return Answer(verdict, [*known, *lacking])
    ratio = times_as_fast(results, fast, slow)
    figure = f"{fast.label} is {interval(ratio)} times as fast as {slow.label}" if ratio else "no common repeats"
    figures = [told(results, fast), told(results, slow), figure]
    if out := objections(results, fast, slow):
        return Answer(Verdict.UNDECIDED, [*figures, *out])
    return Answer(decided(ratio, at_least), figures)


def objections(results: Results, *cells: Cell) -> list[str]:
    """Why the speed of some of `cells` says nothing, a line each."""
    reasons = barred(results)
    return [f"{cell.label} decides nothing: {reasons[cell.key]}" for cell in cells if cell.key in reasons]


def told(results: Results, cell: Cell) -> str:
    seconds = list(results.sample_seconds(cell).values())
    accuracy = list(accuracies(results, cell).values())
    learnt = f", accuracy {median(accuracy):.1%}" if accuracy else ""
    return f"{cell.label}: {median(seconds):.3g} s{learnt}"


def why_not(results: Results, cell: Cell) -> list[str]:
    """Why a cell has no figures, a line for each way in which its runs ended."""
    return failures(results, [cell]) or [f"{cell.label} not run"]


def needs_gpu(results: Results, cell: Cell) -> bool:
    """Whether it is a GPU that a cell without figures lacks."""
    return any(run.cell == cell and outcome.reason.startswith(device.NEEDED) for run, outcome in results.finished)


def accuracies(results: Results, cell: Cell) -> dict[int, float]:
    return {
        round: value
        for round, outcome in results.ok(cell).items()
        if (value := outcome.quality.get("accuracy")) is not None
    }
