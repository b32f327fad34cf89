"""The kernels compile for every architecture from Turing to Hopper, and keep their rows in registers."""

import re

import nvrtc
import pytest
from injected import task

from w2v.trainers.cuda.plan import Plan, compile_options, kernel_source

ARCHITECTURES = "75", "80", "86", "89", "90"
MODES = [
    {"vector_size": 100},
    {"vector_size": 300, "negative": 10, "window": 8},
    {"vector_size": 100, "sg": 0},
    {"vector_size": 100, "hs": 1, "negative": 0, "words": 3000},
]


@pytest.fixture(scope="module")
def compiler():
    library = nvrtc.library()
    if library is None:
        pytest.skip(nvrtc.MISSING)
    return library


def assert_compiles(compiler, architecture, params):
    options = [f"-arch=sm_{architecture}", "--ptxas-options=-v", *compile_options(Plan(task(**params)).constants)]
    compiled, log = nvrtc.compile_kernels(compiler, kernel_source(), options)
    assert compiled, log
    assert "warning" not in log, log
    frames = [int(size) for size in re.findall(r"(\d+) bytes stack frame", log)]
    assert frames and max(frames) < 64, f"an array is in device memory rather than in registers: {log}"


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_architecture(compiler, architecture):
    assert_compiles(compiler, architecture, MODES[0])


@pytest.mark.parametrize("params", MODES[1:], ids=str)
def test_every_mode(compiler, params):
    assert_compiles(compiler, ARCHITECTURES[-1], params)


def test_a_mistake_is_reported(compiler):
    compiled, log = nvrtc.compile_kernels(compiler, 'extern "C" __global__ void f() { mistake; }', ["-arch=sm_80"])
    assert not compiled
    assert "mistake" in log
