"""The table of `compare w2v`, what its columns mean, and its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compare.cell import Cell, Outcome
from compare.gates import barred
from compare.parity import RULE, UNCHECKED
from compare.report import ceilings
from compare.report.terminal import (
    colds,
    conclude,
    failures,
    figure,
    interval,
    machine_line,
    output,
    table,
)
from compare.report.verdicts import sentence
from compare.results import Results
from compare.statistics import CONFIDENCE, LEAST_ROUNDS, median, paired_ratio
from compare.workloads.w2v import GENSIM
from w2v.wording import counted

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
        return {round: words / outcome.warm for round, outcome in self.outcomes.items()}

    def median_quality(self, score: str) -> float | None:
        values = [value for each in self.outcomes.values() if (value := each.quality[score]) is not None]
        return median(values) if values else None


def show(results: Results) -> None:
    """Print the table, its legend, what went wrong, and the verdict as the last line."""
    console = output()
    rows = [Row(cell, ok) for cell in results.plan.cells if (ok := results.ok(cell))]
    cell = results.plan.cells[0]
    options = cell.options
    console.print(machine_line(results.machine, "numpy", "gensim"))
    console.print(f"{options['text']}: {options['words']:,} words, {options['types']:,} types", markup=False)
    if cell.files["source"] != options["text"]:  # which a file is called by
        console.print(f"({cell.files['source']})", markup=False)
    console.print(
        f"skip-gram, dim {cell.shape['dim']}, epochs {options['epochs']}, workers {cell.threads}, "
        f"window {options['window']}, negative {options['negative']}, sample {options['sample']:g}, "
        f"min_count {options['min_count']}\n"
    )
    yardstick = fastest_gensim(rows)
    headings = ("read\ns", "kwords\n/s", "peak\nMB", "loss", "ana-\nlogies", "WS-\n353", "Sim-\nLex")
    grid = table("", "", *headings, f"times\n{yardstick.name if yardstick else 'gensim'}")
    measured = {row.name: figures(row, yardstick) for row in rows}
    for cell in results.plan.cells:
        unmeasured = [*["-"] * len(headings), results.ending(cell)]
        grid.add_row(cell.backend, *measured.get(cell.backend, unmeasured))
    console.print(grid)
    console.print(f"\n{colds({row.name: row.outcomes.values() for row in rows})}")
    shares = ceilings.shares(results)
    if shares and shares.found:
        told = ", ".join(f"{row.name} {shares.text(row.cell)}" for row in rows)
        console.print(f"Share of the ceiling: {told}\n({shares.legend})", markup=False)
    else:
        console.print(ceilings.without(shares), markup=False)
    console.print(legend(results))
    console.print(f"{RULE if yardstick else UNCHECKED}\n")
    if options["words"] < LITTLE_TEXT:
        console.print(
            f"{options['words']:,} words are few: scores this low say little about what a trainer learns "
            "from more. A larger text: --corpus text8, or a file of yours."
        )
    reasons = barred(results)
    out = [f"{row.name} can't win: {reasons[row.cell.key]}" for row in rows if row.cell.key in reasons]
    for line in [*failures(results), *out]:
        console.print(line, style="bold", markup=False)
    conclude(console, results, sentence(results))


def figures(row: Row, yardstick: Row | None) -> list[str]:
    """The columns of the table, but for the name."""
    outcomes = list(row.outcomes.values())
    ratio = paired_ratio(row.words_per_second, yardstick.words_per_second) if yardstick else None
    return [
        f"{median([outcome.phases['prepare'] for outcome in outcomes]):.2f}",
        f"{median(list(row.words_per_second.values())) / 1000:,.0f}",
        f"{median([outcome.peak_bytes or 0 for outcome in outcomes]) / 1e6:,.0f}",
        figure(row.median_quality("loss"), ".3f"),
        figure(row.median_quality("analogies"), ".1%"),
        figure(row.median_quality("wordsim"), ".3f"),
        figure(row.median_quality("simlex"), ".3f"),
        "1" if row is yardstick else interval(ratio) if ratio else "-",
    ]


def legend(results: Results) -> str:
    """What the columns mean."""
    options = results.plan.cells[0].options
    trained = f"{options['words']:,} raw words x {counted(options['epochs'], 'epoch')}"
    reach = f"; ({CONFIDENCE:.0%} interval)" if results.repeats >= LEAST_ROUNDS else ""
    return (
        f"\nfigures     median of {counted(results.repeats, 'repeat')}, each in a fresh process{reach}\n"
        "read        reading, vocabulary and, where a trainer does it, encoding\n"
        f"kwords/s    1,000 words/s: {trained} / training time\n"
        "peak        resident memory up to the end of training, libraries included\n"
        "loss        mean over the same sampled pairs in every row, after training\n"
        "analogies   share right, among the 30,000 most frequent words\n"
        "WS, SimLex  Spearman's correlation with human judgement"
    )


def fastest_gensim(rows: Sequence[Row]) -> Row | None:
    gensim = [row for row in rows if row.name in GENSIM]
    return max(gensim, key=lambda row: median(list(row.words_per_second.values())), default=None)
