"""The one training loop: epochs, chunks, threads, learning rate, progress and errors, for every trainer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

import numpy as np

from w2v.schedule import alpha_at, chunk_bounds
from w2v.trainers import Task, Trained, Trainer, Worker

PROGRESS_SECONDS = 0.2

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Summary:
    """What a run did: `raw_words` are the corpus's words times epochs; `trained` adds up all chunks."""

    raw_words: int
    trained: Trained
    seconds: float


class Diverged(ArithmeticError):
    """Training left weights that are not finite."""


def train(
    trainer: Trainer,
    task: Task,
    progress: Progress | None = None,
    begin_epoch: Callable[[int], None] = lambda epoch: None,
    end_epoch: Callable[[int, Trained], None] = lambda epoch, trained: None,
) -> Summary:
    """Train for `task.params.epochs` epochs on `task.params.workers` threads.

    progress: called from this thread about five times a second with (raw words done, raw words in all).
    begin_epoch, end_epoch: called from this thread, no other running, with the epoch from 0 and what it did.

    Raises
    ------
    Diverged
        After the first epoch that leaves a weight not finite.
    """
    started = time.perf_counter()
    corpus, params = task.corpus, task.params
    bounds = chunk_bounds(corpus.raw_lengths, params.batch_words)
    chunk_words = np.add.reduceat(corpus.raw_lengths, bounds[:-1], dtype=np.int64)
    words_before = np.concatenate([[0], np.cumsum(chunk_words)])
    total_words = corpus.raw_words * params.epochs
    workers = [trainer.worker(index) for index in range(params.workers)]
    trained = Trained(0)
    for epoch in range(params.epochs):

        def show(chunks_taken: int, words_done: int = epoch * corpus.raw_words) -> None:
            if progress:
                progress(words_done + int(words_before[chunks_taken]), total_words)

        begin_epoch(epoch)
        of_epoch = _Epoch(task, bounds, epoch).train(workers, show)
        trained = trained.plus(of_epoch)
        if not all(np.isfinite(table).all() for table in (task.syn0, task.syn1neg, task.syn1) if table is not None):
            raise Diverged(f"weights are not finite after epoch {epoch + 1}: lower alpha={params.alpha}")
        end_epoch(epoch, of_epoch)
    return Summary(total_words, trained, time.perf_counter() - started)


class _Epoch:
    """The chunks of one epoch, handed to threads in order, each to one.

    The caller's thread meets the others in a SimpleQueue and a flag alone: an executor's futures have locks, and one
    that Ctrl-C leaves taken there would hang the others.
    """

    def __init__(self, task: Task, bounds: np.ndarray, epoch: int) -> None:
        self._task, self._bounds, self._epoch = task, bounds, epoch
        self._taking = threading.Lock()
        self._taken = 0
        self._stopped = False
        self._ended: SimpleQueue[Trained | BaseException] = SimpleQueue()

    def train(self, workers: Sequence[Worker], show: Callable[[int], None]) -> Trained:
        """Train all chunks, one thread a worker. An error or Ctrl-C ends every thread first."""
        threads = [threading.Thread(target=self._run, args=(worker,), name="w2v") for worker in workers]
        trained, running = Trained(0), len(threads)
        try:
            for thread in threads:
                thread.start()
            while running:
                try:
                    outcome = self._ended.get(timeout=PROGRESS_SECONDS)
                except Empty:
                    pass
                else:
                    if isinstance(outcome, BaseException):
                        raise outcome
                    trained = trained.plus(outcome)
                    running -= 1
                show(self._taken)
        finally:
            self._stopped = True  # every thread ends with the chunk it holds
            for thread in threads:
                if thread.is_alive():
                    thread.join()
        return trained

    def _run(self, worker: Worker) -> None:
        try:
            self._ended.put(self._train_chunks(worker))
        except BaseException as error:
            self._ended.put(error)

    def _train_chunks(self, worker: Worker) -> Trained:
        trained = Trained(0)
        while (chunk := self._take()) is not None:
            begin, end = int(self._bounds[chunk]), int(self._bounds[chunk + 1])
            trained = trained.plus(worker.train_chunk(begin, end, self._alpha(begin), self._seed(chunk)))
        worker.finish()
        return trained

    def _take(self) -> int | None:
        with self._taking:
            if self._stopped or self._taken == len(self._bounds) - 1:
                return None
            self._taken += 1
            return self._taken - 1

    def _alpha(self, begin: int) -> float:
        # Progress counts sentences, as gensim's does, so that the exact trainer gets gensim's very rates.
        params, sentences = self._task.params, len(self._task.corpus.raw_lengths)
        return alpha_at((self._epoch + begin / sentences) / params.epochs, params)

    def _seed(self, chunk: int) -> int:
        # Random streams belong to chunks, not to threads: what a chunk draws doesn't depend on who trains it.
        sequence = np.random.SeedSequence((self._task.params.seed, self._task.run, self._epoch, chunk))
        return int(sequence.generate_state(1, np.uint64)[0])
