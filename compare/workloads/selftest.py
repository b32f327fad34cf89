"""A workload whose speed and faults are known beforehand, for `compare selftest`: a sample hashes a piece of memory."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping

from compare import workloads

BUFFER = bytes(50_000)
PASSES = {"plain": 20, "twin": 20, "slower": 22, "early": 200, "cheat": 10}
"""Half a millisecond of work; early's takes long enough for its absence to be seen."""


class Trial(workloads.Trial):
    """plain and twin are one and the same; slower does a tenth more.

    early hands the work to a thread and returns, like a backend that doesn't wait for its device. cheat does half of
    the work, and its loss shows it.
    """

    backends = tuple(PASSES)

    def load(self) -> None:
        """Nothing is imported."""

    def prepare(self) -> None:
        self.device: threading.Thread | None = None

    def step(self) -> None:
        if self.cell.backend == "early":
            self.device = threading.Thread(target=self.work)
            self.device.start()
        else:
            self.work()

    def work(self) -> None:
        digest = hashlib.sha256()
        for _ in range(PASSES[self.cell.backend]):
            digest.update(BUFFER)

    def finish(self) -> None:
        if self.device:
            self.device.join()

    def quality(self) -> Mapping[str, float | None]:
        return {"loss": 2.0 if self.cell.backend == "cheat" else 1.0}
