"""What CUPTI records becomes counts and seconds; on a stand-in for CUPTI, so no figure here was measured."""

from __future__ import annotations

import sys
from enum import IntEnum
from types import SimpleNamespace

import pytest

from compare import cuda_activity
from compare.cell import Cell
from compare.workloads import mnist_activity
from mnist import backends

ActivityKind = IntEnum("ActivityKind", "MEMCPY DRIVER RUNTIME CONCURRENT_KERNEL")
ActivityMemcpyKind = IntEnum("ActivityMemcpyKind", "HTOD DTOH DTOD")
CallbackDomain = IntEnum("CallbackDomain", "DRIVER_API RUNTIME_API")


def call(kind, cbid, start, end, thread=1):
    return SimpleNamespace(kind=kind, cbid=cbid, start=start, end=end, thread_id=thread)


def kernel(start, end):
    return SimpleNamespace(kind=ActivityKind.CONCURRENT_KERNEL, start=start, end=end)


def copy(kind, size, start, end):
    return SimpleNamespace(kind=ActivityKind.MEMCPY, copy_kind=kind, bytes=size, start=start, end=end)


class Cupti:
    """As cupti.cupti: hands its records over when it is flushed."""

    ActivityKind, ActivityMemcpyKind, CallbackDomain = ActivityKind, ActivityMemcpyKind, CallbackDomain

    def __init__(self, records):
        self.records, self.enabled = records, set()
        self.activity_enable, self.activity_disable = self.enabled.add, self.enabled.remove

    def activity_register_callbacks(self, requested, completed):
        assert requested() == (cuda_activity.BUFFER_BYTES, 0)
        self.completed = completed

    def activity_flush_all(self, flag):
        self.completed(self.records)

    def get_callback_name(self, domain, cbid):
        return {CallbackDomain.DRIVER_API: "cu", CallbackDomain.RUNTIME_API: "cuda"}[domain] + str(cbid)


@pytest.fixture
def record(monkeypatch):
    def recorded(*records):
        cupti = Cupti(records)
        monkeypatch.setitem(sys.modules, "cupti", SimpleNamespace(cupti=cupti))
        with cuda_activity.recorded() as activity:
            assert cupti.enabled == set(ActivityKind)
        assert not cupti.enabled
        return activity

    return recorded


def test_kernels_that_overlap_are_busy_once(record):
    activity = record(kernel(100, 300), kernel(200, 350), kernel(1000, 1100), kernel(210, 220))
    assert (activity.kernels, activity.kernel_seconds) == (4, pytest.approx(350e-9))


def test_copies_between_host_and_device_are_counted_and_others_are_not(record):
    kinds = ActivityMemcpyKind
    activity = record(copy(kinds.HTOD, 40, 0, 30), copy(kinds.DTOD, 999, 0, 5), copy(kinds.DTOH, 8, 50, 60))
    assert (activity.copies, activity.copied_bytes, activity.copy_seconds) == (2, 48, pytest.approx(40e-9))


def test_calls_that_a_call_makes_are_part_of_it(record):
    runtime, driver = ActivityKind.RUNTIME, ActivityKind.DRIVER
    activity = record(
        call(driver, 1, 110, 190), call(runtime, 7, 100, 200), call(runtime, 7, 300, 350), call(driver, 1, 110, 120, 2)
    )
    assert activity.calls == {"cuda7": (2, pytest.approx(150e-9)), "cu1": (1, pytest.approx(10e-9))}


def test_nothing_is_recorded_any_more_after_an_error(monkeypatch):
    cupti = Cupti([])
    monkeypatch.setitem(sys.modules, "cupti", SimpleNamespace(cupti=cupti))
    with pytest.raises(ZeroDivisionError), cuda_activity.recorded():
        raise ZeroDivisionError
    assert not cupti.enabled


def test_without_cupti_the_cure_is_its_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupti", None)
    monkeypatch.setattr(cuda_activity, "find_spec", lambda name: None)
    assert "pip install cupti-python" in cuda_activity.unavailable()


def test_an_epoch_is_watched(monkeypatch, record):
    record(kernel(0, 10))
    monkeypatch.setattr(backends, "backend_class", lambda name: backends.attribute(backends.entry("numpy").target))
    options = {"learning_rate": 0.1, "examples": 100}
    trial = mnist_activity.Trial(
        Cell("mnist-activity", "cupy", "gpu", {"batch": 50, "hidden": [4]}, options=options), 1
    )
    trial.load()
    trial.prepare()
    trial.step()
    assert trial.facts()["activity"]["kernels"] == 1
    assert len(trial.losses) == 1
