"""Epoch times of the native trainer beside NumPy, Numba, JAX, and the products alone: each in a process of its own, in
turns.

DATA_DIR holds MNIST's four files; without it, the stand-in is used. The products run in BLAS, into buffers made before,
and are what no trainer that leaves its products to this BLAS can go below. Threads of BLAS are limited to --threads;
JAX uses all cores that the process may run on. Every round's times are printed as it ends, so that a run that is
stopped has shown what it measured.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import click
import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from compare.cell import Cell
from compare.statistics import median
from compare.workloads import mnist_parts
from mnist import data, model
from mnist.backends import Task, backend_class, unavailable
from w2v.cores import usable_cores

PRODUCTS = "products"
JAX = ("jax", "jax-scan")
ROWS = (PRODUCTS, "numpy", "numba", *JAX, "native", "native-bf16")
PAUSE = 0.1
"""Seconds between turns: threads of BLAS and JAX wait spinning for a while after their work, on cores that the next
row needs."""

epoch: Callable[[], object]
share: float
"""In a row's own process: what it does in its turns, and how much of an epoch that is."""


@click.command(help=__doc__)
@click.argument("data_dir", type=click.Path(exists=True, file_okay=False), required=False)
@click.option("--batch-sizes", default="1,32,256,1024,4096", show_default=True, help="Separated by commas.")
@click.option("--rows", default=",".join(ROWS), show_default=True, help="`products`, and ways to train.")
@click.option("--hidden", default="128", show_default=True, help="Units of each hidden layer, as 512x512.")
@click.option(
    "--examples", default=data.EPOCH, type=click.IntRange(1, data.EPOCH), help="Of an epoch; times are scaled to all."
)
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(min=1))
@click.option("--threads", default=usable_cores, type=click.IntRange(min=1), help="[default: all cores]")
def main(
    data_dir: str | None, batch_sizes: str, rows: str, hidden: str, examples: int, rounds: int, threads: int
) -> None:
    console = Console(width=100)
    console.print(f"hidden {hidden}, float32, {threads} threads, ms an epoch, median of {rounds} rounds")
    names = [name for name in rows.split(",") if name == PRODUCTS or unavailable(name) is None]
    for batch in map(int, batch_sizes.split(",")):
        prepares = {name: partial(prepare, name, data_dir, batch, hidden, examples, threads) for name in names}
        rounds_ms = in_turns(prepares, rounds, console)
        ms = {name: median(times) for name, times in rounds_ms.items()}
        table = Table(f"batch {batch}", "epoch ms", "fastest", "slowest", "products / row", "best JAX / row")
        best_jax = min((ms[name] for name in JAX if name in ms), default=float("nan"))
        for name, times in rounds_ms.items():
            ratios = (f"{other / ms[name]:.2f}" for other in (ms.get(PRODUCTS, float("nan")), best_jax))
            table.add_row(name, *(f"{each:,.1f}" for each in (ms[name], min(times), max(times))), *ratios)
        console.print(table)


def in_turns(prepares: Mapping[str, Callable[[], None]], rounds: int, console: Console) -> dict[str, list[float]]:
    """Milliseconds of each row's epochs after one that doesn't count, all taking turns in random order."""
    rng = np.random.default_rng(1)
    times: dict[str, list[float]] = {name: [] for name in prepares}
    spawn = multiprocessing.get_context("spawn")
    with contextlib.ExitStack() as stack:
        processes = {
            name: stack.enter_context(ProcessPoolExecutor(1, spawn, initializer=prepare))
            for name, prepare in prepares.items()
        }
        for ready in [process.submit(epoch_ms) for process in processes.values()]:
            ready.result()
        for round in range(rounds):
            for name in rng.permutation(list(processes)):
                time.sleep(PAUSE)
                times[name].append(processes[name].submit(epoch_ms).result())
            console.print(f"round {round + 1}:", *(f"{name} {ms[-1]:.1f}" for name, ms in times.items()))
    return times


def prepare(name: str, data_dir: str | None, batch: int, hidden: str, examples: int, threads: int) -> None:
    """Set `epoch` and `share`, in the row's own process."""
    global epoch, share
    layers = [int(units) for units in hidden.split("x")]
    epoch, share = products(batch, layers), 1.0
    if name != PRODUCTS:
        images, labels = data.training_examples(data.read(data_dir) if data_dir else data.stand_in(), seed=1)
        order = data.epoch_order(data.EPOCH, seed=1, epoch=0)[:examples]
        task = Task(images, labels, model.initial_weights(layers), batch, 0.1, threads)
        epoch, share = partial(backend_class(name)(task).train_epoch, order), examples / data.EPOCH
    threadpool_limits(threads)  # once the row's libraries are there


def products(batch: int, layers: list[int]) -> Callable[[], object]:
    """An epoch of the matrix products of training, and nothing else."""
    part = mnist_parts.Trial(Cell("mnist", PRODUCTS, shape={"hidden": layers, "batch": batch}), seed=1)
    part.prepare()
    return part.step


def epoch_ms() -> float:
    """Of the row whose process this is."""
    began = time.perf_counter()
    epoch()
    return (time.perf_counter() - began) * 1e3 / share


if __name__ == "__main__":
    main()
