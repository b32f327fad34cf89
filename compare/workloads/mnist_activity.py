"""An epoch as `mnist` has it, watched by CUPTI: what the host asks of CUDA, and when the device is at work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compare import cuda_activity
from compare.workloads import mnist
from mnist.backends import entry


class Trial(mnist.Trial):
    """The same; its samples are slower, for being watched. facts: `activity`, that of the last epoch."""

    backends = tuple(name for name in mnist.Trial.backends if entry(name).device == "gpu")

    @classmethod
    def unavailable(cls, backend: str) -> str | None:
        return super().unavailable(backend) or cuda_activity.unavailable()

    def step(self) -> None:
        with cuda_activity.recorded() as self.activity:
            super().step()

    def facts(self) -> Mapping[str, Any]:
        return {"activity": self.activity.to_json()}
