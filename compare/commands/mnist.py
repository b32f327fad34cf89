"""`compare mnist`: who trains a small dense network fastest, from NumPy to Keras?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from compare.cell import Cell
from compare.conduct import conduct
from compare.options import NameList, measuring_options
from compare.plan import Plan
from compare.workloads.mnist import ONCE, REFERENCE, Trial
from mnist import data
from w2v.cores import usable_cores

POSITIVE = click.IntRange(min=1)


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


@click.command("mnist")
@click.option(
    "--batch-sizes",
    default="32,256,1024,2048,4096",
    show_default=True,
    type=BatchSizes(),
    help="Examples a step, separated by commas. A smaller last batch is trained too.",
)
@click.option(
    "--backends",
    default=",".join(Trial.backends),
    show_default=True,
    type=NameList("backend", Trial.backends),
    help="Rows, separated by commas.",
)
@click.option("--hidden", default=128, show_default=True, type=POSITIVE, help="Hidden units.")
@click.option(
    "--lr",
    default=0.1,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    help="Learning rate of plain SGD.",
)
@click.option("--epochs", default=3, show_default=True, type=POSITIVE)
@click.option("--threads", default=usable_cores, type=POSITIVE, help="Threads of a row. [default: all cores]")
@click.option(
    "--data-dir",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with MNIST's four IDX files, plain or .gz. Default: downloaded once; with no network, "
    "digits that come with this package stand in.",
)
@measuring_options(repeats=2)
def command(
    batch_sizes: tuple[int, ...],
    backends: tuple[str, ...],
    hidden: int,
    lr: float,
    epochs: int,
    threads: int,
    data_dir: Path | None,
    repeats: int,
    seed: int,
    timeout: float,
    out: Path | None,
) -> None:
    """Train a small dense network on MNIST by every backend, and say who is fastest at which batch size.

    All rows start from the same weights and see the same batches; their losses are checked against the same
    training in float64.

    \b
    Examples:
      compare mnist
      compare mnist --batch-sizes 32,1000 --epochs 10 --out result.json
      compare mnist --data-dir mnist/ --backends numpy,jax --threads 1
    """
    from compare.report.mnist import show

    if not math.isfinite(lr):
        raise click.BadParameter(f"{lr} is not a finite number", param_hint="'--lr'")
    name, files = locate(data_dir)
    options = {"dataset": name, "learning_rate": lr}

    def cell(backend: str, batch: int, dtype: str = "float32") -> Cell:
        shape = {"batch": batch, "hidden": hidden}
        samples = 1 if backend in ONCE else epochs
        return Cell("mnist", backend, "cpu", shape, threads, dtype, samples, options, files)

    cells = [
        cell(backend, batch)
        for batch in batch_sizes
        for backend in backends
        if backend not in ONCE or batch == batch_sizes[0]
    ]
    references = [cell(REFERENCE, batch, "float64") for batch in dict.fromkeys(c.shape["batch"] for c in cells)]
    conduct(Plan(cells + references, repeats, seed), timeout, out, show)


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
        raise click.ClickException(str(error)) from error
