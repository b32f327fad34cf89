"""NVIDIA's run-time compiler, the one CuPy uses, called through ctypes: it needs neither a GPU nor a driver."""

from __future__ import annotations

import ctypes
from importlib.util import find_spec
from pathlib import Path

MISSING = "libnvrtc not installed: pip install nvidia-cuda-nvrtc-cu12 (Linux and Windows)"


def library() -> ctypes.CDLL | None:
    """libnvrtc of the wheel nvidia-cuda-nvrtc-cu12; None where that isn't installed."""
    spec = find_spec("nvidia.cuda_nvrtc") if find_spec("nvidia") else None
    if spec is None:
        return None
    found = Path(next(iter(spec.submodule_search_locations))).glob("lib/libnvrtc.so.*")
    return next((ctypes.CDLL(str(path)) for path in found), None)


def compile_kernels(nvrtc: ctypes.CDLL, source: str, options: list[str]) -> tuple[bool, str]:
    """Whether `source` compiles to machine code, and the compiler's log."""
    program = ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernels.cu", 0, None, None) == 0
    encoded = [option.encode() for option in options]
    failed = nvrtc.nvrtcCompileProgram(program, len(encoded), (ctypes.c_char_p * len(encoded))(*encoded))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return failed == 0 and size.value > 0, log.value.decode()
