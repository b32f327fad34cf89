"""Write docs/where-each-wins.md from the result files in results/: python benchmarks/where_each_wins.py

results/PROFILE/*.json were measured on the machine of the shipped profile PROFILE.
"""

from __future__ import annotations

from pathlib import Path

from compare import store, work
from compare.cell import Cell
from compare.crossover import Crossing, crossings
from compare.judge import Judgement
from compare.profile import Profile, named
from compare.report.crossover import change
from compare.report.figures.crossover import axes, axis_value
from compare.report.terminal import machine_line
from compare.report.verdicts import judgements, words
from compare.results import Results
from compare.statistics import CONFIDENCE

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "where-each-wins.md"
INTRODUCTION = f"""# Where each wins

Written by `benchmarks/where_each_wins.py` from the result files in `results/`; nothing here is typed by hand, and only
machines that were measured are named. Each table is one command; run it to see what holds on yours.

Seconds are of a steady sample (mnist: an epoch of 48,000 examples; w2v: the text once), the median of fresh processes.
The ceiling is the work model's: the least arithmetic, bytes and calls of the shape, at the most that `compare machine`
measured. A model, not a count. Verdicts and crossings carry {CONFIDENCE:.0%} intervals; a question mark is an end that
no measured shape decides. Sweeps of word2vec train on made-up text, so they compare speed alone.
"""


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
    judged = judgements(results)
    first = judged[0].cells[0]
    others = {name for cell in results.plan.cells for name in cell.shape if len(shapes(results, name)) > 1}
    lines = [
        f"## {first.workload} by {' and '.join(sorted(others))}: {profile.name}",
        "",
        f"`{results.command}`",
        "",
        f"{machine_line(results.machine, 'numpy', 'torch', 'jax', 'gensim')}; threads {first.threads}; "
        f"{results.started[:10]}.",
        "",
        "| shape | backend | seconds | of the ceiling | which binds |",
        "|---|---|---|---|---|",
    ]
    for judgement in judged:
        lines += [row(results, profile, judgement, cell) for cell in judgement.cells if cell.key in judgement.seconds]
    lines += ["", *(f"- {shape_of(each.cells[0])}: {words(each)}." for each in judged), ""]
    lines += [f"{change(axis, each)}." for axis, found in crossings_of(results, judged) for each in found] or [
        "The fastest row is the same at every shape measured, so nothing crosses."
    ]
    return "\n".join([*lines, ""])


def shapes(results: Results, name: str) -> set[str]:
    return {cell.shape_texts.get(name, "") for cell in results.plan.cells}


def shape_of(cell: Cell) -> str:
    return ", ".join(f"{name} {value}" for name, value in cell.shape_texts.items())


def row(results: Results, profile: Profile, judgement: Judgement, cell: Cell) -> str:
    seconds, outcome = judgement.seconds[cell.key], next(iter(results.ok(cell).values()))
    share = work.share_of_ceiling(cell, outcome, profile)
    ceiling = f"{share.bound.seconds / seconds:.0%} | {share.bound.binding}" if share else "- | -"
    barred = f" (can't win: {judgement.barred[cell.key]})" if cell.key in judgement.barred else ""
    return f"| {shape_of(cell)} | {cell.backend}{barred} | {seconds:.3g} | {ceiling} |"


def crossings_of(results: Results, judged: list[Judgement]) -> list[tuple[str, list[Crossing]]]:
    barred = {key for each in judged for key in each.barred}
    found = []
    for (_, axis), cells in axes([cell for each in judged for cell in each.cells]).items():
        speeds: dict[float, dict[str, dict[int, float]]] = {}
        for cell in cells:
            value, seconds = axis_value(cell, axis), results.sample_seconds(cell)
            if value is not None and seconds and cell.key not in barred:
                speeds.setdefault(value, {})[cell.backend] = {round: 1 / each for round, each in seconds.items()}
        found.append((axis, crossings(speeds)))
    return found


if __name__ == "__main__":
    main()
