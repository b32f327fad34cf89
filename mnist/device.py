"""Whether there is a GPU, asked of its driver, so that no framework has to be imported for the question."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

NEEDED = "needs an NVIDIA GPU"
"""How the reason begins where it is not a library that lacks."""
DRIVER = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"


def unavailable() -> str | None:
    """Why no CUDA device can be used here, in one line with the cure; None when one can."""
    driver = _driver()
    if driver is None:
        return f"{NEEDED}: its driver's {DRIVER} is not on this machine"
    if _devices(driver) == 0:
        return f"{NEEDED}: its driver finds none; see nvidia-smi and CUDA_VISIBLE_DEVICES"
    return None


def unseen_by_tensorflow() -> str | None:
    """Why TensorFlow, which is imported for the question, can't use the device, with the cure; None when it can."""
    import tensorflow

    if tensorflow.config.list_physical_devices("GPU"):
        return None
    return "TensorFlow sees no GPU: pip install 'w2v-compare[tf-gpu]' brings the one with CUDA"


def describe() -> dict[str, str] | None:
    """The first device's name, and the CUDA version of its driver; None without a device."""
    driver = _driver()
    if driver is None or _devices(driver) == 0:
        return None
    device, version, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(256)
    driver.cuDeviceGet(ctypes.byref(device), 0)
    driver.cuDeviceGetName(name, len(name), device)
    driver.cuDriverGetVersion(ctypes.byref(version))
    return {"name": name.value.decode(), "cuda": f"{version.value // 1000}.{version.value % 1000 // 10}"}


def _driver() -> Any:
    # None where there is none.
    try:
        return ctypes.CDLL(DRIVER)
    except OSError:
        return None


def _devices(driver: Any) -> int:
    count = ctypes.c_int()
    found = driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
    return count.value if found else 0
