"""What the GPU's ceilings ask of CuPy, on a stand-in for it: launches, captures, transfers, waits. No speeds."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import SimpleNamespace

import fake_cupy
import numpy as np
import pytest

from compare.ceilings import gpu
from compare.ceilings.timing import QUICK
from compare.cell import Cell
from compare.workloads import mnist_parts
from mnist import backends

SMALL = replace(QUICK, seconds=0.0, matrix=8, memory_bytes=4096)


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    fake_cupy.calls.clear()
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy)
    monkeypatch.setitem(sys.modules, "cupyx", SimpleNamespace(empty_pinned=np.empty))
    monkeypatch.setattr(backends, "unavailable", lambda name: None)
    return fake_cupy


def test_a_device_is_described(cupy):
    assert gpu.unavailable() is None
    assert gpu.describe()["name"] == "Fake" and gpu.describe()["compute_capability"] == "9.0"


def test_a_driver_that_fails_is_the_reason(cupy, monkeypatch):
    def fail() -> int:
        raise RuntimeError("no driver")

    monkeypatch.setattr(cupy.cuda.runtime, "getDeviceCount", fail)
    assert gpu.unavailable() == "CuPy can't use the CUDA device: no driver"


def test_launches_are_waited_for_one_by_one_in_a_row_and_in_graphs(cupy):
    found = gpu.launches(SMALL)
    assert [each.conditions["mode"] for each in found] == ["waited for", "stream", "graph"]
    calls = cupy.calls
    assert calls[1 : 2 + gpu.GRAPH_LAUNCHES] == ["begin", *["launch"] * gpu.GRAPH_LAUNCHES]
    assert calls[-4:] == ["launch", "synchronize"] * 2  # waited for and in a row come last to be timed: one each
    assert f"graph of {gpu.GRAPH_LAUNCHES}" in calls


def test_transfers_go_both_ways_from_both_kinds_of_memory_and_are_waited_for(cupy):
    found = gpu.transfers(SMALL)
    assert {(each.name, each.conditions["memory"]) for each in found} == {
        (f"{way}{latency}", memory)
        for way in ("host to device", "device to host")
        for latency in ("", " latency")
        for memory in ("pageable", "pinned")
    }
    assert {"set 1", "set 1024", "get 1", "get 1024"} <= set(cupy.calls)
    uploads = [i for i, call in enumerate(cupy.calls) if call.startswith("set")]
    assert all(cupy.calls[i + 1] == "synchronize" for i in uploads)


@pytest.mark.parametrize("probe", [gpu.device_copy, gpu.sgemm])
def test_the_device_has_finished_before_the_clock_is_read(cupy, probe):
    found = probe(SMALL)
    assert found[0].value > 0
    assert cupy.calls and set(cupy.calls) == {"synchronize"}


@pytest.mark.parametrize("part", mnist_parts.PARTS["gpu"])
def test_the_parts_of_an_epoch_are_waited_for_on_the_device(cupy, part):
    trial = mnist_parts.Trial(Cell("mnist-parts", part, "gpu", {"batch": 20_000, "hidden": [4]}), 1)
    assert mnist_parts.Trial.unavailable(part) is None
    trial.load()
    trial.prepare()
    trial.step()
    assert cupy.calls == ["synchronize"]
