"""`compare mnist`: who trains a small dense network fastest, from NumPy to Keras?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from compare.conduct import conduct
from compare.options import (
    EPOCHS,
    THREADS,
    Listed,
    Real,
    Whole,
    backends_option,
    data_dir_option,
    dense_option,
    given,
    measuring_options,
)
from compare.plan import Measuring, Plan
from compare.view import MNIST_VIEWS, View
from compare.workloads.mnist import ONCE, Trial, dataset_options
from mnist import data
from w2v.commands.bad_input import BadInput, told
from w2v.cores import usable_cores

EPOCH_VIEW, STEP_VIEW = (32, 256, 1024, 2048, 4096), (32,)
"""Batch sizes, unless told otherwise."""


BATCH = Whole(1, data.EPOCH)
RATE = Real(min=0, min_open=True)
BATCHES = Listed("sizes", BATCH, "batch sizes, as 32 or 32,256")
UNITS = Whole(1, 2**16)
NETWORKS = Listed(
    "networks",
    Listed("units", UNITS, "hidden units, as 128 or, of two layers, 512x512", separator="x", once=False),
    "networks by their hidden units, as 128 or 128,512x512",
)


@click.command("mnist", short_help="Who trains a small dense network fastest?")
@click.option(
    "--batch-sizes",
    type=BATCHES,
    help="Examples a step, separated by commas. A smaller last batch is trained too. "
    "[default: 32,256,1024,2048,4096; with --ops or --overhead 32]",
)
@backends_option(Trial.backends)
@click.option(
    "--hidden",
    default="128",
    show_default=True,
    type=NETWORKS,
    help="Hidden units of each network, separated by commas; 512x512 has two hidden layers.",
)
@click.option("--dtype", default="float32", show_default=True, type=click.Choice(["float32", "float64"]))
@click.option(
    "--lr",
    default=0.1,
    show_default=True,
    type=RATE,
    help="Learning rate of plain SGD.",
)
@click.option(
    "--epochs",
    default=5,
    show_default=True,
    type=EPOCHS,
    help=f"Of {data.EPOCH:,} examples, drawn from the 60,000 of MNIST's training set.",
)
@click.option("--threads", default=usable_cores, show_default="all cores", type=THREADS, help="Threads of a row.")
@data_dir_option
@dense_option
@click.option("--details", is_flag=True, help="Everything that is known of each row.")
@click.option("--ops", is_flag=True, help="One step, operation by operation, in each array library.")
@click.option("--overhead", is_flag=True, help="Where an epoch goes: arithmetic, framework, data.")
@measuring_options(repeats=3)
def command(
    batch_sizes: tuple[int, ...] | None,
    backends: tuple[str, ...],
    hidden: tuple[tuple[int, ...], ...],
    dtype: str,
    lr: float,
    epochs: int,
    threads: int,
    data_dir: Path | None,
    dense: bool,
    measuring: Measuring,
    **views: bool,
) -> None:
    """Train a small dense network on MNIST by every backend, and say who is fastest at which batch size.

    All rows start from the same weights and see the same batches; their losses and accuracy are checked against the
    same training in float64, the row `reference`. All rows take up to half an hour; --budget cuts that short.

    \b
    Examples:
      compare mnist
      compare mnist --batch-sizes 32,1000 --epochs 10 --out result.json
      compare mnist --hidden 128,512,2048,512x512 --backends numpy,jax
      compare mnist --data-dir mnist/ --backends numpy,jax --threads 1 --details
      compare mnist --ops
      compare mnist --overhead --backends keras-cpu,numpy,jax,native
    """
    from compare import mnist_plans

    view = chosen([name for name in MNIST_VIEWS if views[name]], backends)
    cells = {"ops": mnist_plans.operations, "overhead": mnist_plans.overhead}.get(view, mnist_plans.grid)
    batches = batch_sizes or (STEP_VIEW if view in ("ops", "overhead") else EPOCH_VIEW)
    name, files = locate(data_dir)
    options = {**dataset_options(name, dense), "learning_rate": lr}
    asked = mnist_plans.Asked(batches, backends, hidden, dtype, epochs, threads, options, files)
    shown = View(f"mnist-{view}" if view else "mnist")
    conduct(Plan(cells(asked), measuring.repeats, measuring.seed, shown), measuring)


def chosen(views: Sequence[str], backends: Sequence[str]) -> str:
    """The view that was asked for, if any; UsageError where a view or a row that is asked for would not be shown."""
    if len(views) > 1:
        raise click.UsageError(f"{' and '.join(f'--{view}' for view in views)} show different things: give one of them")
    view = next(iter(views), "")
    if view == "ops" and given("backends"):
        raise click.UsageError("--ops takes a step apart in every array library: leave --backends out")
    once = [name for name in backends if name in ONCE]
    if view == "overhead" and given("backends") and once:
        reason = "one example at a time: there is no batch to take apart, leave it out"
        raise click.UsageError(f"--overhead: {' and '.join(once)} trains {reason}")
    return view


def locate(data_dir: Path | None) -> tuple[str, dict[str, str]]:
    """The data's name, and the folder that it is in, if any; downloaded where need be, and checked."""
    from compare.download import CACHE, DownloadBar

    try:
        if data_dir is None:
            with DownloadBar("MNIST") as bar:
                data_dir = data.download(CACHE / "mnist", bar)
    except ConnectionError as error:
        name = data.stand_in().name
        click.echo(f"MNIST can't be downloaded ({error}): {name} is used. If you have a copy: --data-dir DIR", err=True)
        return name, {}
    try:
        return data.read(data_dir).name, {"data_dir": str(data_dir)}
    except (OSError, ValueError) as error:
        raise BadInput(told(error)) from error
