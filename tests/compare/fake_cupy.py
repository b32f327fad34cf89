"""As much of CuPy as the ceilings call, on NumPy: it shows what is asked of a device, and no speed."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

__version__ = "0"
calls: list[str] = []


class Array(np.ndarray):
    device = SimpleNamespace(synchronize=lambda: calls.append("synchronize"))

    def set(self, host: np.ndarray) -> None:
        calls.append(f"set {len(self)}")
        self[:] = host

    def get(self, out: np.ndarray) -> None:
        calls.append(f"get {len(self)}")
        out[:] = self


class Stream:
    def __init__(self, non_blocking: bool = False) -> None: ...

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exception: object) -> None: ...

    def synchronize(self) -> None:
        calls.append("synchronize")

    def begin_capture(self) -> None:
        calls.append("begin")

    def end_capture(self) -> SimpleNamespace:
        captured = len(calls) - calls.index("begin") - 1
        return SimpleNamespace(launch=lambda stream: calls.append(f"graph of {captured}"))


def RawKernel(code: str, name: str):
    return lambda grid, block, arguments: calls.append("launch")


def empty(shape: int | tuple[int, int], dtype: type) -> Array:
    return np.zeros(shape, dtype).view(Array)


def ones(shape: int | tuple[int, int], dtype: type) -> Array:
    return np.ones(shape, dtype).view(Array)


def empty_like(array: Array) -> Array:
    return np.zeros_like(array)


copyto, matmul, asarray, take = np.copyto, np.matmul, np.asarray, np.take
cuda = SimpleNamespace(
    Stream=Stream,
    Device=lambda: SimpleNamespace(id=0),
    get_current_stream=Stream,
    runtime=SimpleNamespace(
        CUDARuntimeError=RuntimeError,
        getDeviceCount=lambda: 1,
        driverGetVersion=lambda: 13000,
        runtimeGetVersion=lambda: 13000,
        getDeviceProperties=lambda id: {
            "name": b"Fake",
            "major": 9,
            "minor": 0,
            "multiProcessorCount": 1,
            "totalGlobalMem": 2**30,
            "l2CacheSize": 2**20,
        },
    ),
)
