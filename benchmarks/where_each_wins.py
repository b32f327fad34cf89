"""Write docs/where-each-wins.md from the result files in results/.

results/PROFILE/*.json were measured on the machine of the shipped profile PROFILE.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import click

from compare import findings, store, work
from compare.cell import Cell
from compare.claims import Claim, concluded
from compare.contest import Answer
from compare.judge import Judgement
from compare.noise import warnings
from compare.profile import Profile, named
from compare.report.crossover import verdict
from compare.report.terminal import machine_line, times
from compare.report.verdicts import judgements, words
from compare.results import Results
from compare.shape_sweep import of_results
from compare.statistics import CONFIDENCE

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "where-each-wins.md"
INTRODUCTION = f"""# Where each wins

Written by `benchmarks/where_each_wins.py` from the result files in `results/`; nothing here is typed by hand, and only
machines that were measured are named. Each table is one command; run it to see what holds on yours.

Seconds are of a steady sample (mnist: an epoch of 48,000 examples; w2v: the text once), the median of fresh processes.
The ceiling is the work model's: the least arithmetic, bytes and calls of the shape, at the most that `compare machine`
measured. A model, not a count: a row beyond it does less, as one that skips blank pixels, or multiplies faster than
NumPy, whose products are the ceiling of arithmetic (on Zen 5 its OpenBLAS takes the kernels of AVX2). Verdicts and
crossings carry {CONFIDENCE:.0%} intervals; a question mark is an end that no measured shape decides. Sweeps of word2vec
train on made-up text, so they compare speed alone.
"""


@click.command(help=__doc__)
def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    sections = [
        section(results, named(path.parent.name))
        for path in sorted((ROOT / "results").glob("*/*.json"))
        for results in store.load(path)
    ]
    return "\n".join([INTRODUCTION, *sections])


def section(results: Results, profile: Profile) -> str:
    """Of what the experiment claimed, or of a sweep."""
    claims = concluded(results)
    title, lines = claimed(claims) if claims else swept(results, profile)
    machine = machine_line(results.machine, "numpy", "torch", "jax", "gensim", "tensorflow-cpu")
    about = f"{machine}; threads {results.plan.cells[0].threads}; {results.started[:10]}."
    doubts = [line for warning in warnings(results) for line in ("", f"Warning: {warning}")]
    return "\n".join([f"## {title}: {profile.name}", "", f"`{results.command}`", "", about, "", *lines, *doubts, ""])


def claimed(claims: Sequence[tuple[Claim, Answer]]) -> tuple[str, list[str]]:
    lines = []
    for claim, answer in claims:
        lines += [f"**{claim.text}: {answer.verdict.value}.**", "", *(f"- {figure}" for figure in answer.figures), ""]
    return "What the experiment claimed", lines[:-1]


def swept(results: Results, profile: Profile) -> tuple[str, list[str]]:
    """Every row at every shape, who wins there, and where the winner changes, beside what the model expected."""
    judged = judgements(results)
    assert results.plan.view.name == "crossover", f"{results.command}: not a sweep along one axis"
    lines = ["| shape | backend | seconds | of the ceiling | which binds |", "|---|---|---|---|---|"]
    for judgement in judged.values():
        lines += [row(results, profile, judgement, cell) for cell in judgement.cells if cell.key in judgement.seconds]
    lines += ["", *(f"- {name}: {words(each)}." for name, each in judged.items()), ""]
    sweep = of_results(results)
    found = findings.of(sweep, results, profile, None)
    lines.append(verdict(sweep, found))
    errors = [f"{name} {times(math.exp(each.error))}" for name, each in found.fits.items()]
    if errors:
        lines += ["", f"Each shape predicted from the others by the work model, typical factor: {', '.join(errors)}."]
    first = results.plan.cells[0]
    data = f" ({first.options['dataset']})" if "dataset" in first.options else ""
    return f"{first.workload} by {sweep.axis}{data}", lines


def shape_of(cell: Cell) -> str:
    return ", ".join(f"{name} {value}" for name, value in cell.shape_texts.items())


def row(results: Results, profile: Profile, judgement: Judgement, cell: Cell) -> str:
    seconds, share = judgement.seconds[cell.key], work.share_of_ceiling(results, cell, profile)
    ceiling = f"{share.of_ceiling:.0%} | {share.bound.binding}" if share else "- | -"
    barred = f" (can't win: {judgement.barred[cell.key]})" if cell.key in judgement.barred else ""
    return f"| {shape_of(cell)} | {cell.backend}{barred} | {seconds:.3g} | {ceiling} |"


if __name__ == "__main__":
    main()
