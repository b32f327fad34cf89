"""Everything that is to be known of a GPU, in one call of under ten minutes, as JSON.

word2vec by dimension, vocabulary and number of negatives on text drawn by Zipf's law, on the GPU and on all CPU cores
beside it; what share of the device's measured bandwidth that is; quality on TEXT, also with fewer and with more warps
than the guard against staleness allows; the MNIST grid; launches, transfers and the machine's profile. The file is
written anew after every row. What can't run here is in it, too, with the reason.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import numpy as np
from rich.console import Console
from rich.progress import track

from compare import datasets, machine
from compare.ceilings import gpu
from compare.ceilings.timing import FULL, QUICK, Effort
from compare.files import write_json
from compare.profile import Ceiling
from compare.quality import evaluate
from mnist import backends as mnist_backends
from mnist.model import CLASSES, PIXELS, initial_weights
from w2v import Word2Vec, driver
from w2v.cores import usable_cores
from w2v.corpus import EncodedCorpus
from w2v.params import Params
from w2v.tables import initial_syn0, new_table
from w2v.trainers import Task, trainer_class
from w2v.trainers.cuda import plan as cuda_plan
from w2v.vocabulary import Vocabulary

SENTENCE_WORDS = 1000
ZIPF_EXPONENT = 1.0


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    words: int = 30_000_000
    vocabularies: tuple[int, ...] = (10_000, 70_000, 1_000_000)
    dims: tuple[int, ...] = (100, 200, 300)
    negatives: tuple[int, ...] = (5, 15)
    batches: tuple[int, ...] = (32, 256, 1024, 4096)
    examples: int = 48_000
    epochs: int = 5
    warp_factors: tuple[float, ...] = (0.25, 1, 4)
    min_count: int = 5


TINY = Size(20_000, (500,), (100,), (5,), (32,), 320, 1, (1,), min_count=300)


@dataclass(frozen=True)
class Row:
    """One measurement: what it is, where it runs, and how; `measure` returns its figures."""

    kind: str
    backend: str
    device: str
    settings: dict[str, Any]
    measure: Callable[[], dict[str, Any]]


@click.command(help=__doc__)
@click.argument("text", type=click.Path(exists=True, dir_okay=False), required=False)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), default="gpu.json", show_default=True)
@click.option("--minutes", default=9.5, show_default=True, type=click.FloatRange(min=0), help="No row begins later.")
@click.option("--dry-run", is_flag=True, help="All rows at tiny size.")
def main(text: str | None, out: Path, minutes: float, dry_run: bool) -> None:
    began = time.monotonic()
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # else JAX takes most of the memory that CuPy needs
    no_gpu = gpu.unavailable()
    rows = list(plan(TINY if dry_run else Size(), dry_run, text))
    results: list[dict[str, Any]] = []
    report = {"dry_run": dry_run, "machine": machine.describe(), "gpu": {} if no_gpu else gpu.describe()}
    for row in track(rows, "Measuring", console=Console(stderr=True), transient=True):
        if row.device == "gpu" and no_gpu:
            outcome: dict[str, Any] = {"status": "skipped", "reason": no_gpu}
        elif time.monotonic() - began > 60 * minutes:
            outcome = {"status": "skipped", "reason": f"its turn came after {minutes} minutes"}
        else:
            outcome = outcome_of(row)
        about = {"kind": row.kind, "backend": row.backend, "device": row.device, **row.settings}
        results.append({**about, **outcome})
        add_share_of_bandwidth(results)
        write_json(out, {**report, "rows": results})
    counts = {status: sum(row["status"] == status for row in results) for status in ("ok", "skipped", "failed")}
    click.echo(f"{out}: " + ", ".join(f"{count} {status}" for status, count in counts.items()))


def outcome_of(row: Row) -> dict[str, Any]:
    """The row's figures, or why it has none: others go on."""
    try:
        return {"status": "ok", **row.measure()}
    except Exception as error:
        return {"status": "failed", "reason": f"{type(error).__name__}: {error}".partition("\n")[0]}


def add_share_of_bandwidth(results: list[dict[str, Any]]) -> None:
    """Give the last row what share of the device's measured copy rate its rows would take if no cache held any."""
    found = (ceiling for row in results for ceiling in row.get("ceilings", ()) if ceiling["name"] == "copy")
    copy, last = next(found, None), results[-1]
    if copy and last["device"] == "gpu" and "row_bytes_per_second" in last:
        last["share_of_bandwidth"] = last["row_bytes_per_second"] / copy["value"]


