"""`compare machine`: what this machine can do at most."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from compare import profile
from compare.options import DerivedFile, json_option


@click.command("machine", short_help="What this machine can do at most.")
@click.option("--out", type=DerivedFile(), help="Write the profile to this file too, to take it to another machine.")
@click.option(
    "--name",
    default="this machine",
    show_default=True,
    help="What tables call the machine here; elsewhere a profile goes by the name of its file.",
)
@click.option("--quick", is_flag=True, help="In a second or two, too roughly to be kept for other commands.")
@json_option
def command(out: Path | None, name: str, quick: bool, as_json: bool) -> None:
    """Measure this machine's ceilings in about a minute, and keep them for the other commands.

    Arithmetic (sgemm), memory (copy, triad, random rows by size and by where their table lies), the cost of a
    call and of a thread; on a GPU launches, transfers, memory and sgemm. A ceiling is the best of several samples.

    While other work takes more than a tenth of the cores, ceilings come out too low: the profile says so, and takes
    the place of none that was measured in quiet.

    \b
    Examples:
      compare machine
      compare machine --name "laptop, 8 cores" --out laptop.json
      compare machine --quick --json
    """
    from compare import ceilings
    from compare.ceilings.timing import FULL, QUICK
    from compare.report.machine import show

    console = Console(stderr=True)
    if not console.is_terminal:
        console.print(f"Measuring this machine's ceilings: {'a second or two' if quick else 'about a minute'}")
    with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("")

        def watch(label: str, done: int, total: int) -> None:
            bar.update(task, description=label, completed=done, total=total)

        found = ceilings.measure(QUICK if quick else FULL, name, watch)
    try:
        if out:
            profile.save(found, out)
        kept = None if quick else profile.keep(found)
    finally:  # a minute's work is shown though it can't be written
        if as_json:
            click.echo(json.dumps(found.to_json(), indent=1))
        else:
            show(found)
    if kept is None:
        told = "Not kept: a quick look is too rough for other commands."
    elif kept is found:
        told = f"Kept for other commands in {profile.HERE}"
    else:
        told = f"Not kept: what was measured in quiet ({kept.origin}) stays for other commands"
    click.echo(told, err=as_json)
    if out:
        click.echo(f"Written to {out}", err=as_json)
