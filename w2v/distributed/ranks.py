"""The processes of a run: what they tell each other, and how an error of one ends all."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from types import TracebackType
from typing import Any

import numpy as np

from w2v.cores import affinity
from w2v.pruning import RawVocabulary

BLOCK_ROWS = 1 << 16  # MPI needs as much memory again as it is given to sum at once
POLL_SECONDS = 1e-4


class Ranks:
    """The processes of an MPI communicator, numbered from 0; or, without one, this process alone.

    All methods but `share` are collective: each rank has to call them, in the same order. Alone, they do nothing.
    An error that nothing catches ends the job, with its traceback, for the other ranks would wait for ever.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        Nothing else may be sent over it meanwhile.

    Attributes
    ----------
    device : int or None
        This rank's number among those of its machine: each has a GPU of its own, if there are enough. None if alone.
    sharing_cores : int
        How many ranks, this one among them, run on the same cores of the same machine.

    Raises
    ------
    TypeError
        If `comm` is none.
    ValueError
        On every rank, unless all have the same version of w2v.
    """

    def __init__(self, comm: Any = None) -> None:
        if comm is not None and not hasattr(comm, "Get_rank"):
            raise TypeError(f"comm={comm!r} is no communicator: pass mpi4py.MPI.COMM_WORLD, or None without MPI")
        self._comm = comm
        self.rank: int = comm.Get_rank() if comm else 0
        self.size: int = comm.Get_size() if comm else 1
        self.device: int | None = None
        self.sharing_cores = 1
        if self.size > 1:
            machine = comm.Split_type(sys.modules["mpi4py.MPI"].COMM_TYPE_SHARED)
            self.device = machine.Get_rank()
            cores = affinity()
            self.sharing_cores = machine.allgather(cores).count(cores)
            machine.Free()
            _end_the_job_on_errors()
            # Of another version nothing is known: neither what it sends, nor in which order.
            self.require_same("Word2Vec()", {"version of w2v-compare": version("w2v-compare")})

    @property
    def share(self) -> tuple[int, int]:
        """Which part of what is cut for all ranks is this one's: (rank, size)."""
        return self.rank, self.size

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make an error of any rank in the block one of all, so that none waits for one that gave up."""
        error = None
        try:
            yield
        except Exception as raised:
            error = raised
        complaints = self.gathered(None if error is None else str(error) or repr(error))
        if error:
            raise error
        for rank, complaint in enumerate(complaints):
            if complaint is not None:
                raise ValueError(f"rank {rank}: {complaint}")

    def require_same(self, what: str, values: dict[str, Any]) -> None:
        """ValueError on every rank, naming what differs, unless all call this with the same."""
        first, *others = self.gathered({"step": what, **values})
        for rank, theirs in enumerate(others, 1):
            differing = [name for name in {**first, **theirs} if first.get(name) != theirs.get(name)]
            if differing:
                told = "; ".join(f"{name}: {first.get(name)!r} and {theirs.get(name)!r}" for name in differing)
                raise ValueError(f"ranks 0 and {rank} differ in {told}")

    def require_distinct(self, what: str, value: Any, cure: str) -> None:
        """ValueError on every rank if all have the same."""
        if self.size > 1 and len(set(self.gathered(value))) == 1:
            raise ValueError(f"all ranks have the same {what}: {cure}")

    def total(self, number: Any) -> Any:
        """The sum of all ranks' numbers."""
        return sum(self.gathered(number))

    def from_first(self, value: Any) -> Any:
        """What rank 0 has."""
        return self._comm.bcast(value) if self.size > 1 else value

    def merged(self, raw: RawVocabulary) -> RawVocabulary:
        """All ranks' words with their counts together, in order of first occurrence, as if one had read all parts."""
        if self.size == 1:
            return raw
        counts: dict = {}
        for words, numbers in self._comm.gather((raw.all_words(), raw.counts)) or ():
            for word, number in zip(words, numbers.tolist(), strict=True):
                counts[word] = counts.get(word, 0) + number
        return RawVocabulary.from_counts(self._comm.bcast(counts))

    def copy_first(self, table: np.ndarray) -> None:
        """Set a contiguous float32 table to rank 0's, in place."""
        if self.size > 1:
            for begin in range(0, len(table), BLOCK_ROWS):
                self._comm.Bcast(table[begin : begin + BLOCK_ROWS])

    def average(self, table: np.ndarray) -> None:
        """Set a contiguous float32 table to the mean of all ranks', in place."""
        for begin in range(0, len(table), BLOCK_ROWS):
            block = table[begin : begin + BLOCK_ROWS]
            self._comm.Allreduce(sys.modules["mpi4py.MPI"].IN_PLACE, block)
            block *= np.float32(1 / self.size)

    def wait(self) -> None:
        """Return when every rank has come here; meanwhile leave the processor to those that share it."""
        if self.size > 1:
            arrival = self._comm.Ibarrier()
            while not arrival.Test():  # Barrier() would spin
                time.sleep(POLL_SECONDS)

    def gathered(self, value: Any) -> list:
        """All ranks' values, in their order."""
        return self._comm.allgather(value) if self.size > 1 else [value]


ALONE = Ranks()


@cache
def _end_the_job_on_errors() -> None:
    former = sys.excepthook

    def told(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        end_the_job(error)
        former(kind, error, traceback)

    sys.excepthook = told


def end_the_job(status: BaseException | int) -> None:
    """Make the end of this process, once it has said what was wrong, the end of all, with an exit code other than 0."""
    try:
        from mpi4py.run import set_abort_status
    except ImportError:
        return  # then none waits for another
    set_abort_status(status)
