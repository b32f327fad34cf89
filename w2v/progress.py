"""What is told of training while it goes on: to Python's log, and to those who watch."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from w2v.driver import Progress
from w2v.params import Params

LOG_SECONDS = 10

logger = logging.getLogger("w2v.progress")


class Log:
    """Logs how far a run is, at each epoch's end and every LOG_SECONDS; the speed is that since the last line.

    Of one that goes on from a checkpoint it tells where.

    then : callable, optional
        Called likewise, but for the learning rate.
    """

    def __init__(self, params: Params, then: Progress | None = None) -> None:
        self._epochs, self._then = params.epochs, then
        self._done, self._at = -1, 0.0

    def __call__(self, done: int, total: int, loss: float | None, alpha: float) -> None:
        if self._then:
            self._then(done, total, loss)
        now = time.perf_counter()
        epoch, in_epoch = divmod(done * self._epochs, total)
        if self._done < 0:
            self._done, self._at = done, now
            if done:
                percent = 100 * done / total
                tell(
                    f"goes on from its checkpoint: {epoch} of {self._epochs} epochs done, {percent:.1f} % of all words"
                )
        ended = not in_epoch and done > self._done
        if not ended and now < self._at + LOG_SECONDS:
            return
        logger.info(
            "epoch %d of %d%s: %.1f %% of all words, %s words/s, alpha %.4g%s",
            epoch if ended else epoch + 1,
            self._epochs,
            " done" if ended else "",
            100 * done / total,
            f"{(done - self._done) / (now - self._at):,.0f}",
            alpha,
            "" if loss is None else f", loss {loss:.4f}",
        )
        self._done, self._at = done, now


def checked_progress(progress: Progress | bool | None) -> Progress | bool | None:
    """What was given as `progress`; TypeError if it is of no use."""
    if progress is None or isinstance(progress, bool) or callable(progress):
        return progress
    raise TypeError(f"progress={progress!r} must be True, or be called with (words done, words in all, loss)")


@contextmanager
def shown(progress: Progress | bool | None) -> Iterator[Progress | None]:
    """The callable, if it is one; for True that of a bar, which is there until the block ends."""
    if not progress or callable(progress):
        yield progress or None
        return
    from w2v.bar import Bar

    with Bar(shown=True) as bar:
        bar.begin_training()
        yield bar.trained


def tell(message: str) -> None:
    """Log; and where nobody listens to that, say it on the terminal, if there is one."""
    if logger.isEnabledFor(logging.INFO):
        logger.info(message)
    elif sys.stderr.isatty():
        print(message, file=sys.stderr)


@contextmanager
def lines_on_stderr() -> Iterator[None]:
    """Write what is logged here to standard error, unless a handler of the program's own does."""
    handler, level = logging.NullHandler() if _on_stderr() else logging.StreamHandler(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


def _on_stderr() -> bool:
    """Whether a handler writes what is logged here to standard error."""
    handlers = [handler for name in (logger.name, "w2v", None) for handler in logging.getLogger(name).handlers]
    return any(
        isinstance(handler, logging.StreamHandler) and handler.stream is sys.stderr and handler.level <= logging.INFO
        for handler in handlers
    )
