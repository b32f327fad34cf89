"""A CUDA device through CuPy, which is imported here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from w2v.trainers.cuda.plan import compile_options

if TYPE_CHECKING:
    from collections.abc import Iterator

OLDEST_CAPABILITY = (7, 5)
"""The oldest architecture that the kernels are compiled for in the tests."""

SHARED_GPU = "let frameworks share it: XLA_PYTHON_CLIENT_PREALLOCATE=false, TF_FORCE_GPU_ALLOW_GROWTH=true"


class DeviceError(RuntimeError):
    """There is no device to train on, or it can't; the message is one line and names the cure."""


class Kernels(Protocol):
    """Compiled kernels."""

    def launch(self, name: str, blocks: int, threads: int, shared_bytes: int, *arguments: Any) -> None:
        """Queue a kernel on the current stream. Arguments are arrays, NumPy scalars, and None for a null pointer."""

    def resident_blocks(self, name: str, threads: int, shared_bytes: int) -> int:
        """How many blocks of a kernel the whole device holds at once."""


class Device(Protocol):
    """Where kernels run. The tests have another one, which needs no GPU."""

    xp: Any
    """cupy, or numpy for what looks like it."""
    shared_bytes: int
    """Shared memory that one block may have."""

    def compile(self, source: str, constants: Mapping[str, int]) -> Kernels: ...

    def current(self) -> AbstractContextManager[Any]:
        """Makes it the device of this thread: that of a new thread is the first of all."""

    def stream(self) -> Any:
        """A stream like cupy.cuda.Stream: a context manager with record(), wait_event() and synchronize()."""

    def to_host(self, array: Any) -> np.ndarray:
        """A copy of an array in host memory, once the current stream is done with it."""

    def free_bytes(self) -> int: ...


class CupyDevice:
    """A CUDA device.

    number : int, optional
        Of the device that this thread is to use, counted round; the current one if not given.

    Raises
    ------
    DeviceError
        If there is none that works.
    """

    def __init__(self, number: int | None = None) -> None:
        self.xp = _import_cupy()
        runtime = self.xp.cuda.runtime
        _require_device(runtime)
        if number is not None:
            self.xp.cuda.Device(number % runtime.getDeviceCount()).use()
        self._device = device = self.xp.cuda.Device()
        capability = tuple(map(int, (device.compute_capability[:-1], device.compute_capability[-1])))
        if capability < OLDEST_CAPABILITY:
            raise DeviceError(
                f"this GPU has compute capability {capability[0]}.{capability[1]} and the kernels need "
                f"{OLDEST_CAPABILITY[0]}.{OLDEST_CAPABILITY[1]} (Turing, 2018) or newer: use trainer='hogwild'"
            )
        self._multiprocessors = device.attributes["MultiProcessorCount"]
        self.shared_bytes = device.attributes["MaxSharedMemoryPerBlockOptin"]

    def compile(self, source: str, constants: Mapping[str, int]) -> _CupyKernels:
        """Compile for this device, or take what CuPy has cached on disk from an earlier run."""
        module = self.xp.RawModule(code=source, options=tuple(compile_options(constants)))
        try:
            with explained_memory("not even the kernels fit", f"end what nvidia-smi shows there, or {SHARED_GPU}"):
                module.compile()
        except DeviceError:
            raise
        except OSError as error:
            raise DeviceError(f"CuPy can't keep what it compiles ({error}): set CUPY_CACHE_DIR to a folder") from error
        except RuntimeError as error:
            package = f"cupy-cuda{self.xp.cuda.runtime.runtimeGetVersion() // 1000}x[ctk]"
            raise DeviceError(f"CuPy can't compile ({_first_line(error)}): pip install '{package}'") from error
        return _CupyKernels(self.xp, module, self._multiprocessors)

    def current(self) -> AbstractContextManager[Any]:
        device: AbstractContextManager[Any] = self._device
        return device

    def stream(self) -> Any:
        return self.xp.cuda.Stream(non_blocking=True)

    def to_host(self, array: Any) -> np.ndarray:
        copied: np.ndarray = array.get()
        return copied

    def free_bytes(self) -> int:
        return int(self.xp.cuda.runtime.memGetInfo()[0])


class _CupyKernels:
    def __init__(self, cupy: Any, module: Any, multiprocessors: int) -> None:
        self._cupy, self._module, self._multiprocessors = cupy, module, multiprocessors
        self._functions: dict[str, Any] = {}

    def launch(self, name: str, blocks: int, threads: int, shared_bytes: int, *arguments: Any) -> None:
        # CuPy has passed None on as an address that is not null.
        values = tuple(np.uintp(0) if argument is None else argument for argument in arguments)
        self._function(name, shared_bytes)((blocks,), (threads,), values, shared_mem=shared_bytes)

    def resident_blocks(self, name: str, threads: int, shared_bytes: int) -> int:
        occupancy = self._cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
        kernel = self._function(name, shared_bytes).kernel
        return int(occupancy(kernel.ptr, threads, shared_bytes)) * self._multiprocessors

    def _function(self, name: str, shared_bytes: int) -> Any:
        if name not in self._functions:
            function = self._module.get_function(name)
            if shared_bytes:
                function.max_dynamic_shared_size_bytes = shared_bytes  # above 48 KiB a kernel has to ask
            self._functions[name] = function
        return self._functions[name]


def _import_cupy() -> Any:
    try:
        import cupy
    except ImportError as error:
        if error.name == "cupy":
            raise DeviceError("cupy not installed: pip install 'w2v-compare[gpu]', or [gpu13] for CUDA 13") from None
        raise DeviceError(f"cupy can't be imported ({_first_line(error)}): reinstall it") from error
    return cupy


def _require_device(runtime: Any) -> None:
    built, driver = runtime.runtimeGetVersion(), runtime.driverGetVersion()
    if not driver:
        raise DeviceError(
            "no NVIDIA driver found: install one (nvidia-smi should then list a GPU), or use trainer='hogwild'"
        )
    if driver // 1000 < built // 1000:
        raise DeviceError(
            f"this CuPy is for CUDA {built // 1000} and the driver only knows CUDA {_version(driver)}: "
            f"pip install cupy-cuda{driver // 1000}x in place of cupy-cuda{built // 1000}x, or update the driver"
        )
    try:
        devices = runtime.getDeviceCount()
    except runtime.CUDARuntimeError as error:
        raise DeviceError(f"no CUDA device can be used ({_first_line(error)}): see what nvidia-smi says") from None
    if not devices:
        raise DeviceError("no CUDA device is visible: see nvidia-smi, and CUDA_VISIBLE_DEVICES if it is set")


@contextmanager
def explained_memory(purpose: str, cure: str) -> Iterator[None]:
    """Turn what CuPy or CUDA say of a full device into one line: what the memory was for, and the cure."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if "out of memory" not in str(error).lower():
            raise
        raise DeviceError(f"the GPU's memory is full: {purpose} ({_first_line(error)}): {cure}") from error


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]
