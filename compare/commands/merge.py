"""`compare merge`: results of several machines in one file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from compare.options import OutputFile, json_option
from compare.store import Unreadable, merge
from w2v.commands.bad_input import BadInput
from w2v.wording import counted


@click.command("merge", short_help="Put results of several machines into one file.")
@click.argument("sources", metavar="RESULT...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=OutputFile(), help="JSON file for all of them.")
@json_option
def command(sources: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Put the results of several runs or machines into one file, which report and diff read like a single one.

    \b
    Example:
      compare merge mnist-laptop.json mnist-server.json --out all.json
    """
    if out.exists():
        raise BadInput(f"{out} exists: name another file, or remove it")
    try:
        found = merge(sources, out)
    except Unreadable as error:
        raise BadInput(str(error)) from error
    click.echo(json.dumps({"out": str(out), "results": found}) if as_json else f"{counted(found, 'result')} in {out}")
