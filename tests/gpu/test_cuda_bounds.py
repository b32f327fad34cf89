"""No kernel touches what lies beside its arrays."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from emulated_device import compiler

HERE = Path(__file__).parent


def run(folder, mode):
    library = subprocess.run([compiler(), "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    if not Path(library).is_absolute():
        pytest.skip(f"{compiler()} has no libasan.so")
    search = os.pathsep.join([str(HERE), str(HERE / "emulator"), *sys.path])
    environment = {
        **os.environ,
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0",
        "PYTHONPATH": search,
    }
    command = [sys.executable, str(HERE / "kernels_in_bounds.py"), str(folder), mode]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_kernels_stay_within_their_arrays(emulator_folder):
    result = run(emulator_folder, "sound")
    assert result.returncode == 0, result.stderr


def test_an_access_out_of_bounds_would_be_found(emulator_folder):
    result = run(emulator_folder, "fault")
    assert result.returncode != 0
    assert "heap-buffer-overflow" in result.stderr
