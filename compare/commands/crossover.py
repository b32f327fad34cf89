"""`compare crossover`: at which shape does the winner change?"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from compare import profile
from compare.commands.mnist import BATCH, UNITS, locate
from compare.conduct import conduct
from compare.options import (
    COUNT,
    EPOCHS,
    THREADS,
    TYPES,
    Listed,
    Whole,
    as_options,
    backends_option,
    data_dir_option,
    dense_option,
    given,
    measuring_options,
    unknown,
)
from compare.plan import Measuring
from compare.results import Results
from compare.shape_sweep import AXES, Sweep, of_mnist, of_w2v
from compare.workloads.mnist import ONCE, dataset_options
from compare.workloads.mnist import Trial as Mnist
from compare.workloads.w2v import Trial as W2v
from w2v.cores import usable_cores

F = TypeVar("F", bound=Callable[..., Any])
SWEPT = tuple(name for name in Mnist.backends if name not in ONCE)


class Axis(click.ParamType):
    """One of a workload's axes."""

    name = "axis"

    def __init__(self, workload: str) -> None:
        self.known = tuple(AXES[workload])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.known:
            self.fail(unknown("axis", value, self.known), param, ctx)
        return str(value)


class ProfileName(click.ParamType):
    """A shipped profile or a file."""

    name = "profile"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> profile.Profile:
        try:
            return profile.named(value)
        except profile.NoProfile as error:
            self.fail(str(error), param, ctx)


def sweep_options(workload: str, backends: Sequence[str]) -> Callable[[F], F]:
    """The options of both sweeps."""
    options = (
        click.option(
            "--axis", required=True, type=Axis(workload), metavar="|".join(AXES[workload]), help="What to vary."
        ),
        click.option(
            "--values",
            type=Listed("numbers", COUNT, "two shapes at least, as 32,256: a crossing lies between two", least=2),
            help="Of the axis, separated by commas. Default: a few far apart.",
        ),
        backends_option(backends),
        click.option(
            "--against",
            type=ProfileName(),
            metavar="NAME|FILE",
            help=f"Predict another machine too: {', '.join(profile.shipped())}, or what `compare machine --out` wrote.",
        ),
        measuring_options(repeats=5),
    )

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@click.group("crossover", short_help="At which shape the winner changes.")
def command() -> None:
    """Sweep a shape, find where the fastest backend changes, and set the work model's prediction beside it.

    Crossings are interpolated between measured shapes and never extrapolated. Predictions need this machine's
    ceilings: run `compare machine` first. With --against they are made for another machine, with the errors that
    the model made on this one.

    \b
    Examples:
      compare crossover mnist --axis batch --backends numpy,jax
      compare crossover mnist --axis hidden --values 16,128,1024 --repeats 3 \\
        --out hidden.json
      compare crossover w2v --axis vocabulary --backends hogwild,gensim
    """


@command.command("mnist", short_help="Batch size, width or depth of a dense network.")
@sweep_options("mnist", SWEPT)
@click.option("--batch", default=256, show_default=True, type=BATCH, help="Examples a step.")
@click.option("--hidden", default=128, show_default=True, type=UNITS, help="Units of each hidden layer.")
@click.option("--depth", default=1, show_default=True, type=Whole(1, 100), help="Hidden layers.")
@click.option("--threads", default=usable_cores, type=THREADS, show_default="all cores", help="Threads of a row.")
@click.option("--epochs", default=2, show_default=True, type=EPOCHS, help="A sample each.")
@data_dir_option
@dense_option
def mnist(
    axis: str,
    values: tuple[int, ...] | None,
    backends: tuple[str, ...],
    against: profile.Profile | None,
    measuring: Measuring,
    threads: int,
    epochs: int,
    data_dir: Path | None,
    dense: bool,
    **shape: int,
) -> None:
    """Sweep the batch size, width or depth of a dense network on MNIST.

    \b
    Example:
      compare crossover mnist --axis batch --values 32,256,2048 \\
        --backends numpy,jax
    """
    values = along(axis, values or AXES["mnist"][axis])
    name, files = locate(data_dir)
    dataset = dataset_options(name, dense)
    swept = of_mnist(axis, values, backends, shape, threads, epochs, dataset, files)
    carry_out(swept, measuring, against)


@command.command("w2v", short_help="Vector size, negatives, vocabulary or threads.")
@sweep_options("w2v", W2v.backends)
@click.option("--dim", default=100, show_default=True, type=COUNT, help="Vector size.")
@click.option("--negative", default=5, show_default=True, type=COUNT, help="Negative samples.")
@click.option("--vocabulary", default=20_000, show_default=True, type=TYPES, help="Different words.")
@click.option("--workers", default=usable_cores, type=THREADS, show_default="all cores", help="Threads that train.")
@click.option("--tokens", default=500_000, show_default=True, type=Whole(1, 10**8), help="Words of the made-up text.")
def w2v(
    axis: str,
    values: tuple[int, ...] | None,
    backends: tuple[str, ...],
    against: profile.Profile | None,
    measuring: Measuring,
    tokens: int,
    **shape: int,
) -> None:
    """Sweep the vector size, negatives, vocabulary or threads of word2vec, on made-up text with Zipf's frequencies.

    Such text has no meaning to learn, so only speed is compared here; `compare w2v` judges what is learnt.

    \b
    Example:
      compare crossover w2v --axis dim --values 50,100,300 \\
        --backends hogwild,exact,gensim
    """
    if values is None:
        most = usable_cores() if axis == "workers" else max(AXES["w2v"][axis])
        values = tuple(value for value in AXES["w2v"][axis] if value <= most)
        if len(values) < 2:
            raise click.UsageError("this machine has one core, and a crossing lies between two shapes: give --values")
    values = along(axis, values)
    with tempfile.TemporaryDirectory(prefix="compare-crossover-") as folder:
        try:
            swept = of_w2v(axis, values, backends, shape, tokens, Path(folder))
        except ValueError as error:
            raise click.UsageError(as_options(str(error))) from error
        carry_out(swept, measuring, against)


def along(axis: str, values: Sequence[int]) -> tuple[int, ...]:
    """The shapes in order, each one that the axis's own option would take; UsageError if that is given beside."""
    if given(axis):
        raise click.UsageError(f"--{axis} has no say where --axis {axis} varies it: give --values")
    context = click.get_current_context()
    options = {option.name: option for option in context.command.params}
    return tuple(sorted(options[axis].type.convert(value, options["values"], context) for value in values))


def carry_out(swept: Sweep, measuring: Measuring, against: profile.Profile | None) -> None:
    """Measure, conclude, and exit."""
    from compare import findings
    from compare.prediction import LEAST_SHAPES
    from compare.report.crossover import show

    if against and (shapes := len(set(swept.values))) < LEAST_SHAPES:
        raise click.UsageError(
            f"--against predicts from {LEAST_SHAPES} shapes or more, not {shapes}: give more --values"
        )
    if against:
        try:
            profile.here()
        except profile.NoProfile as error:
            raise click.UsageError(f"--against needs this machine's ceilings too: {error}") from error

    def found(results: Results) -> findings.Findings:
        return findings.of(swept, results, results.profile, against)

    conduct(
        swept.plan(measuring.repeats, measuring.seed),
        measuring,
        lambda results: show(results, swept, found(results)),
        lambda results: {"findings": found(results).to_json()},
    )
