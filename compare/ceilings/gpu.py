"""What a CUDA device can do at most, and what it takes to reach it from the host; by CuPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from compare.ceilings.timing import Effort, repeat, seconds_per_call, seconds_per_repeat
from compare.profile import Ceiling
from mnist import backends

GRAPH_LAUNCHES = 20
"""Kernels in the graph whose launch is timed: about those of a training step."""


def unavailable() -> str | None:
    """Why no device can be measured here, in a line with the cure; None when one can."""
    if reason := backends.unavailable("cupy"):
        return reason
    import cupy

    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"CuPy can't use the CUDA device: {error}"
    return None


def describe() -> dict[str, Any]:
    """JSON values: the device in use, its driver and the libraries."""
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    return {
        "name": properties["name"].decode(),
        "compute_capability": f"{properties['major']}.{properties['minor']}",
        "multiprocessors": properties["multiProcessorCount"],
        "memory_bytes": properties["totalGlobalMem"],
        "l2_bytes": properties["l2CacheSize"],
        "driver": cupy.cuda.runtime.driverGetVersion(),
        "runtime": cupy.cuda.runtime.runtimeGetVersion(),
        "cupy": cupy.__version__,
    }


def probes() -> dict[str, Callable[[Effort], list[Ceiling]]]:
    """What there is to measure, by the words that a progress bar shows."""
    return {
        "GPU launches": launches,
        "GPU transfers": transfers,
        "GPU memory": device_copy,
        "GPU sgemm": sgemm,
    }


def launches(effort: Effort) -> list[Ceiling]:
    """A kernel that does nothing: waited for each time; one of many in a row on a stream; one of those in a graph."""
    import cupy

    kernel = cupy.RawKernel('extern "C" __global__ void nothing() {}', "nothing")
    stream = cupy.cuda.Stream(non_blocking=True)

    def launch() -> None:
        kernel((1,), (1,), ())

    def waited_for() -> None:
        launch()
        stream.synchronize()

    def in_a_row(times: int) -> None:
        repeat(launch, times)
        stream.synchronize()

    with stream:
        launch()  # compiles it
        stream.begin_capture()
        repeat(launch, GRAPH_LAUNCHES)
        graph = stream.end_capture()

        def in_graphs(times: int) -> None:
            repeat(lambda: graph.launch(stream), times)
            stream.synchronize()

        graphs = [seconds / GRAPH_LAUNCHES for seconds in seconds_per_repeat(in_graphs, effort)]
        return [
            lowest("launch", seconds_per_call(waited_for, effort), mode="waited for"),
            lowest("launch", seconds_per_repeat(in_a_row, effort), mode="stream"),
            lowest("launch", graphs, mode="graph", kernels=GRAPH_LAUNCHES),
        ]


def transfers(effort: Effort) -> list[Ceiling]:
    """Host to device and back, from pageable and from pinned memory: a float's latency, and a long array's rate."""
    import cupy
    import cupyx

    length = effort.memory_bytes // 4
    device = cupy.empty(length, np.float32)
    found = []
    for memory, host in (("pageable", np.ones(length, np.float32)), ("pinned", cupyx.empty_pinned(length, np.float32))):
        ways = {
            "host to device": partial(upload, device, host),
            "device to host": partial(download, device, host),
        }
        for name, move in ways.items():
            latency = seconds_per_call(partial(move, 1), effort)
            whole = seconds_per_call(partial(move, length), effort)
            found += [
                lowest(f"{name} latency", latency, memory=memory),
                highest(name, "B/s", [4 * length / seconds for seconds in whole], memory=memory),
            ]
    return found


def upload(device: Any, host: np.ndarray, length: int) -> None:
    device[:length].set(host[:length])
    device.device.synchronize()


def download(device: Any, host: np.ndarray, length: int) -> None:
    device[:length].get(out=host[:length])


def device_copy(effort: Effort) -> list[Ceiling]:
    """An array of the device's memory to another: bytes read and written."""
    import cupy

    source = cupy.ones(effort.memory_bytes // 4, np.float32)
    target = cupy.empty_like(source)

    def copy(times: int) -> None:
        repeat(lambda: cupy.copyto(target, source), times)
        cupy.cuda.get_current_stream().synchronize()

    samples = [2 * effort.memory_bytes / seconds for seconds in seconds_per_repeat(copy, effort)]
    return [highest("copy", "B/s", samples)]


def sgemm(effort: Effort) -> list[Ceiling]:
    """The product of two square float32 matrices by cuBLAS."""
    import cupy

    n = 2 * effort.matrix  # a device needs more work to be busy
    a = cupy.ones((n, n), np.float32)
    c = cupy.empty_like(a)

    def multiply(times: int) -> None:
        repeat(lambda: cupy.matmul(a, a, out=c), times)
        cupy.cuda.get_current_stream().synchronize()

    samples = [2 * n**3 / seconds for seconds in seconds_per_repeat(multiply, effort)]
    return [
        highest("sgemm", "flop/s", samples, dtype="float32", n=n),
        Ceiling("sgemm", "flop/s", None, "gpu", 1, {"dtype": "bfloat16"}, (), "CuPy has no bfloat16"),
    ]


def lowest(name: str, samples: list[float] | tuple[float, ...], **conditions: Any) -> Ceiling:
    return Ceiling(name, "s", min(samples), "gpu", 1, conditions, tuple(samples))


def highest(name: str, unit: str, samples: list[float], **conditions: Any) -> Ceiling:
    return Ceiling(name, unit, max(samples), "gpu", 1, conditions, tuple(samples))
