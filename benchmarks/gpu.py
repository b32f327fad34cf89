"""Everything that is to be known of a GPU, in one call of under ten minutes, kept where the package finds it.

The machine's profile goes to compare/profiles/NAME.json, for `compare advise` and `compare crossover --against NAME`.
The MNIST grid goes to results/NAME/mnist-batch.json, as `compare` has its results, and everything else to
results/NAME/gpu/rows.json: word2vec by dimension, vocabulary and number of negatives on text drawn by Zipf's law, on
the GPU and on all CPU cores beside it; what share of the device's measured bandwidth that is; quality on TEXT (text8
or a file), also with fewer and with more warps than the guard against staleness allows. Rows that tell most come
first, and files are written anew after each. What can't run here is there, too, with the reason.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import numpy as np
from rich.console import Console
from rich.progress import track

from compare import ceilings, datasets, machine, profile, runner
from compare.ceilings import gpu
from compare.ceilings.timing import FULL, QUICK
from compare.cell import Cell, Run, Status
from compare.files import write_json
from compare.plan import Plan
from compare.quality import evaluate
from compare.results import Results
from compare.statistics import median
from compare.view import View
from compare.workloads import Skip
from compare.workloads.mnist import ONCE
from mnist import backends as mnist_backends
from mnist import data
from w2v import Word2Vec, driver
from w2v.cores import usable_cores
from w2v.corpus import EncodedCorpus
from w2v.params import Params
from w2v.tables import initial_syn0, new_table
from w2v.trainers import Task, trainer_class
from w2v.trainers.cuda import plan as cuda_plan
from w2v.vocabulary import Vocabulary

ROOT = Path(__file__).parent.parent
SENTENCE_WORDS = 1000
ZIPF_EXPONENT = 1.0
W2V_TRAINERS = ("cupy", "gpu"), ("hogwild", "cpu")
MNIST_ON_GPU = "cupy-graph", "cupy", "jax-gpu", "keras-gpu", "keras-gpu-jit"
MNIST_SECONDS = 60.0
"""For a row's epochs and the start of its process; one that hangs must leave time to others."""


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    words: int = 30_000_000
    vocabularies: tuple[int, ...] = (70_000, 10_000, 1_000_000)
    dims: tuple[int, ...] = (100, 200, 300)
    negatives: tuple[int, ...] = (5, 15)
    epochs: int = 5
    warp_factors: tuple[float, ...] = (0.25, 4)
    min_count: int = 5
    batches: tuple[int, ...] = (32, 256, 1024, 4096)
    mnist_on_cpu: tuple[str, ...] = ("native", "jax-scan", "keras-cpu", "numpy")
    mnist_epochs: int = 3
    mnist_options: dict[str, Any] = field(default_factory=dict)


TINY = Size(20_000, (500,), (100,), (5, 6), 1, (4,), 300, (32,), ("numpy",), 1, {"examples": 320})


@dataclass(frozen=True)
class Row:
    """One measurement: what it is, where it runs, and how; `measure` returns its figures."""

    kind: str
    backend: str
    device: str
    settings: dict[str, Any]
    measure: Callable[[], dict[str, Any]]


class Report:
    """All rows and what came of them; the file always says of each."""

    def __init__(self, path: Path, about: dict[str, Any], rows: Sequence[Row], minutes: float) -> None:
        self.path, self.about, self.minutes, self.writing = path, about, minutes, threading.Lock()
        self.entries: list[dict[str, Any]] = [
            {"kind": row.kind, "backend": row.backend, "device": row.device, **row.settings}
            | {"status": "skipped", "reason": f"not done after {minutes:g} minutes"}
            for row in rows
        ]

    def add(self, index: int, outcome: dict[str, Any]) -> None:
        with self.writing:
            self.entries[index] |= {"reason": "", **outcome}
            self.write()

    def write(self) -> None:
        write_json(self.path, {**self.about, "rows": self.entries})

    def conclude(self) -> None:
        ends = [entry["status"] for entry in self.entries]
        counts = ", ".join(f"{ends.count(status)} {status}" for status in ("ok", "skipped", "failed"))
        click.echo(f"{self.path}: {counts}")

    def stop(self) -> None:
        """End the program, whatever it is at: for when time is up."""
        with self.writing:
            self.write()
            self.conclude()
            os._exit(0)  # processes that it has started end with it


