"""GPU tests run on a GPU where there is one, else on the emulator; the end of pytest's output says which of the two."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "emulator"))

from emulated_device import EmulatedDevice

from w2v.trainers.cuda.device import CupyDevice, DeviceError

try:
    GPU, WHERE = CupyDevice(), "on a GPU"
except DeviceError as error:
    GPU, WHERE = None, f"on the CPU, by the emulator, not on a GPU ({error})"


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"CUDA kernels ran {WHERE}")


@pytest.fixture(scope="session")
def emulator_folder(tmp_path_factory):
    """Where compiled kernels are kept during the session."""
    return tmp_path_factory.mktemp("emulator")


@pytest.fixture(scope="session")
def emulate(emulator_folder):
    """Make an emulated device; arguments are EmulatedDevice's."""
    return lambda **settings: EmulatedDevice(emulator_folder, **settings)


@pytest.fixture(scope="session")
def device(emulate):
    """The GPU, or the emulator in its stead."""
    return GPU or emulate()


@pytest.fixture(scope="session")
def interleaved(emulate):
    """The GPU, or an emulator whose warps take turns rather than run to their end."""
    return GPU or emulate(seed=1)
