"""`compare backends`: what can run on this machine, and why the rest can't."""

from __future__ import annotations

import click

from compare.report.terminal import output
from compare.workloads import WORKLOADS, load


@click.command("backends", short_help="What can run here, and why the rest can't.")
def command() -> None:
    """List the backends of every workload, and why some can't run here.

    \b
    Example:
      compare backends
    """
    console = output()
    for name in WORKLOADS:
        workload = load(name)
        console.print(f"[bold]{name}[/bold]")
        for backend in workload.backends:
            console.print(f"  {backend:<20} {workload.unavailable(backend) or 'ready'}", markup=False)
