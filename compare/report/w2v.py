"""The table of `compare w2v`, what its columns mean, and its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compare.cell import Cell, Outcome
from compare.parity import RULE, SCORES, Series, shortfalls
from compare.report.terminal import failures, figure, interval, machine_line, output, table
from compare.results import Results
from compare.statistics import fastest, median, paired_ratio

GENSIM = ("gensim", "gensim-file")
LITTLE_TEXT = 5_000_000


@dataclass(frozen=True)
class Row:
    """A backend's ok runs, by round."""

    cell: Cell
    outcomes: dict[int, Outcome]

    @property
    def name(self) -> str:
        return self.cell.backend

    @property
    def words_per_second(self) -> dict[int, float]:
        """Raw words of the text x epochs / seconds of training, by round."""
        words = self.cell.options["words"] * self.cell.options["epochs"]
        return {round: words / outcome.phases["steady"] for round, outcome in self.outcomes.items()}

    @property
    def quality(self) -> Series:
        return {round: outcome.quality for round, outcome in self.outcomes.items()}

    def median_quality(self, score: str) -> float | None:
        values = [value for each in self.quality.values() if (value := each[score]) is not None]
        return median(values) if values else None


def show(results: Results) -> None:
    """Print the table, its legend, what went wrong, and the verdict as the last line."""
    console = output()
    rows = [Row(cell, ok) for cell in results.plan.cells if (ok := results.ok(cell))]
    cell = results.plan.cells[0]
    console.print(machine_line(results.machine))
    console.print(
        f"{cell.options['text']}: {cell.options['words']:,} words, {cell.options['types']:,} types\n"
        f"skip-gram, {cell.shape['dim']} dimensions, {cell.options['epochs']} epochs, "
        f"{cell.threads} workers, window {cell.options['window']}, {cell.options['negative']} negatives, "
        f"sample {cell.options['sample']:g}, min_count {cell.options['min_count']}"
    )
    yardstick = fastest_gensim(rows)
    headings = (
        "read+\nvocab s",
        "words/s\nx 1,000",
        "peak\nMB",
        "loss",
        "ana-\nlogies",
        "WS-\n353",
        "Sim-\nLex",
    )
    grid = table("", "", *headings, f"times\n{yardstick.name if yardstick else 'gensim'}")
    for row in rows:
        outcomes = list(row.outcomes.values())
        ratio = paired_ratio(row.words_per_second, yardstick.words_per_second) if yardstick else None
        grid.add_row(
            row.name,
            f"{median([outcome.phases['prepare'] for outcome in outcomes]):.2f}",
            f"{median(list(row.words_per_second.values())) / 1000:,.0f}",
            f"{median([outcome.peak_bytes or 0 for outcome in outcomes]) / 1e6:,.0f}",
            figure(row.median_quality("loss"), ".3f"),
            figure(row.median_quality("analogies"), ".1%"),
            *(figure(row.median_quality(score), ".3f") for score in SCORES[1:]),
            "1" if row is yardstick else interval(ratio) if ratio else "-",
        )
    console.print(grid)
    for line in legend(results, rows):
        console.print(line)
    for line in failures(results):
        console.print(f"[bold]{line}[/bold]")
    out = below_gensim(rows)
    for name, reason in out.items():
        console.print(f"{name} can't win: {reason}")
    console.print(f"[bold]Verdict: {verdict([row for row in rows if row.name not in out], yardstick)}[/bold]")


def legend(results: Results, rows: Sequence[Row]) -> list[str]:
    """What the columns mean, and how far to trust them."""
    cell, repeats = results.plan.cells[0], results.plan.rounds
    words, epochs = cell.options["words"], cell.options["epochs"]
    lines = [
        f"Median of {repeats} repeats, each in a fresh process; brackets: 95 % interval."
        if repeats > 1
        else "One repeat: there are no intervals, and nothing is decided. --repeats 5 gives them.",
        f"words/s: raw words of the text x epochs ({words:,} x {epochs}) / training seconds, in every row. "
        "read+vocab: reading, counting and, where a trainer does it, encoding. peak: resident memory up to "
        "the end of training, libraries included. loss: mean over the same sampled pairs for every row, "
        "after training. analogies: share right among the 30,000 most frequent words; WS-353, SimLex: "
        "Spearman.",
        RULE,
    ]
    if words < LITTLE_TEXT:
        asked = max((row.median_quality("analogies_asked") or 0 for row in rows), default=0)
        lines.append(
            f"{words:,} words are too few to learn word relations from ({asked:,.0f} analogies asked): those "
            "three columns are mostly noise. More text: --corpus text8."
        )
    return lines


def fastest_gensim(rows: Sequence[Row]) -> Row | None:
    gensim = [row for row in rows if row.name in GENSIM]
    return max(gensim, key=lambda row: median(list(row.words_per_second.values())), default=None)


def below_gensim(rows: Sequence[Row]) -> dict[str, str]:
    """The rows that may not win, and why.

    gensim's iterator is the reference: its corpus_file decays the learning rate by each thread's own
    progress, so what it learns depends on the number of workers.
    """
    by_name = {row.name: row for row in rows}
    reference = by_name.get("gensim") or by_name.get("gensim-file")
    if reference is None:
        return {}
    every = [row.quality for row in rows]
    found = {row.name: shortfalls(row.quality, reference.quality, every) for row in rows}
    return {
        name: ", ".join(
            f"{each.score} {each.by:.3f} below gensim's (noise {each.noise:.3f})" for each in shorts
        )
        for name, shorts in found.items()
        if shorts and name not in GENSIM
    }


def verdict(rows: Sequence[Row], yardstick: Row | None) -> str:
    """In words, over the rows that may win."""
    if not rows:
        return "no row may win."
    by_name = {row.name: row for row in rows}
    first, *rivals = fastest({name: row.words_per_second for name, row in by_name.items()})
    ratio = None
    if yardstick and first not in GENSIM:
        ratio = paired_ratio(by_name[first].words_per_second, yardstick.words_per_second)
    factor = f"{interval(ratio)} times as fast as {yardstick.name}" if yardstick and ratio else ""
    if len(rows) == 1:
        return f"{first} is alone, with no row to beat."
    if not any(len(row.outcomes) > 1 for row in rows):
        return f"{first} is fastest{', ' + factor if factor else ''}; one repeat decides nothing."
    if rivals:
        return (
            f"a tie between {' and '.join([first, *rivals])}{': ' + first + ' ' + factor if factor else ''}."
        )
    return f"{first} wins{': ' + factor if factor else ''}."