@click.command(help=__doc__)
@click.argument("text", required=False)
@click.option("--name", help="The machine's, for the files.  [default: the GPU's]")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=ROOT, help="In place of this repository."
)
@click.option(
    "--minutes", default=9.5, show_default=True, type=click.FloatRange(min=0, max=1e6), help="For everything."
)
@click.option("--dry-run", is_flag=True, help="All rows at tiny size, also without a GPU.")
def main(text: str | None, name: str | None, out: Path, minutes: float, dry_run: bool) -> None:
    no_gpu = gpu.unavailable()
    if dry_run and out == ROOT:
        raise click.UsageError("--dry-run needs --out DIR: its figures are no measurements to be kept here")
    if no_gpu and not dry_run:
        raise click.UsageError(f"nothing to measure: {no_gpu}. --dry-run goes through all rows")
    try:
        source = datasets.locate(text)
    except datasets.Unavailable as error:
        raise click.UsageError(str(error)) from error
    device = {} if no_gpu else gpu.describe()
    name = name or re.sub(r"[^a-z0-9]+", "-", device.get("name", "no gpu").lower())
    results = out / "results" / name
    for folder in (out / "compare" / "profiles", results / "gpu"):
        folder.mkdir(parents=True, exist_ok=True)
    rows = list(plan(TINY if dry_run else Size(), dry_run, source, name, out))
    about = {"dry_run": dry_run, "machine": machine.describe(), "gpu": device}
    report = Report(results / "gpu" / "rows.json", about, rows, minutes)
    clock = threading.Timer(60 * minutes, report.stop)
    clock.daemon = True
    clock.start()
    for index, row in enumerate(track(rows, "Measuring", console=Console(stderr=True), transient=True)):
        report.add(
            index, {"status": "skipped", "reason": no_gpu} if row.device == "gpu" and no_gpu else outcome_of(row)
        )
    clock.cancel()
    report.conclude()


def outcome_of(row: Row) -> dict[str, Any]:
    """The row's figures, or why it has none: others go on."""
    try:
        return {"status": "ok", **row.measure()}
    except Skip as skip:
        return {"status": "skipped", "reason": str(skip)}
    except Exception as error:
        return {"status": "failed", "reason": f"{type(error).__name__}: {error}".partition("\n")[0]}
    finally:
        if cupy := sys.modules.get("cupy"):  # rows in other processes need the memory that it keeps
            cupy.get_default_memory_pool().free_all_blocks()


def plan(size: Size, dry_run: bool, source: datasets.Source, name: str, out: Path) -> Iterator[Row]:
    """All rows, those that tell most first."""
    profile_path = out / "compare" / "profiles" / f"{name}.json"
    yield Row("profile", "compare machine", "cpu", {}, partial(ceilings_of, name, profile_path, dry_run))

    def quality_row(trainer: str, device: str, factor: float) -> Row:
        about = {"text": source.name, "epochs": size.epochs, "warp_factor": factor}
        measure = partial(quality, source.path, trainer, size.epochs, size.min_count, factor)
        return Row("quality", trainer, device, about, measure)

    yield from (quality_row(trainer, device, 1) for trainer, device in W2V_TRAINERS)
    shapes = [(dim, v, size.negatives[0]) for v, dim in product(size.vocabularies, size.dims)]
    shapes += [(size.dims[0], size.vocabularies[0], negative) for negative in size.negatives[1:]]
    for (dim, vocabulary, negative), (trainer, device) in product(shapes, W2V_TRAINERS):
        settings: dict[str, Any] = {"dim": dim, "vocabulary": vocabulary, "negative": negative, "words": size.words}
        settings["epochs"] = size.epochs if device == "gpu" else 1
        yield Row("w2v", trainer, device, settings, partial(speed, trainer, profile_path, **settings))
    cells = list(mnist_cells(size))
    plan = Plan(cells, 1, seed=1, view=View("crossover", "batch"))
    results = Results(plan, machine.describe(), out / "results" / name / "mnist-batch.json")
    for cell in cells:
        yield Row("mnist", cell.backend, cell.device, dict(cell.shape), partial(mnist_epochs, results, cell))
    yield from (quality_row("cupy", "gpu", factor) for factor in size.warp_factors)


