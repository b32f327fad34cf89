"""What CuPy and CUDA say of themselves becomes one line with the cure."""

import sys
from types import SimpleNamespace

import pytest

from w2v.trainers.cuda import device
from w2v.trainers.cuda.device import CupyDevice, DeviceError, explained_memory


class CUDARuntimeError(RuntimeError):
    """As in CuPy."""


def fake_cupy(driver=12090, built=12090, devices=1, capability="90"):
    def count():
        if isinstance(devices, str):
            raise CUDARuntimeError(devices)
        return devices

    runtime = SimpleNamespace(
        runtimeGetVersion=lambda: built,
        driverGetVersion=lambda: driver,
        getDeviceCount=count,
        CUDARuntimeError=CUDARuntimeError,
    )
    attributes = {"MultiProcessorCount": 132, "MaxSharedMemoryPerBlockOptin": 232448}
    card = SimpleNamespace(compute_capability=capability, attributes=attributes)
    return SimpleNamespace(cuda=SimpleNamespace(runtime=runtime, Device=lambda: card))


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"driver": 0}, "no NVIDIA driver found: install one"),
        ({"driver": 12040, "built": 13000}, "CuPy is for CUDA 13 and the driver only knows CUDA 12.4: .*cupy-cuda12x"),
        ({"devices": "cudaErrorNoDevice: none"}, r"no CUDA device can be used \(cudaErrorNoDevice: none\): see what"),
        ({"devices": 0}, "no CUDA device is visible: .*CUDA_VISIBLE_DEVICES"),
        ({"capability": "61"}, "compute capability 6.1 and the kernels need 7.5 .*trainer='hogwild'"),
    ],
    ids=["no driver", "wrong CUDA", "no device", "hidden device", "old card"],
)
def test_a_device_that_can_not_be_used_says_why(monkeypatch, state, message):
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy(**state))
    with pytest.raises(DeviceError, match=message) as raised:
        CupyDevice()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("capability", ["75", "90", "100"])
def test_a_device_that_can_be_used_is_taken(monkeypatch, capability):
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy(capability=capability))
    assert CupyDevice().shared_bytes == 232448


def test_without_cupy_the_cure_is_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(DeviceError, match=r"pip install 'w2v-compare\[gpu\]'"):
        CupyDevice()


def test_a_full_memory_names_its_purpose_and_the_cure():
    with pytest.raises(DeviceError, match=r"memory is full: the tables take 9 GB \(Out of memory\): lower vector_size"):
        with explained_memory("the tables take 9 GB", "lower vector_size"):
            raise MemoryError("Out of memory\nsome detail")


def test_importing_the_trainer_does_not_import_cupy():
    assert not hasattr(device, "cupy")
