"""Whether there is a GPU, asked of its driver, so that no framework has to be imported for the question."""

from __future__ import annotations

import ctypes
import sys

DRIVER = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"


def unavailable() -> str | None:
    """Why no CUDA device can be used here, in one line with the cure; None when one can."""
    try:
        driver = ctypes.CDLL(DRIVER)
    except OSError:
        return f"needs an NVIDIA GPU: its driver's {DRIVER} is not on this machine"
    count = ctypes.c_int()
    if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0:
        return None
    return "needs an NVIDIA GPU: its driver finds none; see nvidia-smi and CUDA_VISIBLE_DEVICES"