def plan(size: Size, dry_run: bool, text: str | None) -> Iterator[Row]:
    """All rows, those that tell most first."""
    effort = QUICK if dry_run else FULL
    w2v_trainers = ("cupy", "gpu"), ("hogwild", "cpu")
    for name, probe in gpu.probes().items():
        yield Row("ceiling", name, "gpu", {}, partial(ceilings, probe, effort))
    for trainer, device in w2v_trainers:
        for factor in size.warp_factors if device == "gpu" else (1,):
            about = {"text": text or "embedded", "epochs": size.epochs, "warp_factor": factor}
            measure = partial(quality, text, trainer, size.epochs, size.min_count, factor)
            yield Row("quality", trainer, device, about, measure)
    shapes = [(dim, v, size.negatives[0]) for v, dim in product(size.vocabularies, size.dims)]
    shapes += [(size.dims[0], size.vocabularies[0], negative) for negative in size.negatives[1:]]
    for (dim, vocabulary, negative), (trainer, device) in product(shapes, w2v_trainers):
        settings: dict[str, Any] = {"dim": dim, "vocabulary": vocabulary, "negative": negative, "words": size.words}
        yield Row("w2v", trainer, device, settings, partial(speed, trainer, **settings))
    for backend, batch in product(("numpy", "native", "jax-scan", "cupy", "cupy-graph", "jax-gpu"), size.batches):
        yield mnist_row(backend, batch, size.examples)
    yield mnist_row("cupy-example", size.batches[0], min(size.examples, 1000))


def mnist_row(backend: str, batch: int, examples: int) -> Row:
    settings = {"batch": batch, "examples": examples}
    return Row(
        "mnist", backend, mnist_backends.entry(backend).device, settings, partial(mnist_epoch, backend, **settings)
    )


def ceilings(probe: Callable[[Effort], list[Ceiling]], effort: Effort) -> dict[str, Any]:
    """What the device does at most."""
    return {"ceilings": [asdict(ceiling) for ceiling in probe(effort)]}


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


def speed(trainer: str, dim: int, vocabulary: int, negative: int, words: int) -> dict[str, Any]:
    """An epoch of skip-gram on Zipf's words. row_bytes_per_second: what rows would move if no cache held any."""
    corpus = zipf_corpus(words, vocabulary)
    params = Params(sg=1, vector_size=dim, negative=negative, epochs=1, min_count=1, workers=workers_of(trainer))
    task = Task(corpus, params, initial_syn0(vocabulary, dim, 1), new_table(vocabulary, dim))
    summary = driver.train(trainer_class(trainer)(task), task)
    kept = summary.trained.kept_words
    return {
        "seconds": summary.seconds,
        "words_per_second": summary.raw_words / summary.seconds,
        "kept_words_per_second": kept / summary.seconds,
        "row_bytes_per_second": kept / summary.seconds * 2 * (negative + 2) * 4 * dim,
    }


def quality(text: str | None, trainer: str, epochs: int, min_count: int, warp_factor: float) -> dict[str, Any]:
    """Analogies and similarities after training on a text."""
    path = datasets.locate(text).path
    model = Word2Vec(sg=1, epochs=epochs, min_count=min_count, workers=workers_of(trainer), trainer=trainer)
    model.build_vocab(corpus_file=path)
    began = time.perf_counter()
    with patch.object(cuda_plan, "HOT_ROW_IN_FLIGHT", int(cuda_plan.HOT_ROW_IN_FLIGHT * warp_factor)):
        model.train()
    return {"seconds": time.perf_counter() - began, **evaluate(model.wv)}


def mnist_epoch(backend: str, batch: int, examples: int) -> dict[str, Any]:
    """The second epoch on images of noise, for speed doesn't depend on what they show: seconds, and the mean loss."""
    if reason := mnist_backends.unavailable(backend):
        raise RuntimeError(reason)
    rng = np.random.default_rng(1)
    images = rng.integers(256, size=(examples, PIXELS), dtype=np.uint8)
    labels = rng.integers(CLASSES, size=examples, dtype=np.uint8)
    task = mnist_backends.Task(images, labels, initial_weights((128,)), batch, 0.1, usable_cores())
    made = mnist_backends.backend_class(backend)(task)
    order = rng.permutation(examples)
    made.train_epoch(order)
    began = time.perf_counter()
    loss = made.train_epoch(order)
    return {"seconds": time.perf_counter() - began, "loss": loss}


def workers_of(trainer: str) -> int:
    """Threads: all cores for a trainer on the CPU; two to feed a GPU, one samples while the other trains."""
    return 2 if trainer == "cupy" else usable_cores()


if __name__ == "__main__":
    main()
