"""Training speed of every trainer, on one thread and on several, interleaved in one run.

TEXT is a text file, plain, gzip or zip (default: a small one that gensim carries). MEGABYTES cuts it, so that
`benchmarks/train.py TEXT --megabytes 20` means the same text everywhere. Settings: window 5, negative 5 or hierarchical
softmax, sample 1e-3, min_count 5. Every measurement is a fresh process; rounds run all rows in random order, and take a
minute each on 20 MB. With --apart, each count of threads has a row of as many processes of one thread, started
together: what they reach in all is what the machine gives to threads that share nothing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table

from compare import datasets
from compare.cell import Cell, Outcome, Run, Status
from compare.options import NameList
from compare.plan import Plan
from compare.runner import execute
from compare.statistics import median, paired_ratio
from compare.workloads.w2v import Trial

MODES = {
    "skip-gram": {"sg": 1},
    "cbow": {"sg": 0},
    "skip-gram-hs": {"sg": 1, "hs": 1, "negative": 0},
    "cbow-hs": {"sg": 0, "hs": 1, "negative": 0},
}
HYPER: dict[str, Any] = {"window": 5, "negative": 5, "sample": 1e-3, "min_count": 5}


class Row(NamedTuple):
    """What is measured: so many processes at once, each of so many threads."""

    backend: str
    threads: int
    processes: int = 1

    @classmethod
    def of(cls, cell: Cell) -> Row:
        return cls(cell.backend, cell.threads, cell.options["processes"])

    def __str__(self) -> str:
        return str(self.threads) if self.processes == 1 else f"{self.processes} x {self.threads} apart"


@click.command(help=__doc__)
@click.argument("text", type=click.Path(exists=True, dir_okay=False), required=False)
@click.option("--megabytes", type=click.IntRange(min=1), help="Read only so many million bytes of a plain TEXT.")
@click.option(
    "--trainers", default=",".join(Trial.backends), show_default=True, type=NameList("trainer", Trial.backends)
)
@click.option("--mode", default="skip-gram", show_default=True, type=click.Choice(tuple(MODES)))
@click.option("--workers", default="1,2", show_default=True, help="Thread counts, separated by commas.")
@click.option("--apart", is_flag=True, help="Beside threads, as many processes of one thread.")
@click.option("--rounds", default=3, show_default=True, type=click.IntRange(min=1))
@click.option("--epochs", default=1, show_default=True, type=click.IntRange(min=1))
@click.option("--dim", default=100, show_default=True, type=click.IntRange(min=1))
def main(
    text: str | None,
    megabytes: int | None,
    trainers: tuple[str, ...],
    mode: str,
    workers: str,
    apart: bool,
    rounds: int,
    epochs: int,
    dim: int,
) -> None:
    threads = [int(count) for count in workers.split(",")]
    counts = [(count, 1) for count in threads] + [(1, count) for count in threads if apart and count > 1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(datasets.locate(text).path)
        if megabytes:
            path = first_bytes(path, megabytes * 1_000_000, Path(folder, "cut.txt"))
        corpus = datasets.lay_out(path, Path(folder, "corpus.txt"), HYPER["min_count"])
        options = {"epochs": epochs, "words": corpus.words, "judged": False, **HYPER, **MODES[mode]}
        cells = [
            Cell(
                "w2v",
                backend,
                shape={"dim": dim},
                threads=count,
                options={**options, "processes": processes},
                files={"corpus": str(corpus.path)},
            )
            for backend, (count, processes) in product(trainers, counts)
        ]
        plan = Plan(cells, rounds, seed=1)
        rates: dict[Row, dict[int, float]] = {Row.of(cell): {} for cell in cells}
        peaks: dict[Row, list[int]] = {row: [] for row in rates}
        for run in track(plan.runs(), total=len(plan), console=Console(stderr=True), transient=True):
            outcomes = list(together(run))
            seconds = [outcome.phases["steady"] for outcome in outcomes]
            rates[Row.of(run.cell)][run.round] = sum(corpus.words * epochs / each / 1e3 for each in seconds)
            peaks[Row.of(run.cell)].append(sum(outcome.peak_bytes or 0 for outcome in outcomes))

    table = Table("trainer", "threads", "kwords/s", "times gensim-file", "times one thread", "peak MB")
    for row, rate in rates.items():
        table.add_row(
            row.backend,
            str(row),
            f"{median(list(rate.values())):,.0f}",
            str(paired_ratio(rate, rates.get(row._replace(backend="gensim-file"), {})) or ""),
            str(paired_ratio(rate, rates.get(Row(row.backend, 1), {})) or ""),
            f"{median(peaks[row]) / 1e6:.0f}",
        )
    console = Console(width=100)
    console.print(f"{mode}, {corpus.words:,} words, dimension {dim}")
    console.print(f"median of {rounds} rounds, ratios with 95 % interval")
    console.print(table)


def together(run: Run) -> Iterator[Outcome]:
    """Carry out as many processes of a run at once as its row has."""
    processes = run.cell.options["processes"]
    with ThreadPoolExecutor(processes) as pool:
        for outcome in pool.map(lambda _: execute(run, timeout=3600), range(processes)):
            if outcome.status is not Status.OK:
                raise click.ClickException(f"{run.cell.label}: {outcome.status.value}: {outcome.reason}")
            yield outcome


def first_bytes(path: Path, count: int, cut: Path) -> Path:
    """A copy of the first `count` bytes of a text, up to its last whole word."""
    with path.open("rb") as file:
        cut.write_bytes(file.read(count).rpartition(b" ")[0])
    return cut


if __name__ == "__main__":
    main()
