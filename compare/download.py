"""Where downloads are kept, and how they are watched."""

from __future__ import annotations

import logging

import click
import pooch
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

pooch.get_logger().setLevel(logging.WARNING)  # the bar says the rest
CACHE = pooch.os_cache("w2v-compare")


class DownloadBar:
    """What pooch needs of a progress bar, drawn by rich on standard error; in a log a line as it begins."""

    def __init__(self, label: str) -> None:
        self.label = label
        console = Console(stderr=True)
        columns = TextColumn(label), BarColumn(), DownloadColumn(), TransferSpeedColumn()
        self.progress = Progress(*columns, console=console, disable=not console.is_terminal)
        self.task = self.progress.add_task("", total=None)

    def __enter__(self) -> DownloadBar:
        self.progress.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.progress.stop()

    @property
    def total(self) -> float | None:
        return self.progress.tasks[0].total

    @total.setter
    def total(self, size: float) -> None:
        self.progress.update(self.task, total=size, completed=0)
        if self.progress.disable:
            click.echo(f"Downloading {self.label}: {size / 1e6:.3g} MB", err=True)

    def update(self, size: int) -> None:
        self.progress.advance(self.task, size)

    def reset(self) -> None:
        self.progress.update(self.task, completed=0)

    def close(self) -> None:
        """pooch says that it has finished; the bar stays until its block ends."""