def mnist_cells(size: Size) -> Iterator[Cell]:
    """The grid, on the images that come with this package; the naive row at the smallest batch size alone."""
    options = {"dataset": data.stand_in().name, "learning_rate": 0.1, **size.mnist_options}
    rows = [*product(size.batches, MNIST_ON_GPU + size.mnist_on_cpu), (size.batches[0], "cupy-example")]
    for batch, backend in rows:
        epochs = 1 if backend in ONCE else size.mnist_epochs
        device, shape = mnist_backends.entry(backend).device, {"hidden": [128], "batch": batch}
        yield Cell("mnist", backend, device, shape, usable_cores(), samples=epochs, options=options)


def ceilings_of(name: str, path: Path, dry_run: bool) -> dict[str, Any]:
    """What the machine does at most, launches and transfers included."""
    found = ceilings.measure(QUICK if dry_run else FULL, name, lambda *progress: None)
    profile.save(found, path)
    return {"ceilings": sum(ceiling.value is not None for ceiling in found.ceilings)}


@cache
def zipf_corpus(words: int, vocabulary: int) -> EncodedCorpus:
    """Words drawn by Zipf's law; each comes at least once."""
    rng = np.random.default_rng(1)
    weights = np.arange(1, vocabulary + 1) ** -ZIPF_EXPONENT
    bounds = np.cumsum(weights / weights.sum())
    drawn = np.searchsorted(bounds, rng.random(words - vocabulary)).clip(max=vocabulary - 1).astype(np.int32)
    ids = rng.permutation(np.concatenate([drawn, np.arange(vocabulary, dtype=np.int32)]))
    sentences = -(-words // SENTENCE_WORDS)
    offsets = np.minimum(np.arange(sentences + 1, dtype=np.int64) * SENTENCE_WORDS, words)
    counts = np.bincount(ids, minlength=vocabulary)
    names = list(range(vocabulary))
    return EncodedCorpus(ids, offsets, np.diff(offsets).astype(np.int32), Vocabulary(names, counts))


def speed(
    trainer: str, profile_path: Path, dim: int, vocabulary: int, negative: int, words: int, epochs: int
) -> dict[str, Any]:
    """Skip-gram on Zipf's words. row_bytes_per_second: what rows would move if no cache held any."""
    corpus = zipf_corpus(words, vocabulary)
    params = Params(sg=1, vector_size=dim, negative=negative, epochs=epochs, min_count=1, workers=workers_of(trainer))
    task = Task(corpus, params, initial_syn0(vocabulary, dim, 1), new_table(vocabulary, dim))
    summary = driver.train(trainer_class(trainer)(task), task)
    kept = summary.trained.kept_words / summary.seconds
    figures = {
        "seconds": summary.seconds,
        "words_per_second": summary.raw_words / summary.seconds,
        "kept_words_per_second": kept,
        "row_bytes_per_second": kept * 2 * (negative + 2) * 4 * dim,
    }
    copy = profile.load(profile_path).value("copy", "gpu") if profile_path.exists() else None
    if trainer == "cupy" and copy:
        figures["share_of_bandwidth"] = figures["row_bytes_per_second"] / copy
    return figures


def quality(path: Path, trainer: str, epochs: int, min_count: int, warp_factor: float) -> dict[str, Any]:
    """Analogies and similarities after training on a text."""
    model = Word2Vec(sg=1, epochs=epochs, min_count=min_count, workers=workers_of(trainer), trainer=trainer)
    model.build_vocab(corpus_file=path)
    began = time.perf_counter()
    with patch.object(cuda_plan, "HOT_ROW_IN_FLIGHT", int(cuda_plan.HOT_ROW_IN_FLIGHT * warp_factor)):
        model.train()
    return {"seconds": time.perf_counter() - began, **evaluate(model.wv)}


def mnist_epochs(results: Results, cell: Cell) -> dict[str, Any]:
    """The median epoch, in a process of its own, which has the row's environment and memory; kept in `results` too."""
    run = Run(cell, 0, seed=1)
    outcome = runner.execute(run, MNIST_SECONDS)
    results.add(run, outcome)
    if outcome.status is Status.SKIPPED:
        raise Skip(outcome.reason)
    if outcome.status is not Status.OK:
        raise RuntimeError(f"{outcome.status.value}: {outcome.reason}")
    return {"seconds": median(outcome.samples), **outcome.quality}


def workers_of(trainer: str) -> int:
    """Threads: all cores for a trainer on the CPU; two to feed a GPU, one samples while the other trains."""
    return 2 if trainer == "cupy" else usable_cores()


if __name__ == "__main__":
    main()
