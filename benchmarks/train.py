"""Training speed of every trainer, on one thread and on several, interleaved in one run.

TEXT is a text file, plain, gzip or zip (default: a small one that gensim carries). MEGABYTES cuts it, so that
`benchmarks/train.py TEXT --megabytes 20` means the same text everywhere. Settings: window 5, negative 5 or hierarchical
softmax, sample 1e-3, min_count 5. Every measurement is a fresh process; rounds run all rows in random order, and take a
minute each on 20 MB.
"""

from __future__ import annotations

import tempfile
from itertools import product
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table

from compare import datasets
from compare.cell import Cell, Status
from compare.options import NameList
from compare.plan import Plan
from compare.runner import execute
from compare.statistics import Ratio, median, paired_ratio
from compare.workloads.w2v import Trial

MODES = {
    "skip-gram": {"sg": 1},
    "cbow": {"sg": 0},
    "skip-gram-hs": {"sg": 1, "hs": 1, "negative": 0},
    "cbow-hs": {"sg": 0, "hs": 1, "negative": 0},
}
HYPER = {"window": 5, "negative": 5, "sample": 1e-3, "min_count": 5}


@click.command(help=__doc__)
@click.argument("text", type=click.Path(exists=True, dir_okay=False), required=False)
@click.option("--megabytes", type=click.IntRange(min=1), help="Read only so many million bytes of a plain TEXT.")
@click.option(
    "--trainers", default=",".join(Trial.backends), show_default=True, type=NameList("trainer", Trial.backends)
)
@click.option("--mode", default="skip-gram", show_default=True, type=click.Choice(tuple(MODES)))
@click.option("--workers", default="1,2", show_default=True, help="Thread counts, separated by commas.")
@click.option("--rounds", default=3, show_default=True, type=click.IntRange(min=1))
@click.option("--epochs", default=1, show_default=True, type=click.IntRange(min=1))
@click.option("--dim", default=100, show_default=True, type=click.IntRange(min=1))
def main(
    text: str | None,
    megabytes: int | None,
    trainers: tuple[str, ...],
    mode: str,
    workers: str,
    rounds: int,
    epochs: int,
    dim: int,
) -> None:
    threads = [int(count) for count in workers.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(datasets.locate(text).path)
        if megabytes:
            path = first_bytes(path, megabytes * 1_000_000, Path(folder, "cut.txt"))
        corpus = datasets.lay_out(path, Path(folder, "corpus.txt"), HYPER["min_count"])
        options = {"epochs": epochs, "words": corpus.words, "judged": False, **HYPER, **MODES[mode]}
        cells = [
            Cell("w2v", backend, shape={"dim": dim}, threads=count, options=options, files={"corpus": str(corpus.path)})
            for backend, count in product(trainers, threads)
        ]
        plan = Plan(cells, rounds, seed=1)
        rates: dict[tuple[str, int], dict[int, float]] = {(cell.backend, cell.threads): {} for cell in cells}
        peaks: dict[tuple[str, int], list[int]] = {row: [] for row in rates}
        for run in track(plan.runs(), total=len(plan), console=Console(stderr=True), transient=True):
            outcome = execute(run, timeout=3600)
            if outcome.status is not Status.OK:
                raise click.ClickException(f"{run.cell.label}: {outcome.status.value}: {outcome.reason}")
            row = run.cell.backend, run.cell.threads
            rates[row][run.round] = corpus.words * epochs / outcome.phases["steady"] / 1e3
            peaks[row].append(outcome.peak_bytes or 0)

    table = Table("trainer", "threads", "kwords/s", "times gensim-file", "times one thread", "peak MB")
    for backend, count in rates:
        row = rates[backend, count]
        table.add_row(
            backend,
            str(count),
            f"{median(list(row.values())):,.0f}",
            in_words(paired_ratio(row, rates.get(("gensim-file", count), {}))),
            in_words(paired_ratio(row, rates[backend, threads[0]])),
            f"{median(peaks[backend, count]) / 1e6:.0f}",
        )
    console = Console(width=100)
    console.print(f"{mode}, {corpus.words:,} words, dimension {dim}")
    console.print(f"median of {rounds} rounds, ratios with 95 % interval")
    console.print(table)


def first_bytes(path: Path, count: int, cut: Path) -> Path:
    """A copy of the first `count` bytes of a text, up to its last whole word."""
    with path.open("rb") as file:
        cut.write_bytes(file.read(count).rpartition(b" ")[0])
    return cut


def in_words(ratio: Ratio | None) -> str:
    """`14.2 (13.8-14.6)`, without the interval where one round gives none."""
    if ratio is None:
        return ""
    return f"{ratio.estimate:.2f}" if ratio.low is None else f"{ratio.estimate:.2f} ({ratio.low:.2f}-{ratio.high:.2f})"


if __name__ == "__main__":
    main()
