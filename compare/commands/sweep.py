"""`compare sweep`: which way of training several hyper-parameters is fastest?"""

from __future__ import annotations

import itertools
from pathlib import Path

import click

from compare.cell import Cell
from compare.commands.mnist import BATCHES, NETWORKS, RATE, locate
from compare.conduct import conduct
from compare.options import EPOCHS, SEED, THREADS, Listed, NameList, data_dir_option, measuring_options
from compare.plan import Measuring, Plan
from compare.view import View
from compare.workloads.mnist_sweep import Trial
from w2v.cores import usable_cores


@click.command("sweep", short_help="Several hyper-parameters: loop, processes, vmap or threads?")
@click.option(
    "--lr",
    default="0.01,0.03,0.1,0.3,1",
    show_default=True,
    type=Listed("rates", RATE, "learning rates, as 0.1 or 0.01,0.1"),
    help="Learning rates of plain SGD, separated by commas.",
)
@click.option(
    "--batch-sizes", default="256", show_default=True, type=BATCHES, help="Examples a step, separated by commas."
)
@click.option(
    "--seeds",
    default="1",
    show_default=True,
    type=Listed("seeds", SEED, "seeds, as 1 or 1,2,3"),
    help="Of weights and order, separated by commas.",
)
@click.option(
    "--methods",
    default=",".join(Trial.backends),
    show_default=True,
    type=NameList("method", Trial.backends),
    help="Rows, separated by commas.",
)
@click.option("--hidden", default="128", show_default=True, type=NETWORKS, help="Hidden units; 512x512: two layers.")
@click.option("--epochs", default=5, show_default=True, type=EPOCHS)
@click.option("--threads", default=usable_cores, type=THREADS, show_default="all cores", help="Threads of a method.")
@data_dir_option
@measuring_options(repeats=3)
def command(
    lr: tuple[float, ...],
    batch_sizes: tuple[int, ...],
    seeds: tuple[int, ...],
    methods: tuple[str, ...],
    hidden: tuple[tuple[int, ...], ...],
    epochs: int,
    threads: int,
    data_dir: Path | None,
    measuring: Measuring,
) -> None:
    """Train one network with every combination of hyper-parameters, by several methods, and say which is fastest.

    Methods: a plain loop (in NumPy, JAX or our native trainer), a pool of processes, JAX's vmap over the learning
    rates, and native trainers in threads. All train the same configurations, and should find the same winner.

    \b
    Examples:
      compare sweep
      compare sweep --lr 0.001,0.01,0.1,1,10,100 --batch-sizes 32,256 --epochs 2
      compare sweep --seeds 1,2,3 --methods pool-numpy,vmap-jax --out sweep.json
    """
    if len(hidden) > 1:
        raise click.BadParameter("a sweep is of one network: give one", param_hint="'--hidden'")
    name, files = locate(data_dir)
    configurations = [[*values] for values in itertools.product(batch_sizes, seeds, lr)]
    options = {"dataset": name, "configurations": configurations, "epochs": epochs}
    cells = [
        Cell("sweep", method, "cpu", {"hidden": list(hidden[0])}, threads, "float32", 1, options, files)
        for method in methods
    ]
    conduct(Plan(cells, measuring.repeats, measuring.seed, View("sweep")), measuring)
