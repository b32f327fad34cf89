"""When the ranks average which rows: pWord2Vec's schedule, at an interval that follows what averaging costs."""

from __future__ import annotations

import time
from functools import reduce

from w2v.distributed.ranks import Ranks
from w2v.driver import Hook, Position
from w2v.tables import padded
from w2v.trainers import Task, Trained

FIRST_ROWS = 1024
SHARE = 0.1
LEAST_WORDS = 50_000


def rows_to_average(sync: int) -> int:
    """How many of the most frequent rows sync 1, 2, ... averages: twice as many half as often.

    FIRST_ROWS * 2**(trailing zero bits of `sync`), as in pWord2Vec (Ji et al. 2016, "Parallelizing Word2Vec in Shared
    and Distributed Memory", arXiv:1604.04661).
    """
    return FIRST_ROWS * (sync & -sync)


class Averaging(Hook):
    """Averages rows between chunks, in this thread and in place, and all rows at the end of each epoch.

    Ranks meet at shares of an epoch, not at numbers of chunks: each when it has trained that share of its own part.
    So those with unequal parts do the same syncs, and the learning rate, which follows a rank's own progress, is that
    of the progress of all. Rank 0 says when the next sync is: when averaging will have taken `share` of the time, but
    not before LEAST_WORDS, for ranks end their chunks one after the other and wait for the last.

    Parameters
    ----------
    chunks : int
        How many chunks this rank's part has.
    share : float
        Of the time, without waiting for other ranks, in (0, 1).
    """

    def __init__(self, ranks: Ranks, task: Task, chunks: int, share: float = SHARE) -> None:
        self._ranks, self._chunks, self._share = ranks, chunks, share
        self._tables = {name: padded(table) for name, table in task.tables.items()}
        self._rows = len(task.syn0)
        self._least = max(LEAST_WORDS / task.corpus.raw_words, 1 / chunks)
        self.syncs, self.seconds, self.waited = 0, 0.0, 0.0
        self._trained_seconds, self._progress = 0.0, 0.0
        self._next = 0.0

    def due(self, epoch: int, chunk: int) -> bool:
        """Whether this rank has come to the next sync."""
        return chunk >= self._next * self._chunks

    def on_epoch_begin(self, epoch: int) -> None:
        """Start the clock."""
        self._since, self._from = time.perf_counter(), 0.0
        self._next = self._ranks.from_first(self._next_after(0.0))

    def on_pause(self, position: Position) -> None:
        """Do the syncs that this rank has come to: several, if its chunks are few."""
        self._sync_up_to(position.chunk / self._chunks)

    def merge_epoch(self, trained: Trained) -> Trained:
        """Do the syncs of the epoch that are left, and average all rows."""
        self._sync_up_to(1.0)
        self._average(self._rows)
        return reduce(Trained.plus, self._ranks.gathered(trained))

    def _sync_up_to(self, progress: float) -> None:
        now = time.perf_counter()
        self._trained_seconds += now - self._since
        self._progress += progress - self._from
        while self._next <= progress and self._next < 1:
            self.syncs += 1
            self._average(min(rows_to_average(self.syncs), self._rows))
            self._next = self._ranks.from_first(self._next_after(progress))
        self._since, self._from = time.perf_counter(), progress

    def _average(self, rows: int) -> None:
        came = time.perf_counter()
        self._ranks.wait()
        began = time.perf_counter()
        for name, table in self._tables.items():
            # Words are in order of frequency; of the tree's inner nodes the root, most used of all, is the last.
            self._ranks.average(table[-rows:] if name == "syn1" else table[:rows])
        self.waited += began - came
        self.seconds += time.perf_counter() - began

    def _next_after(self, progress: float) -> float:
        """By this rank's clock: the progress at which averaging once more keeps to its share of the time."""
        if not self.syncs:
            return progress + self._least
        seconds = self.seconds / self.syncs * (1 - self._share) / self._share
        return progress + max(seconds * self._progress / self._trained_seconds, self._least)
