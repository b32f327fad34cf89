"""What CuPy and CUDA say of themselves becomes one line with the cure."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from w2v.trainers.cuda.device import CupyDevice, DeviceError, explained_memory


class CUDARuntimeError(RuntimeError):
    """As in CuPy."""


class Module:
    """As cupy.RawModule; what its kernels are launched with is kept."""

    def __init__(self, failure=None):
        self.failure, self.launched = failure, []

    def compile(self):
        if self.failure:
            raise self.failure

    def get_function(self, name):
        return lambda *launch, shared_mem: self.launched.append(launch)


def fake_cupy(driver=12090, built=12090, devices=1, capability="90", module=None):
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
    return SimpleNamespace(
        cuda=SimpleNamespace(runtime=runtime, Device=lambda: card), RawModule=lambda **settings: module
    )


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


@pytest.mark.parametrize("full", [MemoryError("Out of memory\nsome"), CUDARuntimeError("cudaError: out of memory")])
def test_a_full_memory_names_its_purpose_and_the_cure(full):
    with pytest.raises(
        DeviceError, match=r"memory is full: the tables take 9 GB \(.*ut of memory\): lower vector_size"
    ):
        with explained_memory("the tables take 9 GB", "lower vector_size"):
            raise full


def test_another_error_is_not_taken_for_a_full_memory():
    with pytest.raises(CUDARuntimeError, match="an illegal memory access"), explained_memory("x", "y"):
        raise CUDARuntimeError("cudaErrorIllegalAddress: an illegal memory access")


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (RuntimeError("failed to load libnvrtc.so.13"), r"libnvrtc.so.13\): pip install 'cupy-cuda13x\[ctk\]'"),
        (PermissionError(13, "Permission denied", "/cache"), "Permission denied: '/cache'.*set CUPY_CACHE_DIR"),
        (CUDARuntimeError("CUDA_ERROR_OUT_OF_MEMORY: out of memory"), "XLA_PYTHON_CLIENT_PREALLOCATE=false"),
    ],
    ids=["no compiler", "no cache", "no memory"],
)
def test_kernels_that_can_not_be_made_say_why(monkeypatch, failure, message):
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy(driver=13000, built=13000, module=Module(failure)))
    with pytest.raises(DeviceError, match=message) as raised:
        CupyDevice().compile("", {})
    assert "\n" not in str(raised.value)


def test_a_missing_table_is_a_null_pointer(monkeypatch):
    module = Module()
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy(module=module))
    CupyDevice().compile("", {}).launch("train", 1, 32, 0, None, np.float32(1))
    ((_, _, (pointer, _)),) = module.launched
    assert pointer == 0 and pointer.nbytes == 8


CUPY_REFUSED = """
import sys

class Refusal:
    def find_spec(self, name, *_):
        assert name != "cupy", "cupy was imported"

sys.meta_path.insert(0, Refusal())
from w2v.trainers.cuda import Cupy
from w2v.trainers.cuda.device import CupyDevice
"""


def test_importing_the_trainer_does_not_import_cupy():
    subprocess.run([sys.executable, "-c", CUPY_REFUSED], check=True)
    device = subprocess.run([sys.executable, "-c", CUPY_REFUSED + "CupyDevice()"], capture_output=True, text=True)
    assert "cupy was imported" in device.stderr
