"""`compare mnist`: who trains a small dense network fastest, from NumPy to Keras?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from compare.conduct import conduct
from compare.options import POSITIVE, backends_option, data_dir_option, dense_option, measuring_options
from compare.plan import Measuring, Plan
from compare.view import View
from compare.workloads.mnist import Trial, dataset_options
from mnist import data
from w2v.commands.bad_input import BadInput
from w2v.cores import usable_cores

EPOCH_VIEW, STEP_VIEW = (32, 256, 1024, 2048, 4096), (32,)
"""Batch sizes, unless told otherwise."""


class BatchSizes(click.ParamType):
    """Whole numbers from 1 to an epoch's examples, separated by commas."""

    name = "sizes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        texts = value.split(",") if isinstance(value, str) else value
        sizes: list[int] = [click.INT(text, param, ctx) for text in texts]
        for size in sizes:
            if not 1 <= size <= data.EPOCH:
                self.fail(f"batch size {size}: give 1 to {data.EPOCH:,}, an epoch's examples", param, ctx)
        return tuple(dict.fromkeys(sizes))


class Networks(click.ParamType):
    """Units of the hidden layers of each network, separated by commas; those of one network by x: `128,512x512`."""

    name = "networks"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[int, ...], ...]:
        texts = value.split(",") if isinstance(value, str) else value
        return tuple(dict.fromkeys(tuple(self.units(each, param, ctx) for each in text.split("x")) for text in texts))

    def units(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if not text.strip().isdecimal() or int(text) < 1:
            self.fail(
                f"{text!r} is no number of hidden units: give 128, 128,512 or, of two layers, 512x512", param, ctx
            )
        return int(text)


@click.command("mnist", short_help="Who trains a small dense network fastest?")
@click.option(
    "--batch-sizes",
    type=BatchSizes(),
    help="Examples a step, separated by commas. A smaller last batch is trained too. "
    "[default: 32,256,1024,2048,4096; with --ops or --overhead 32]",
)
@backends_option(Trial.backends)
@click.option(
    "--hidden",
    default="128",
    show_default=True,
    type=Networks(),
    help="Hidden units of each network, separated by commas; 512x512 has two hidden layers.",
)
@click.option("--dtype", default="float32", show_default=True, type=click.Choice(["float32", "float64"]))
@click.option(
    "--lr",
    default=0.1,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    help="Learning rate of plain SGD.",
)
@click.option("--epochs", default=5, show_default=True, type=POSITIVE)
@click.option("--threads", default=usable_cores, show_default="all cores", type=POSITIVE, help="Threads of a row.")
@data_dir_option
@dense_option
@click.option("--details", "view", flag_value="details", help="Everything that is known of each row.")
@click.option("--ops", "view", flag_value="ops", help="One step, operation by operation, in each array library.")
@click.option("--overhead", "view", flag_value="overhead", help="Where an epoch goes: arithmetic, framework, data.")
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
    view: str | None,
    measuring: Measuring,
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

    if not math.isfinite(lr):
        raise click.BadParameter(f"{lr} is not a finite number", param_hint="'--lr'")
    cells = {"ops": mnist_plans.operations, "overhead": mnist_plans.overhead}.get(view or "", mnist_plans.grid)
    batches = batch_sizes or (STEP_VIEW if view in ("ops", "overhead") else EPOCH_VIEW)
    name, files = locate(data_dir)
    options = {**dataset_options(name, dense), "learning_rate": lr}
    asked = mnist_plans.Asked(batches, backends, hidden, dtype, epochs, threads, options, files)
    shown = View(f"mnist-{view}" if view else "mnist")
    conduct(Plan(cells(asked), measuring.repeats, measuring.seed, shown), measuring)


def locate(data_dir: Path | None) -> tuple[str, dict[str, str]]:
    """The data's name, and the folder that it is in, if any; downloaded where need be, and checked."""
    from compare.download import CACHE, DownloadBar

    try:
        if data_dir is None:
            with DownloadBar("MNIST") as bar:
                data_dir = data.download(CACHE / "mnist", bar)
        return data.read(data_dir).name, {"data_dir": str(data_dir)}
    except ConnectionError as error:
        click.echo(f"MNIST can't be downloaded ({error}). If you have a copy: --data-dir DIR", err=True)
        return data.stand_in().name, {}
    except (OSError, ValueError) as error:
        raise BadInput(str(error)) from error
