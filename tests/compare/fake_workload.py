"""A workload that behaves, or misbehaves, as its backend's name says."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from compare import workloads
from compare.cell import Cell

ENVIRONMENT = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "JAX_PLATFORMS", "FAKE_BACKEND")


class Trial(workloads.Trial):
    backends = (
        "good",
        "missing",
        "raises",
        "segfaults",
        "hangs",
        "hangs_once",
        "diverges",
        "exits",
        "hoards",
        "returns_early",
        "leaves_a_child",
        "hangs_with_a_child",
    )
    device: threading.Thread | None = None

    @classmethod
    def expected_seconds(cls, cell: Cell) -> float:
        return 2.0

    @classmethod
    def unavailable(cls, backend: str) -> str | None:
        return "not installed: pip install missing" if backend == "missing" else None

    @classmethod
    def environment(cls, cell: Cell) -> Mapping[str, str]:
        return {"FAKE_BACKEND": cell.backend}

    def load(self) -> None:
        print("noise on standard output", flush=True)

    def prepare(self) -> None:
        self.steps = 0

    def step(self) -> None:
        self.steps += 1
        time.sleep(self.cell.options.get("seconds", 0.0))
        match self.cell.backend:
            case "raises":
                raise ValueError("bad\nnews")
            case "segfaults":
                signal.signal(signal.SIGSEGV, signal.SIG_DFL)
                ctypes.string_at(0)
            case "returns_early":
                self.device = threading.Thread(target=time.sleep, args=[0.2])
                self.device.start()
            case "hangs_once" if Path(self.cell.files["pid"]).exists():
                pass
            case "hangs" | "hangs_once":
                Path(self.cell.files["pid"]).write_text(str(os.getpid()))
                time.sleep(3600)
            case "leaves_a_child" | "hangs_with_a_child":
                child = subprocess.Popen(["sleep", "3600"])
                Path(self.cell.files["pid"]).write_text(str(child.pid))
                if self.cell.backend == "hangs_with_a_child":
                    child.wait()
                os.kill(os.getpid(), signal.SIGKILL)
            case "exits":
                os._exit(7)
            case "hoards":
                raise MemoryError("8 TB")

    def finish(self) -> None:
        if self.device:
            self.device.join()

    def quality(self) -> Mapping[str, float | None]:
        return {"loss": float("nan") if self.cell.backend == "diverges" else 1.0 / self.steps, "score": None}

    def facts(self) -> Mapping[str, object]:
        environment = {name: os.environ.get(name) for name in ENVIRONMENT}
        ballast = "x" * self.cell.options.get("ballast", 0)
        return {"environment": environment, "seed": self.seed, "ballast": ballast}
