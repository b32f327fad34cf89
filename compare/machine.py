"""What a result was measured on: everything about the machine that is known without measuring."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import threadpoolctl

from w2v.cores import usable_cores

PACKAGES = (
    *("w2v-compare", "numpy", "scipy", "gensim", "numba", "jax", "keras", "tensorflow", "tensorflow-cpu", "torch"),
    *("cupy-cuda12x", "cupy-cuda13x"),
)
ISA_FLAGS = ("sse4_2", "avx2", "fma", "avx512f", "avx512bw", "avx512_bf16", "amx_bf16", "asimd", "sve")
CGROUP = Path("/sys/fs/cgroup")


def describe() -> dict[str, Any]:
    """JSON values; None for what this platform does not tell."""
    return {
        "cpu": cpu_model(),
        "cores_physical": psutil.cpu_count(logical=False),
        "cores_logical": psutil.cpu_count(),
        "cores_usable": usable_cores(),
        "caches": caches(),
        "isa": isa(),
        "memory_bytes": psutil.virtual_memory().total,
        "governor": read(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
        "cgroup": {"cpu_max": read(CGROUP / "cpu.max"), "memory_max": read(CGROUP / "memory.max")},
        "load_before": psutil.getloadavg()[0],
        "blas": [
            {key: pool.get(key) for key in ("internal_api", "version", "architecture", "threading_layer")}
            for pool in threadpoolctl.threadpool_info()
        ],
        "os": platform.platform(),
        "python": platform.python_version(),
        "packages": packages(),
    }


def oom_kills() -> int | None:
    """How many processes of this control group the kernel has killed for memory; None where nobody counts."""
    events = read(CGROUP / "memory.events") or ""
    counts = dict(line.split() for line in events.splitlines())
    return int(counts["oom_kill"]) if "oom_kill" in counts else None


def cpu_model() -> str:
    return cpuinfo().get("model name") or platform.processor() or platform.machine()


def isa() -> list[str]:
    flags = cpuinfo().get("flags") or cpuinfo().get("Features") or ""
    return [flag for flag in ISA_FLAGS if flag in flags.split()]


def cpuinfo() -> dict[str, str]:
    """The first processor's entry of /proc/cpuinfo; empty elsewhere."""
    entry = (read(Path("/proc/cpuinfo")) or "").split("\n\n")[0]
    pairs = (line.partition(":") for line in entry.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def caches() -> dict[str, str]:
    """Sizes of one core's caches by level and type: `{"L1 Data": "48K", "L2 Unified": "2048K"}`."""
    found = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = (read(folder / name) for name in ("level", "type", "size"))
        found[f"L{level} {kind}"] = size or "unknown"
    return found


def cache_bytes(sizes: Mapping[str, str], level: str) -> int:
    """The size of `caches()`' entry of `level` ("L2") that holds data; 0 where it isn't known."""
    for name, size in sizes.items():
        if name.startswith(level) and not name.endswith("Instruction") and size[:-1].isdigit():
            return int(size[:-1]) * {"K": 2**10, "M": 2**20}.get(size[-1], 0)
    return 0


def packages() -> dict[str, str]:
    installed = {}
    for name in PACKAGES:
        try:
            installed[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return installed


def read(path: Path) -> str | None:
    """The file's text without surrounding space; None where there is no such file."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return None
