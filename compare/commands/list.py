"""`compare list`: what can run on this machine, and why the rest can't."""

from __future__ import annotations

import json

import click

from compare.options import json_option
from compare.report.terminal import output
from compare.workloads import WORKLOADS, load


@click.command("list", short_help="What can run here, and why the rest can't.")
@json_option
def command(as_json: bool) -> None:
    """List the backends of every workload, and why some can't run here.

    \b
    Examples:
      compare list
      compare list --json
    """
    found = {
        name: {backend: workload.unavailable(backend) for backend in workload.backends}
        for name, workload in ((name, load(name)) for name in WORKLOADS)
    }
    if as_json:
        click.echo(json.dumps(found, indent=1))
        return
    console = output()
    for name, backends in found.items():
        console.print(f"[bold]{name}[/bold]")
        for backend, reason in backends.items():
            console.print(f"  {backend:<20} {'can run here' if reason is None else 'can not run here:'}", markup=False)
            if reason is not None:
                console.print(f"    {reason}", markup=False, soft_wrap=True)  # a command is copied whole
