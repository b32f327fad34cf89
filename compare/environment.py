"""How a worker is started, and its environment: libraries read their thread limits once, when they are imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from mnist.threads import THREAD_LIMITS

QUIET = {
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_FORCE_GPU_ALLOW_GROWTH": "true",
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
}
JAX_PLATFORMS = {"cpu": "cpu", "gpu": "cuda"}


def worker_command(module: str, *arguments: str) -> list[str]:
    """To call `main` of a module in a fresh process, which looks for modules where this one does.

    `python -m` would look in the current folder first, and take a file of the user's there for any module of its name.
    """
    code = f"import sys; sys.path[:] = {sys.path!r}; from {module} import main; main()"
    return [sys.executable, "-c", code, *arguments]


def worker_environment(threads: int, device: str, extra: Mapping[str, str]) -> dict[str, str]:
    """This process's environment with every thread limit set to `threads`; `extra` has the last word."""
    return {
        **os.environ,
        **dict.fromkeys(THREAD_LIMITS, str(threads)),
        **QUIET,
        "JAX_PLATFORMS": JAX_PLATFORMS.get(device, device),
        **extra,
    }
