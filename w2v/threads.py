"""Threads that work for the thread that made them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Generic, TypeVar

Report = TypeVar("Report")
Job = Callable[[Callable[[Report], None]], None]


class Crew(Generic[Report]):
    """One thread for each job, at work within a `with` block, which ends when all have ended.

    They meet the caller's thread in a SimpleQueue alone: an executor's futures have locks, and one that Ctrl-C leaves
    taken there would hang the others.

    Parameters
    ----------
    jobs : sequence of callable (report)
        Each calls `report` with what it has to tell.
    stop : callable ()
        Makes every job return soon. Called at the end of the block, however that comes.
    """

    def __init__(self, jobs: Sequence[Job[Report]], stop: Callable[[], None]) -> None:
        self._stop = stop
        self._reports: SimpleQueue[Report | _Ended] = SimpleQueue()
        self._threads = [Thread(target=self._run, args=(job,), name="w2v") for job in jobs]
        self.running = len(jobs)

    def next_report(self, timeout: float | None = None) -> Report | None:
        """What a job reports next; None if a job has ended instead, or when `timeout` seconds have passed.

        Raises
        ------
        BaseException
            What a job raised.
        """
        try:
            report = self._reports.get(timeout=timeout)
        except Empty:
            return None
        if not isinstance(report, _Ended):
            return report
        self.running -= 1
        if report.error:
            raise report.error
        return None

    def __enter__(self) -> Crew[Report]:
        try:
            for thread in self._threads:
                thread.start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        self._stop()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _run(self, job: Job[Report]) -> None:
        error = None
        try:
            job(self._reports.put)
        except BaseException as raised:
            error = raised
        self._reports.put(_Ended(error))


class _Ended:
    def __init__(self, error: BaseException | None) -> None:
        self.error = error
