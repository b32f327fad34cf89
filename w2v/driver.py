"""The one training loop: epochs, chunks, threads, learning rate, progress, pauses and errors, for every trainer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from math import isfinite

import numpy as np

from w2v.schedule import alpha_at, alpha_on_ranks, chunk_bounds
from w2v.threads import Crew
from w2v.trainers import Task, Trained, Trainer, Worker

PROGRESS_SECONDS = 0.2

Progress = Callable[[int, int, float | None], None]
Observer = Callable[[int, int, float | None, float], None]


@dataclass(frozen=True)
class Position:
    """Where a run stands between chunks.

    epoch, chunk: what is to be trained next, both from 0. trained: what each epoch begun has done so far.
    """

    epoch: int = 0
    chunk: int = 0
    trained: tuple[Trained, ...] = ()


class Hook:
    """What is done while no thread trains and the tables hold all that was learnt. Override what you need.

    All but `due` is called in the thread that called `train`.
    """

    def due(self, epoch: int, chunk: int) -> bool:
        """Whether to pause before this chunk. Asked of each but the first after a pause, in any thread: be quick."""
        return False

    def on_pause(self, position: Position) -> None:
        """Called at each pause, whoever asked for it."""

    def merge_epoch(self, trained: Trained) -> Trained:
        """Bring in what other processes did of an epoch, and return what all did. Called before any `on_epoch_end`."""
        return trained

    def on_epoch_begin(self, epoch: int) -> None:
        """Called before the first chunk of an epoch."""

    def on_epoch_end(self, position: Position) -> None:
        """Called when an epoch is done; `position` is the begin of the next."""


@dataclass(frozen=True)
class Summary:
    """What a run did: `raw_words` are the corpus's words times epochs; `epochs` has what was done in each."""

    raw_words: int
    epochs: tuple[Trained, ...]
    seconds: float

    @property
    def trained(self) -> Trained:
        """All epochs together."""
        return reduce(Trained.plus, self.epochs)


class Diverged(ArithmeticError):
    """Weights are not finite, and can't be trained or saved."""


def train(
    trainer: Trainer,
    task: Task,
    observe: Observer | None = None,
    hooks: Sequence[Hook] = (),
    start: Position = Position(),
) -> Summary:
    """Train for `task.params.epochs` epochs on `task.params.workers` threads.

    Parameters
    ----------
    observe : callable (raw words done, raw words in all, loss, learning rate), optional
        Called from this thread at the start, at most five times a second within an epoch, and once at the end of each.
        The loss is this epoch's mean over examples so far, None unless `task.params.compute_loss`; the rate is that of
        the next chunk.
    hooks : sequence of Hook
        Called in this order.
    start : Position
        Where to go on: the rest of a run does what it would have done without the break.

    Raises
    ------
    Diverged
        If a weight is not finite before the first epoch, or after one, before any hook sees it.
    """
    require_finite(task)
    started = time.perf_counter()
    corpus, params = task.corpus, task.params
    bounds = bounds_of_chunks(trainer, task)
    chunks = len(bounds) - 1
    words_before = np.concatenate([[0], np.cumsum(np.add.reduceat(corpus.raw_lengths, bounds[:-1], dtype=np.int64))])
    workers = [trainer.worker(index) for index in range(params.workers)]
    reload = getattr(trainer, "reload", lambda: None)

    shown_at = started

    def show(epoch: int, chunk: int, trained: Trained, in_passing: bool = False) -> None:
        nonlocal shown_at
        now = time.perf_counter()
        if not observe or (in_passing and (chunk == chunks or now < shown_at + PROGRESS_SECONDS)):
            return
        shown_at = now
        loss = trained.loss / trained.examples if trained.examples else None
        done = epoch * corpus.raw_words + int(words_before[chunk])
        observe(done, corpus.raw_words * params.epochs, loss, learning_rate(task, epoch, int(bounds[chunk])))

    position = start
    show(start.epoch, start.chunk, Trained(0))
    for epoch in range(start.epoch, params.epochs):
        # Random streams belong to chunks, not to threads: what a chunk draws doesn't depend on who trains it.
        seeds = np.random.SeedSequence((params.seed, task.run, epoch, task.rank)).generate_state(chunks, np.uint64)
        if position.chunk == 0:
            for hook in hooks:
                hook.on_epoch_begin(epoch)
            position = Position(epoch, 0, (*position.trained, Trained(0)))
        while True:
            reload()  # hooks may have changed the tables
            position = _Span(task, bounds, seeds, position, hooks).train(workers, show)
            if position.chunk == chunks:
                break
            for hook in hooks:
                hook.on_pause(position)
        require_finite(task, epoch + 1)
        *before, done = position.trained
        merged = reduce(lambda sum_, hook: hook.merge_epoch(sum_), hooks, done)
        position = Position(epoch + 1, 0, (*before, merged))
        show(epoch, chunks, merged)
        for hook in hooks:
            hook.on_epoch_end(position)
    return Summary(corpus.raw_words * params.epochs, position.trained, time.perf_counter() - started)


