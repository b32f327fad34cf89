"""Epoch times of the native trainer beside JAX, PyTorch and the matrix products alone: each in a process of its own, in
turns.

DATA_DIR holds MNIST's four files; without it, the stand-in is used. The products run in BLAS, into buffers made before,
and are what no trainer that leaves its products to this BLAS can go below. Batches of one example, where overhead is
all, are measured when asked for: frameworks take seconds there, Keras more than a minute. Every round's times are
printed as it ends, so that a run that is stopped has shown what it measured.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import click
import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from compare.cell import Cell
from compare.environment import worker_environment
from compare.options import NameList
from compare.statistics import median, paired_ratio
from compare.workloads import mnist_parts
from mnist import data, model
from mnist.backends import BACKENDS, Task, backend_class, entry, unavailable
from w2v.cores import usable_cores

PRODUCTS, NATIVE, KERAS = "products", "native", "keras-cpu"
ROWS = (PRODUCTS, "jax", "jax-scan", "torch", NATIVE, "native-bf16")
PAUSE = 0.1
"""Seconds between turns: threads of BLAS and JAX wait spinning for a while after their work, on cores that the next
row needs."""

Times = Mapping[int, float]
"""Milliseconds an epoch, by round."""

epochs: dict[int, Callable[[], object]] = {}
"""In a row's own process: what it does in its turns, by batch size."""


@click.command(help=__doc__)
@click.argument("data_dir", type=click.Path(exists=True, file_okay=False), required=False)
@click.option("--batch-sizes", default="32,256,1024,2048,4096", show_default=True, help="Separated by commas.")
@click.option(
    "--rows",
    default=",".join(ROWS),
    show_default=True,
    type=NameList("row", (PRODUCTS, *BACKENDS)),
    help=f"`{PRODUCTS}`, and ways to train; `{KERAS}`, say.",
)
@click.option(
    "--dense", is_flag=True, help="Grey values of 1 and more, for all rows: the native ones skip blank pixels."
)
@click.option("--hidden", default="128", show_default=True, help="Units of each hidden layer, as 512x512.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(min=1))
@click.option("--threads", default=usable_cores, type=click.IntRange(min=1), help="[default: all cores]")
def main(
    data_dir: str | None,
    batch_sizes: str,
    rows: tuple[str, ...],
    dense: bool,
    hidden: str,
    rounds: int,
    threads: int,
) -> None:
    console = Console(width=100)
    pixels = "no pixel blank" if dense else "images as they are"
    console.print(f"hidden {hidden}, float32, {pixels}, {threads} threads, ms an epoch, median of {rounds} rounds")
    console.print("ratios to native with their 99 % intervals")
    batches = [int(batch) for batch in batch_sizes.split(",")]
    layers = [int(units) for units in hidden.split("x")]
    absent = {name: why for name in rows if name != PRODUCTS and (why := unavailable(name))}
    for name, why in absent.items():
        console.print(f"without {name}: {why}")
    names = [name for name in rows if name not in absent]
    times = in_turns(names, batches, rounds, console, (data_dir, dense, layers, threads))
    for batch in batches:
        console.print(batch_table(batch, {name: times[name, batch] for name in names if (name, batch) in times}))
    natives = {batch: times[NATIVE, batch] for batch in batches if (NATIVE, batch) in times}
    if natives and (KERAS, 32) in times:
        best = min(natives, key=lambda batch: median(list(natives[batch].values())))
        ratio = paired_ratio(times[KERAS, 32], natives[best])
        console.print(f"{KERAS} at batch 32 / {NATIVE} at batch {best}: {ratio}")


def in_turns(
    names: Sequence[str], batches: Sequence[int], rounds: int, console: Console, setting: tuple
) -> dict[tuple[str, int], dict[int, float]]:
    """By row and batch size, milliseconds of the epochs after one that doesn't count; rows in random order."""
    rng = np.random.default_rng(1)
    times: dict[tuple[str, int], dict[int, float]] = {(name, batch): {} for batch in batches for name in names}
    spawn = multiprocessing.get_context("spawn")
    with contextlib.ExitStack() as stack:
        processes = {name: stack.enter_context(ProcessPoolExecutor(1, spawn)) for name in names}
        for name, process in processes.items():  # one by one: threads that wait spinning for each other need the cores
            process.submit(prepare, name, batches, *setting).result()
        for round in range(rounds):
            for batch in batches:
                for name in rng.permutation(names):
                    time.sleep(PAUSE)
                    times[name, batch][round] = processes[name].submit(epoch_ms, batch).result()
                figures = ", ".join(f"{name} {times[name, batch][round]:.1f}" for name in names)
                console.print(f"round {round + 1}, batch {batch}: {figures}", soft_wrap=True)
    return times


def prepare(
    name: str, batches: Sequence[int], data_dir: str | None, dense: bool, layers: Sequence[int], threads: int
) -> None:
    """Fill `epochs`, in the row's own process, and run each once."""
    environment = {} if name == PRODUCTS else entry(name).environment
    os.environ.update(worker_environment(threads, "cpu", environment))
    dataset = data.read(data_dir) if data_dir else data.stand_in()
    images, labels = data.training_examples(data.without_blanks(dataset) if dense else dataset, seed=1)
    order = data.epoch_order(data.EPOCH, seed=1, epoch=0)
    for batch in batches:
        if name == PRODUCTS:
            epochs[batch] = products(batch, layers)
        else:
            task = Task(images, labels, model.initial_weights(layers), batch, 0.1, threads)
            epochs[batch] = partial(backend_class(name)(task).train_epoch, order)
    threadpool_limits(threads)  # of the BLAS that NumPy had already brought
    for epoch in epochs.values():
        epoch()


def products(batch: int, layers: Sequence[int]) -> Callable[[], object]:
    """An epoch of the matrix products of training, and nothing else."""
    part = mnist_parts.Trial(Cell("mnist", PRODUCTS, shape={"hidden": list(layers), "batch": batch}), seed=1)
    part.load()
    part.prepare()
    return part.step


def epoch_ms(batch: int) -> float:
    """Of the row whose process this is."""
    began = time.perf_counter()
    epochs[batch]()
    return (time.perf_counter() - began) * 1e3


def batch_table(batch: int, rows: Mapping[str, Times]) -> Table:
    table = Table(f"batch {batch}", "epoch ms", "fastest", "slowest", "times native's")
    for name, times in rows.items():
        ms = list(times.values())
        figures = (f"{each:,.1f}" for each in (median(ms), min(ms), max(ms)))
        table.add_row(name, *figures, str(paired_ratio(times, rows.get(NATIVE, {})) or ""))
    return table


if __name__ == "__main__":
    main()
