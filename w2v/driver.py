"""The one training loop: epochs, chunks, threads, learning rate, progress and errors, for every trainer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from w2v.schedule import alpha_at, chunk_bounds
from w2v.trainers import Task, Trainer, Worker

PROGRESS_SECONDS = 0.2

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Summary:
    """What a run did: `raw_words` are the corpus's words times epochs, `kept_words` those that survived subsampling."""

    raw_words: int
    kept_words: int
    seconds: float


class Diverged(ArithmeticError):
    """Training left weights that are not finite."""


def train(trainer: Trainer, task: Task, progress: Progress | None = None) -> Summary:
    """Train for `task.params.epochs` epochs on `task.params.workers` threads.

    progress: called from this thread about five times a second with (raw words done, raw words in all).

    Raises
    ------
    Diverged
        After the first epoch that leaves a weight not finite.
    """
    started = time.perf_counter()
    corpus, params = task.corpus, task.params
    bounds = chunk_bounds(corpus.raw_lengths)
    chunk_words = np.add.reduceat(corpus.raw_lengths, bounds[:-1], dtype=np.int64)
    words_before = np.concatenate([[0], np.cumsum(chunk_words)])
    total_words = corpus.raw_words * params.epochs
    workers = [trainer.worker(index) for index in range(params.workers)]
    kept_words = 0
    with ThreadPoolExecutor(params.workers, thread_name_prefix="w2v") as pool:
        for epoch in range(params.epochs):
            chunks = _Chunks(task, bounds, epoch)
            threads = [pool.submit(chunks.train, worker) for worker in workers]
            try:
                pending = set(threads)
                while pending and not any(thread.done() and thread.exception() for thread in threads):
                    _, pending = wait(pending, PROGRESS_SECONDS, FIRST_EXCEPTION)
                    if progress:
                        progress(epoch * corpus.raw_words + int(words_before[chunks.taken]), total_words)
            finally:
                chunks.stop()  # after an error or Ctrl-C every thread ends with the chunk it holds
            kept_words += sum(thread.result() for thread in threads)
            if not (np.isfinite(task.syn0).all() and np.isfinite(task.syn1neg).all()):
                raise Diverged(f"weights are not finite after epoch {epoch + 1}: lower alpha={params.alpha}")
    return Summary(total_words, kept_words, time.perf_counter() - started)


class _Chunks:
    """The chunks of one epoch, each handed to one thread, in order."""

    def __init__(self, task: Task, bounds: np.ndarray, epoch: int) -> None:
        self._task, self._bounds, self._epoch = task, bounds, epoch
        self._lock = threading.Lock()
        self._count = len(bounds) - 1
        self.taken = 0

    def train(self, worker: Worker) -> int:
        """Train chunks with `worker` until none is left; return the words kept."""
        kept_words = 0
        while (chunk := self._take()) is not None:
            begin, end = int(self._bounds[chunk]), int(self._bounds[chunk + 1])
            kept_words += worker.train_chunk(begin, end, self._alpha(begin), self._seed(chunk))
        worker.finish()
        return kept_words

    def stop(self) -> None:
        """Hand out no more chunks."""
        with self._lock:
            self._count = self.taken

    def _take(self) -> int | None:
        with self._lock:
            if self.taken == self._count:
                return None
            self.taken += 1
            return self.taken - 1

    def _alpha(self, begin: int) -> float:
        # Progress counts sentences, as gensim's does, so that the exact trainer gets gensim's very rates.
        params, sentences = self._task.params, len(self._task.corpus.raw_lengths)
        return alpha_at((self._epoch + begin / sentences) / params.epochs, params)

    def _seed(self, chunk: int) -> int:
        # Random streams belong to chunks, not to threads: what a chunk draws doesn't depend on who trains it.
        sequence = np.random.SeedSequence((self._task.params.seed, self._epoch, chunk))
        return int(sequence.generate_state(1, np.uint64)[0])
