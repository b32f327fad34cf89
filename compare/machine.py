"""What a result was measured on: everything about the machine that is known without measuring."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
import threadpoolctl

from mnist import device
from w2v.cores import usable_cores

PACKAGES = (
    *("w2v-compare", "numpy", "scipy", "gensim", "numba", "jax", "keras", "tensorflow", "tensorflow-cpu", "torch"),
    *("cupy-cuda12x", "cupy-cuda13x"),
)
BFLOAT16_FLAGS = ("avx512_bf16", "amx_bf16", "bf16")
"""Of x86 and ARM."""
ISA_FLAGS = ("sse4_2", "avx2", "fma", "avx512f", "avx512bw", "asimd", "sve", *BFLOAT16_FLAGS)
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
        "gpu": device.describe(),
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


def differences(old: Mapping[str, Any], new: Mapping[str, Any], facts: Sequence[str]) -> list[str]:
    """Those of `facts` in which two descriptions differ; what an older one does not tell yet is taken to be alike."""
    return [fact for fact in facts if fact in old and fact in new and old[fact] != new[fact]]


def counts(file: str) -> dict[str, int]:
    """The numbers by name that a file of this control group holds; none where nobody counts."""
    lines = (read(CGROUP / file) or "").splitlines()
    return {name: int(number) for name, number in (line.split() for line in lines)}


def oom_kills() -> int | None:
    """How many processes of this control group the kernel has killed for memory; None where nobody counts."""
    return counts("memory.events").get("oom_kill")


def quota_stops() -> int | None:
    """How often this control group had used up its CPU quota and had to wait; None where nobody counts."""
    return counts("cpu.stat").get("nr_throttled")


def memory_available() -> int:
    """Bytes that can be taken without swapping, and without going beyond the control group's limit."""
    available = psutil.virtual_memory().available
    limit, used = (read(CGROUP / file) for file in ("memory.max", "memory.current"))
    if limit in (None, "max") or used is None:
        return available
    kept_files = counts("memory.stat").get("inactive_file", 0)  # which the kernel gives up first
    return max(0, min(available, int(limit) - int(used) + kept_files))


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
