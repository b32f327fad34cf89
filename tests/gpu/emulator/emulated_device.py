"""A `Device` without a GPU: kernels are compiled by g++ and run by the emulator, arrays are NumPy's."""

from __future__ import annotations

import ctypes
import hashlib
import re
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
# Hidden, lest a kernel called `advance` be taken for glibc's.
OPTIONS = (
    "-fvisibility=hidden",
    "-std=c++17",
    "-O1",
    "-fPIC",
    "-shared",
    "-w",
    "-U_FORTIFY_SOURCE",
    "-fno-strict-aliasing",
)
ADDRESS_SANITIZER = ("-O0", "-fsanitize=address", "-g", "--param", "asan-stack=0")


class EmulatorError(RuntimeError):
    """A kernel did what no device allows."""


class EmulatedKernels:
    """Kernels as functions of a shared library."""

    def __init__(self, library: Path, seed: int) -> None:
        self._library, self._seed = ctypes.CDLL(str(library)), seed

    def launch(self, name: str, blocks: int, threads: int, shared_bytes: int, *arguments: Any) -> None:
        values = [np.asarray(self._value(argument)) for argument in arguments]
        pointers = (ctypes.c_void_p * len(values))(*(value.ctypes.data for value in values))
        sizes = (ctypes.c_size_t * len(values))(*(value.nbytes for value in values))
        function = getattr(self._library, f"emulate_{name}")
        function.restype = ctypes.c_char_p
        error = function(
            blocks, threads, ctypes.c_size_t(shared_bytes), self._seed, pointers, sizes, ctypes.c_size_t(len(values))
        )
        if error:
            raise EmulatorError(f"{name}: {error.decode()}")

    def resident_blocks(self, name: str, threads: int, shared_bytes: int) -> int:
        return 8

    @staticmethod
    def _value(argument: Any) -> Any:
        if argument is None:
            return np.uintp(0)
        if isinstance(argument, np.ndarray):
            assert argument.flags.c_contiguous
            return np.uintp(argument.ctypes.data)
        return argument


class _Stream(AbstractContextManager):
    def __exit__(self, *exception: Any) -> None: ...

    def record(self) -> _Stream:
        return self

    def wait_event(self, event: Any) -> None: ...

    def synchronize(self) -> None: ...


class EmulatedDevice:
    """seed: 0 runs warps and lanes in order, others in random orders. options: for g++."""

    xp = np
    shared_bytes = 99 * 1024

    def __init__(self, folder: Path, seed: int = 0, free_bytes: int = 2**40, options: tuple[str, ...] = ()) -> None:
        self._folder, self._seed, self._free_bytes, self._options = folder, seed, free_bytes, options

    def compile(self, source: str, constants: Mapping[str, int]) -> EmulatedKernels:
        kernels = re.findall(r"__global__ void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\(", source)
        defines = [f"-D{name}={value}" for name, value in constants.items()]
        text = f'#include "{HERE / "cuda.hpp"}"\n{source}\n' + "".join(f"EMULATE({name})\n" for name in kernels)
        key = hashlib.sha256(repr((text, defines, self._options)).encode()).hexdigest()[:16]
        library = self._folder / f"{key}.so"
        if not library.exists():
            command = [compiler(), *OPTIONS, *self._options, *defines, "-x", "c++", "-", "-o", str(library)]
            result = subprocess.run(command, input=text, text=True, capture_output=True)
            assert result.returncode == 0, result.stderr
        return EmulatedKernels(library, self._seed)

    def current(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def stream(self) -> Any:
        return _Stream()

    def to_host(self, array: np.ndarray) -> np.ndarray:
        return array

    def free_bytes(self) -> int:
        return self._free_bytes


def compiler() -> str:
    """g++, or whatever C++ compiler there is."""
    return next(path for name in ("g++", "c++", "clang++") if (path := shutil.which(name)))
