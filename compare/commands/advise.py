"""`compare advise`: what would training this take, here and elsewhere?"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any, TypeVar

import click

from compare import profile
from compare.commands.crossover import ProfileName
from compare.options import COUNT, TYPES, Listed, Real, as_options, json_option, unknown

F = TypeVar("F", bound=Callable[..., Any])
HERE = "here"


WIDTHS = Listed("widths", COUNT, "inputs, hidden layers and outputs, as 784,128,10", least=2, once=False)


class Price(click.ParamType):
    """`NAME=NUMBER`, the price of an hour of a machine: `here`, or a profile, by its file's name without ending."""

    name = "price"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        name, _, number = str(value).rpartition("=")
        if not name:
            self.fail(f"{value!r} is no price: give {HERE}=0.20, or a profile's name and a number", param, ctx)
        return name, Real(min=0).convert(number, param, ctx)


def machine_options(command: F) -> F:
    """What both kinds of advice are asked about."""
    options = (
        click.option(
            "--price",
            "prices",
            multiple=True,
            type=Price(),
            metavar="NAME=NUMBER",
            help=f"Of an hour of a machine: {HERE}=0.20 for this one, or a profile's name: of a file laptop.json, "
            "laptop. May be given several times.",
        ),
        click.option(
            "--against",
            multiple=True,
            type=ProfileName(),
            metavar="NAME|FILE",
            help="Another machine's profile, beside those that ship. May be given several times.",
        ),
        json_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.group("advise", short_help="What training a shape would take and cost.")
def command() -> None:
    """Predict time and cost of an epoch, here and on every machine there is a profile of, and say what limits it.

    This machine's ceilings come from `compare machine`, or from a profile that ships for a like one; a profile that
    was written elsewhere is given by --against.

    \b
    Examples:
      compare advise mlp --layers 784,128,10 --batch 256
      compare advise mlp --model model.keras --batch 32 --examples 60000 \\
        --price here=0.10
      compare advise w2v --vocabulary 70000 --dim 100 --tokens 17000000
    """


@command.command("mlp", short_help="A dense network.")
@click.option("--layers", type=WIDTHS, help="Widths, inputs first: 784,128,10.")
@click.option("--model", "path", metavar="FILE", help="A .keras file to read the widths from.")
@click.option("--batch", default=256, show_default=True, type=COUNT, help="Examples a step.")
@click.option("--examples", default=48_000, show_default=True, type=COUNT, help="Of an epoch.")
@machine_options
def mlp(
    layers: tuple[int, ...] | None,
    path: str | None,
    batch: int,
    examples: int,
    prices: Sequence[tuple[str, float]],
    against: Sequence[profile.Profile],
    as_json: bool,
) -> None:
    """Advise on a dense network trained by SGD.

    \b
    Example:
      compare advise mlp --layers 784,512,512,10 --batch 128 --price here=0.10
    """
    from compare import advise
    from compare.model_layers import Unsupported, layers_of
    from compare.work import mnist
    from mnist.model import CLASSES, PIXELS

    if (layers is None) == (path is None):
        raise click.UsageError("give the shape by --layers, or by --model")
    try:
        widths = layers or layers_of(path)
    except (Unsupported, OSError) as error:
        raise click.UsageError(str(error)) from error

    def at(batch: int) -> advise.Workload:
        return lambda backend: mnist.mlp(
            widths, batch, examples, mnist.calls_per_step(backend, len(widths) - 1, batch, examples)
        )

    batches = [2**power for power in range(15) if 2**power <= examples]
    shape = f"{'-'.join(map(str, widths))}, batch {batch}, {examples:,} examples an epoch"
    fits = (widths[0], widths[-1]) == (PIXELS, CLASSES)
    unsuited = {} if fits else dict.fromkeys(mnist.MNIST_ALONE, f"takes {PIXELS} inputs and {CLASSES} classes alone")
    tell("mnist", shape, at, batch, ("batch", batches), prices, against, as_json, unsuited)


@command.command("w2v", short_help="word2vec.")
@click.option("--vocabulary", required=True, type=TYPES, help="Different words.")
@click.option("--tokens", required=True, type=COUNT, help="Words of the text.")
@click.option("--dim", default=100, show_default=True, type=COUNT, help="Vector size.")
@click.option("--window", default=5, show_default=True, type=COUNT, help="Words of context on each side, at most.")
@click.option("--negative", default=5, show_default=True, type=COUNT, help="Negative samples.")
@click.option("--sample", default=1e-3, show_default=True, type=Real(min=0), help="Subsampling threshold.")
@machine_options
def w2v(
    vocabulary: int,
    tokens: int,
    dim: int,
    prices: Sequence[tuple[str, float]],
    against: Sequence[profile.Profile],
    as_json: bool,
    **hyper: Any,
) -> None:
    """Advise on skip-gram with negative sampling, on a text whose words are as frequent as natural language's.

    \b
    Example:
      compare advise w2v --vocabulary 70000 --dim 300 --tokens 17000000 \\
        --price here=0.10
    """
    from compare import advise
    from compare.work import w2v
    from w2v.params import Params

    if vocabulary > tokens:
        raise click.UsageError(f"{tokens:,} tokens can't hold {vocabulary:,} different words")

    def at(dim: int) -> advise.Workload:
        params = Params(sg=1, vector_size=dim, epochs=1, **hyper)
        return lambda backend: w2v.sgns(words, params, tokens, backend in w2v.PAIRWISE)

    try:
        words = w2v.zipf(vocabulary, tokens)
        at(dim)
    except ValueError as error:
        raise click.UsageError(as_options(str(error))) from error
    shape = f"skip-gram, {vocabulary:,} words, dim {dim}, {tokens:,} tokens an epoch"
    tell("w2v", shape, at, dim, ("dim", [16 * 2**power for power in range(9)]), prices, against, as_json)


def tell(
    workload: str,
    shape: str,
    at: Callable[[int], Callable[[str], Any]],
    value: int,
    axis: tuple[str, Sequence[int]],
    prices: Sequence[tuple[str, float]],
    against: Sequence[profile.Profile],
    as_json: bool,
    unsuited: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Predict for every machine, and print it. unsuited: why backends can't do this anywhere."""
    from compare import advise, calibration
    from compare.report.advise import show
    from compare.report.terminal import enumeration
    from compare.workloads import load

    profiles, notes = machines(against)
    check(prices, profiles)
    notes += [f"Ceilings of {each.origin}" for each in profiles.values() if each.disturbed]
    calibrated = calibration.load()[workload]
    notes += [f"Not considered: {name}: {why}" for name, why in unsuited.items() if name in calibrated.fits]
    calibrated = replace(calibrated, fits={name: fit for name, fit in calibrated.fits.items() if name not in unsuited})
    absent = {}
    if HERE in profiles:
        absent[HERE] = {name: why for name in calibrated.fits if (why := load(workload).unavailable(name))}
        notes += [f"Not considered here: {name}: {why}" for name, why in absent[HERE].items()]
    found = advise.advise(at(value), calibrated, profiles, dict(prices), absent)
    lacking = {key: advise.lacks(at(value), calibrated, each) for key, each in profiles.items()}
    notes += [
        f"Left out: the {device.upper()} of {profiles[key].name}: its profile lacks a ceiling of {enumeration(kinds)}; "
        "`compare machine` there says why."
        for key, by_device in lacking.items()
        for device, kinds in by_device.items()
    ]
    devices = [key for key, each in profiles.items() if each.gpu]
    for key in devices:
        host_key = HERE if HERE in profiles else key
        if "gpu" in lacking[key] or "cpu" in lacking[host_key]:
            continue
        device, host = profiles[key], profiles[host_key]
        first = advise.pays_from(at, axis[1], calibrated, host, device, absent.get(HERE, ()))
        where = f"from {axis[0]} {first:,}" if first else f"at no {axis[0]} up to {axis[1][-1]:,}"
        notes.append(f"The GPU of {device.name} is expected to be faster than the processor of {host.name} {where}.")
    if not devices:
        notes.append(
            "Whether a GPU would pay is not said: no profile here was measured on one. `compare machine --out FILE` "
            "there writes one, to be given here by --against FILE."
        )
    if as_json:
        click.echo(json.dumps({"shape": shape, "advice": [told(each) for each in found], "notes": notes}, indent=1))
    else:
        show(shape, found, calibrated, notes)


def told(advice: Any) -> dict[str, Any]:
    return {**asdict(advice), "sentence": advice.sentence}


def machines(against: Sequence[profile.Profile]) -> tuple[dict[str, profile.Profile], list[str]]:
    """This machine, if it or one like it was measured, those that ship, and those given, by what --price calls them."""
    found, notes = {}, []
    shipped = {name: profile.named(name) for name in profile.shipped()}
    try:
        known = profile.here()
    except profile.NoProfile as error:
        notes.append(f"Left out: {error}")
    else:
        found[HERE] = replace(known, name="this machine")
        if known in shipped.values():
            notes.append(f"This machine's ceilings are those of a like one: {known.origin}")
    found |= shipped
    for each in against:
        if each in found.values():
            continue
        if each.name in {HERE, *found, *(other.name for other in found.values())}:
            raise click.UsageError(f"two machines would be called {each.name!r}, as that file is: rename it")
        found[each.name] = each
    return found, notes


def check(prices: Sequence[tuple[str, float]], profiles: Mapping[str, profile.Profile]) -> None:
    """UsageError for the price of a machine that there is no profile of."""
    for name, _ in prices:
        if name == HERE and HERE not in profiles:
            raise click.UsageError(
                f"--price {HERE}: what this machine can do was not measured yet: run `compare machine` first"
            )
        if name not in profiles:
            raise click.UsageError(unknown("machine", name, list(profiles)))