def bounds_of_chunks(trainer: Trainer, task: Task) -> np.ndarray:
    """int64 (C + 1,): chunk c holds the sentences [bounds[c], bounds[c + 1])."""
    return chunk_bounds(task.corpus.raw_lengths, getattr(trainer, "chunk_words", task.params.batch_words))


def learning_rate(task: Task, epoch: int, sentence: int) -> float:
    """The rate of a chunk that begins with this sentence."""
    # Progress counts sentences, as gensim's does, so that the exact trainer gets gensim's very rates.
    progress = (epoch + sentence / len(task.corpus.raw_lengths)) / task.params.epochs
    return alpha_on_ranks(alpha_at(progress, task.params), task.ranks)


def require_finite(task: Task, begun: int = 0) -> None:
    """Raise Diverged, saying what to change, if a weight is not finite; begun: how many epochs have been."""
    for table in task.tables.values():
        # The sum of squares is the quickest to tell, but overflows where weights are merely huge.
        with np.errstate(over="ignore"):
            squares = np.einsum("ij,ij->", table, table)
        if not isfinite(squares) and not np.isfinite(table).all():
            if not begun:
                raise Diverged("weights are not finite before training: set others, or call init_weights()")
            raise Diverged(f"weights stopped being finite in epoch {begun}: lower alpha={task.params.alpha}")


class _Span:
    """Chunks of an epoch from one pause to the next, handed to threads in order, each to one."""

    def __init__(
        self, task: Task, bounds: np.ndarray, seeds: np.ndarray, position: Position, hooks: Sequence[Hook]
    ) -> None:
        self._task, self._bounds, self._seeds, self._position, self._hooks = task, bounds, seeds, position, hooks
        self._taking = threading.Lock()
        self._next = position.chunk
        self._stopped = False

    def train(self, workers: Sequence[Worker], show: Callable[[int, int, Trained, bool], None]) -> Position:
        """Train, one thread a worker, until a pause or the end of the epoch. An error or Ctrl-C ends every thread."""
        *before, begun = self._position.trained
        parts = [begun, *(Trained(0) for _ in workers)]
        jobs = [partial(self._run, worker, parts, part) for part, worker in enumerate(workers, 1)]
        with Crew(jobs, self._stop) as crew:
            while crew.running:
                crew.next_report(PROGRESS_SECONDS)
                show(self._position.epoch, self._next, reduce(Trained.plus, parts), True)
        return Position(self._position.epoch, self._next, (*before, reduce(Trained.plus, parts)))

    def _run(self, worker: Worker, parts: list[Trained], part: int, report: Callable[[None], None]) -> None:
        while (chunk := self._take()) is not None:
            begin, end = int(self._bounds[chunk]), int(self._bounds[chunk + 1])
            self._task.corpus.check(begin, end)
            alpha = learning_rate(self._task, self._position.epoch, begin)
            trained = worker.train_chunk(begin, end, alpha, int(self._seeds[chunk]))
            parts[part] = parts[part].plus(trained)
        worker.finish()

    def _take(self) -> int | None:
        with self._taking:
            chunk = self._next
            if self._stopped or chunk == len(self._bounds) - 1:
                return None
            if chunk > self._position.chunk and any(hook.due(self._position.epoch, chunk) for hook in self._hooks):
                self._stopped = True
                return None
            self._next += 1
            return chunk

    def _stop(self) -> None:
        self._stopped = True  # every thread ends with the chunk it holds
