"""Epoch times of the native trainer beside NumPy, JAX, and the matrix products alone, interleaved in one process.

DATA_DIR holds MNIST's four files; without it, the stand-in is used. The products run in BLAS, into buffers made before,
and are what no trainer that leaves its products to this BLAS can go below. Threads of BLAS are limited to --threads;
JAX uses all cores that the process may run on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
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

PRODUCTS = "products alone"
JAX = ("jax", "jax-scan")
ROWS = ("numpy", *JAX, "native", "native-bf16")


@click.command(help=__doc__)
@click.argument("data_dir", type=click.Path(exists=True, file_okay=False), required=False)
@click.option("--batch-sizes", default="1,32,256,1024,4096", show_default=True, help="Separated by commas.")
@click.option("--hidden", default="128", show_default=True, help="Units of each hidden layer, as 512x512.")
@click.option("--examples", default=data.EPOCH, help="Train on so many of an epoch; times are scaled to all.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(min=1))
@click.option("--threads", default=usable_cores, type=click.IntRange(min=1), help="[default: all cores]")
def main(data_dir: str | None, batch_sizes: str, hidden: str, examples: int, rounds: int, threads: int) -> None:
    dataset = data.read(data_dir) if data_dir else data.stand_in()
    images, labels = data.training_examples(dataset, seed=1)
    layers = [int(units) for units in hidden.split("x")]
    weights = model.initial_weights(layers)
    order = data.epoch_order(data.EPOCH, seed=1, epoch=0)[:examples]
    table = Table("batch", "row", "epoch ms", "products / row", "best JAX / row")
    with threadpool_limits(threads):
        for batch in map(int, batch_sizes.split(",")):
            epochs: dict[str, Callable[[], object]] = {PRODUCTS: products(batch, layers)}
            for name in ROWS:
                if unavailable(name) is None:
                    backend = backend_class(name)(Task(images, labels, weights, batch, 0.1, threads))
                    epochs[name] = partial(backend.train_epoch, order)
            seconds = interleaved(epochs, rounds)
            for name in seconds.keys() - {PRODUCTS}:
                seconds[name] *= data.EPOCH / len(order)
            jax = min((seconds[name] for name in JAX if name in seconds), default=float("nan"))
            for name, epoch in seconds.items():
                share, ratio = f"{seconds[PRODUCTS] / epoch:.2f}", f"{jax / epoch:.2f}"
                table.add_row(str(batch), name, f"{epoch * 1e3:,.1f}", share, ratio)
            table.add_section()
    console = Console(width=100)
    console.print(f"{dataset.name}; hidden {hidden}, float32, {threads} threads, median of {rounds} rounds")
    console.print(table)


def products(batch: int, layers: list[int]) -> Callable[[], None]:
    """An epoch of the matrix products of training, and nothing else."""
    part = mnist_parts.Trial(Cell("mnist", "products", shape={"hidden": layers, "batch": batch}), seed=1)
    part.prepare()
    return part.step


def interleaved(epochs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median seconds of each after one that does not count, all taking turns in random order."""
    rng = np.random.default_rng(1)
    seconds: dict[str, list[float]] = {name: [] for name in epochs}
    for round in range(rounds + 1):
        for name in rng.permutation(list(epochs)):
            began = time.perf_counter()
            epochs[name]()
            if round:
                seconds[name].append(time.perf_counter() - began)
    return {name: median(times) for name, times in seconds.items()}


if __name__ == "__main__":
    main()
