"""`compare claims`: do the experiment's claims hold on this machine?"""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from compare.claims import CLAIMS, MIN_COUNT, Setting, cells, to_json
from compare.commands.mnist import locate
from compare.commands.w2v import lay_out
from compare.conduct import conduct
from compare.options import EPOCHS, THREADS, NameList, data_dir_option, measuring_options
from compare.plan import Measuring, Plan
from compare.view import View
from w2v.cores import usable_cores

NAMES = tuple(claim.name for claim in CLAIMS)


@click.command("claims", short_help="Do the experiment's claims hold on this machine?")
@click.option(
    "--only",
    default=",".join(NAMES),
    show_default=True,
    type=NameList("claim", NAMES),
    help="Claims, separated by commas.",
)
@click.option("--epochs", default=3, show_default=True, type=EPOCHS, help="Of a network; samples of a process.")
@click.option("--threads", default=usable_cores, show_default="all cores", type=THREADS, help="Of every row.")
@data_dir_option
@measuring_options(repeats=5)
def command(only: tuple[str, ...], epochs: int, threads: int, data_dir: Path | None, measuring: Measuring) -> None:
    """Repeat what the experiment claimed, each claim as an experiment of its own, and say which hold here.

    Each ends "holds here", "does not hold here", "undecided here" or "needs a GPU", with its figures.

    \b
    Examples:
      compare claims
      compare claims --only batches,overhead --repeats 10 --out claims.json
    """
    claims = [claim for claim in CLAIMS if claim.name in only]
    name, files = locate(data_dir)
    with tempfile.TemporaryDirectory(prefix="compare-claims-") as folder:
        at = Setting(threads, epochs, name, files, *lay_out(None, Path(folder), MIN_COUNT))
        conduct(
            Plan(cells(claims, at), measuring.repeats, measuring.seed, View("claims")),
            measuring,
            conclusions=lambda results: {"claims": to_json(results)},
        )
