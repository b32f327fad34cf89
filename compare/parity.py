"""Whether a word2vec row has learnt as much as its reference: the gate that a winner must pass.

The rule, in one place: a row falls short on a score, or on the loss, when the mean of its differences from the
reference (same repeat, same seed) is worse than the means of n runs of two equal trainers lie apart by chance, at
GATE; the loss must be worse by LOSS_SLACK too. The chance in one run is the standard deviation over repeats, pooled
over all rows; with one repeat there is none, and the score's own standard error stands in for it. On little text the
scores tell nothing apart, and the loss does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from compare.cell import Cell
from compare.judge import LOSS_TOLERANCE, losses_apart
from compare.results import Results
from compare.statistics import t_quantile
from compare.workloads.w2v import GENSIM, SYNTHETIC

SCORES = ("analogies", "wordsim", "simlex")
LOSS = "loss"
"""Lower is better; of the same examples in every row, so that these add no chance of their own."""
LOSS_SLACK = 0.01
"""Share of the reference's loss by which equal scores may differ in it: hogwild's windows, which share their negatives,
end 0.2 % above gensim on 100 MB of Wikipedia."""
GATE = 1 - 0.05 / len((LOSS, *SCORES))
"""Of each, so that chance bars an equal trainer in at most 1 of 20 comparisons (Bonferroni)."""
NORMAL_QUANTILE = float(ndtri((1 + GATE) / 2))
RULE = (
    "A row can't win when its analogies, WordSim-353 or SimLex-999 are below gensim's, or its loss above, beyond "
    "noise: by more than chance makes once in 20 comparisons, from the spread over repeats of all rows together "
    "(with one repeat, from each score's standard error). The loss counts against the row `gensim` alone, and from "
    f"{LOSS_SLACK:.0%} of it."
)
UNCHECKED = (
    f"No row of gensim's has figures ({' or '.join(GENSIM)}), so nothing was checked against it: a row can't win when "
    f"its loss is more than {LOSS_TOLERANCE:.0%} above the lowest, and analogies, WordSim-353 and SimLex-999 bar none."
)
"""In place of RULE, without a reference."""

Quality = Mapping[str, float | None]
Series = Mapping[int, Quality]


@dataclass(frozen=True)
class Shortfall:
    """A row's score, or loss, that is `by` worse than the reference's mean, where `noise` would have been let pass."""

    score: str
    by: float
    noise: float

    def __str__(self) -> str:
        side = "above" if self.score == LOSS else "below"
        return f"{self.score} {self.by:.3f} {side} gensim's (noise {self.noise:.3f})"


def objections(results: Results, cells: Sequence[Cell]) -> dict[str, str]:
    """Why rows can't win, by key; cells: measured, of one text. On made-up text, none is barred."""
    if cells[0].options.get("text") == SYNTHETIC:
        return {}
    references = [cell for name in GENSIM for cell in cells if cell.backend == name]
    if not references:
        return losses_apart(results, cells)
    rows = {cell.key: {round: ok.quality for round, ok in results.ok(cell).items()} for cell in cells}
    expected = rows[references[0].key]
    judged = (LOSS, *SCORES) if references[0].backend == GENSIM[0] else SCORES
    found = {
        cell.key: shortfalls(rows[cell.key], expected, list(rows.values()), judged)
        for cell in cells
        if cell.backend not in GENSIM
    }
    return {key: ", ".join(map(str, shorts)) for key, shorts in found.items() if shorts}


def shortfalls(
    ours: Series, reference: Series, rows: Sequence[Series], judged: Sequence[str] = (LOSS, *SCORES)
) -> list[Shortfall]:
    """Where `ours` falls short of `reference`; `rows` are all rows, these two among them."""
    found = []
    for score in judged:
        pairs = [
            (value, expected)
            for round in ours.keys() & reference.keys()
            if (value := ours[round].get(score)) is not None and (expected := reference[round].get(score)) is not None
        ]
        if pairs:
            mine, theirs = np.mean(pairs, axis=0).tolist()
            noise = noise_of_difference(score, rows, len(pairs))
            worse = mine - theirs if score == LOSS else theirs - mine
            if worse > max(noise, LOSS_SLACK * theirs if score == LOSS else 0.0):
                found.append(Shortfall(score, worse, noise))
    return found


def noise_of_difference(score: str, rows: Sequence[Series], runs: int) -> float:
    """How far the means of `score` over `runs` runs of two equal trainers may lie apart."""
    values = [[value for quality in row.values() if (value := quality.get(score)) is not None] for row in rows]
    degrees = sum(len(row) - 1 for row in values if row)
    if degrees:
        squares = sum(float(np.var(row)) * len(row) for row in values if row)
        return t_quantile(degrees, GATE) * math.sqrt(squares / degrees * 2 / runs)
    qualities = [quality for row in rows for quality in row.values() if quality.get(score) is not None]
    error = max(standard_error(score, quality) for quality in qualities)
    return NORMAL_QUANTILE * error * math.sqrt(2 / runs)


def standard_error(score: str, quality: Quality) -> float:
    """Of one run's score: a share of n questions (binomial), or a correlation of n pairs; of the loss none."""
    if score == LOSS:
        return 0.0
    value, asked = quality[score], quality[f"{score}_asked"]
    assert value is not None and asked is not None
    if score == "analogies":
        return math.sqrt(value * (1 - value) / asked)
    return (1 - value**2) / math.sqrt(max(asked - 1, 1))
