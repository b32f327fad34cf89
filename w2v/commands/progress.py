"""What a terminal shows while a command works."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text


class Bar:
    """A bar on standard error that vanishes when done. Silent where nobody watches."""

    def __init__(self, shown: bool) -> None:
        console = Console(stderr=True)
        columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), Speed(), TimeRemainingColumn()
        self.progress = Progress(*columns, console=console, disable=not (shown and console.is_terminal), transient=True)
        self._step = self.progress.add_task("Reading", total=None, unit="bytes", loss=None)

    def read(self, done: int, total: int) -> None:
        """Show bytes of the text read."""
        self.progress.update(self._step, completed=done, total=total)

    def begin_training(self) -> None:
        """Show words, not bytes, from now on."""
        self.progress.remove_task(self._step)
        self._step = self.progress.add_task("Training", total=None, unit="words", loss=None)

    def begin_writing(self) -> None:
        """Show that all is trained."""
        self.progress.update(self._step, description="Writing")

    def trained(self, done: int, total: int, loss: float | None) -> None:
        """Show words trained, and the mean loss if it is computed."""
        self.progress.update(self._step, completed=done, total=total, loss=loss)


class Speed(ProgressColumn):
    """The speed of the last half minute, and the loss."""

    def render(self, task: Task) -> Text:
        speed = f"{task.speed:,.0f} {task.fields['unit']}/s" if task.speed else ""
        loss = task.fields["loss"]
        return Text(speed if loss is None else f"{speed}  loss {loss:.4f}")
