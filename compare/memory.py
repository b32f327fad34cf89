"""How much memory the processes that a block starts take, all together, at most."""

from __future__ import annotations

import threading
from contextlib import suppress

import psutil

INTERVAL = 0.05
"""Seconds between two looks."""


class PeakOfChildren:
    """Watches while its block runs; then `bytes` is the largest sum of their resident sets that it saw."""

    bytes = 0

    def __enter__(self) -> PeakOfChildren:
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        process = psutil.Process()
        while not self._done.wait(INTERVAL):
            self.bytes = max(self.bytes, sum(map(_resident, process.children(recursive=True))))


def _resident(process: psutil.Process) -> int:
    with suppress(psutil.Error):  # it may have ended
        return int(process.memory_info().rss)
    return 0
