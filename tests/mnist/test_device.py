from __future__ import annotations

import ctypes

import pytest

from mnist import device


class Driver:
    """What `device` asks of libcuda."""

    def __init__(self, status: int, devices: int) -> None:
        self.status, self.devices = status, devices

    def cuInit(self, flags: int) -> int:
        return self.status

    def cuDeviceGetCount(self, count: object) -> int:
        count._obj.value = self.devices
        return 0

    def cuDeviceGet(self, device: object, ordinal: int) -> None:
        device._obj.value = 7

    def cuDeviceGetName(self, name: ctypes.Array, length: int, device: ctypes.c_int) -> None:
        name.value = f"made-up GPU {device.value}"[: length - 1].encode()

    def cuDriverGetVersion(self, version: object) -> None:
        version._obj.value = 12040


@pytest.mark.parametrize(("status", "devices", "usable"), [(0, 1, True), (0, 0, False), (100, 1, False)])
def test_a_device_is_there_when_the_driver_counts_one(monkeypatch, status, devices, usable):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Driver(status, devices))
    assert (device.unavailable() is None) is usable


def test_the_device_is_told_by_its_name_and_its_drivers_version(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Driver(0, 1))
    assert device.describe() == {"name": "made-up GPU 7", "cuda": "12.4"}
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Driver(0, 0))
    assert device.describe() is None


def test_without_a_driver_the_reason_names_it(monkeypatch):
    monkeypatch.setattr(device, "DRIVER", "libnosuchdriver.so.1")
    assert "needs an NVIDIA GPU: its driver's libnosuchdriver.so.1 is not on this machine" == device.unavailable()
