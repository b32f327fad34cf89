"""What a terminal shows while a text is read and trained on."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from w2v.progress import lines_on_stderr


class Bar:
    """A bar on standard error within a `with` block, or, where that is no terminal, lines of the training.

    resumed_at : int or None
        Words that were trained already when training began here; None before.
    """

    resumed_at: int | None = None

    def __init__(self, shown: bool) -> None:
        console = Console(stderr=True)
        columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), Speed(), TimeRemainingColumn()
        self._lines = shown and not console.is_terminal
        self._progress = Progress(
            *columns, console=console, disable=not (shown and console.is_terminal), transient=True
        )
        self._step = self._progress.add_task("Reading", total=None, unit="bytes", loss=None)
        self._until_done = ExitStack()

    def read(self, done: int, total: int) -> None:
        """Show bytes of the text read."""
        self._progress.update(self._step, completed=done, total=total)

    def begin_training(self) -> None:
        """Show words, not bytes, from now on."""
        self._progress.remove_task(self._step)
        self._step = self._progress.add_task("Training", total=None, unit="words", loss=None)

    def begin_writing(self) -> None:
        """Show that all is trained."""
        self._progress.update(self._step, description="Writing")

    def trained(self, done: int, total: int, loss: float | None) -> None:
        """Show words trained, and the mean loss if it is computed."""
        if self.resumed_at is None:
            self.resumed_at = done
        self._progress.update(self._step, completed=done, total=total, loss=loss)

    def __enter__(self) -> Bar:
        if self._lines:
            self._until_done.enter_context(lines_on_stderr())
        self._until_done.enter_context(self._progress)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._until_done.close()


class Speed(ProgressColumn):
    """The speed of the last half minute, and the loss."""

    def render(self, task: Task) -> Text:
        speed = f"{task.speed:,.0f} {task.fields['unit']}/s" if task.speed else ""
        loss = task.fields["loss"]
        return Text(speed if loss is None else f"{speed}  loss {loss:.4f}")
