"""The ways to train the network: one small file each, chosen by name, imported on first use."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from mnist import device
from mnist.model import Weights, astype


@dataclass(frozen=True)
class Task:
    """What a backend trains on, and with.

    images: uint8 (n, 784); labels: uint8 (n,). weights: where training starts; their dtype, float32 or float64, is
    what it computes in, and their shapes are the network. batch_size: 1 or more; one above n is n. threads: for
    those that start their own; those of libraries are limited before they are imported.
    """

    images: np.ndarray
    labels: np.ndarray
    weights: Weights
    batch_size: int
    learning_rate: float
    threads: int = 1

    @property
    def dtype(self) -> np.dtype:
        return self.weights[0].dtype


class Unavailable(RuntimeError):
    """A backend finds that it can't run here; the message is one line with the cure."""


class Backend(Protocol):
    """One way to train. It keeps examples and weights in the form and in the place that its library wants."""

    def __init__(self, task: Task) -> None: ...

    def reset(self) -> None:
        """Go back to the weights of the task; what is compiled stays so."""

    def weights(self) -> Weights:
        """The weights as NumPy arrays, in the dtype of the task."""

    def train_epoch(self, order: np.ndarray) -> float:
        """Train on the examples `order` (int64 indices), batch by batch as `batches` cuts them.

        Returns, once all work is done, the mean loss of the examples, each taken before its batch's update.
        """


class InPlace:
    """What backends have in common that train NumPy arrays in place."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self.reset()

    def reset(self) -> None:
        self._weights = astype(self._task.weights, self._task.dtype)

    def weights(self) -> Weights:
        return self._weights


def batches(order: np.ndarray, batch_size: int) -> Iterator[np.ndarray]:
    """`order` in pieces of `batch_size`; the last, smaller one is trained like the others."""
    for begin in range(0, len(order), batch_size):
        yield order[begin : begin + batch_size]


@dataclass(frozen=True)
class Entry:
    """Where a backend is, and what it needs."""

    target: str
    modules: tuple[str, ...] = ()
    extra: str = ""
    device: str = "cpu"
    """Or "gpu"."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that must be set before its library is imported."""
    precision: str = ""
    """Of its matrix products, where that is not the task's."""
    dtypes: tuple[str, ...] = ("float32", "float64")
    """Of the tasks that it trains."""
    obstacle: str = ""
    """`module:function` that says why it can't run here, in one line with the cure, or None."""


def keras(name: str, library: str, extra: str, device: str = "cpu") -> Entry:
    """Keras on `library`, which is told by an environment variable; as is, not to use a GPU that there is."""
    environment = {"KERAS_BACKEND": library} | ({"CUDA_VISIBLE_DEVICES": "-1"} if device == "cpu" else {})
    return Entry(f"mnist.backends.keras_:{name}", ("keras", library), extra, device, environment)


BACKENDS = {
    "reference": Entry("mnist.backends.reference:Reference"),
    "keras-gpu": keras("KerasGPU", "tensorflow", "tf-gpu", "gpu"),
    "keras-gpu-jit": keras("KerasGPUJit", "tensorflow", "tf-gpu", "gpu"),
    "keras-cpu": keras("Keras", "tensorflow", "tf"),
    "keras-cpu-jit": keras("KerasJit", "tensorflow", "tf"),
    "keras-torch": keras("Keras", "torch", "keras,torch"),
    "keras-jax": keras("KerasJit", "jax", "keras"),
    "numpy-example": Entry("mnist.backends.numpy_example:NumPyExample"),
    "numpy": Entry("mnist.backends.numpy_:NumPy"),
    "cupy-example": Entry("mnist.backends.cupy_:CuPyExample", ("cupy",), "gpu", "gpu"),
    "cupy": Entry("mnist.backends.cupy_:CuPy", ("cupy",), "gpu", "gpu"),
    "cupy-graph": Entry("mnist.backends.cupy_graph:CuPyGraph", ("cupy",), "gpu", "gpu"),
    "torch": Entry("mnist.backends.torch_:Torch", ("torch",), "torch"),
    "torch-compile": Entry(
        "mnist.backends.torch_:TorchCompile", ("torch",), "torch", environment={"TORCHINDUCTOR_COMPILE_THREADS": "1"}
    ),
    "jax": Entry("mnist.backends.jax_:Jax", ("jax",), "jax"),
    "jax-gpu": Entry("mnist.backends.jax_:JaxGPU", ("jax", "jax_plugins"), "jax-gpu", "gpu"),
    "jax-scan": Entry("mnist.backends.jax_:JaxScan", ("jax",), "jax"),
    "numba": Entry("mnist.backends.numba_:Numba", ("numba",), "numba"),
    "native": Entry("mnist.backends.native:Native", obstacle="mnist.backends.native:why_not"),
    "native-bf16": Entry(
        "mnist.backends.native:NativeBFloat16",
        precision="bfloat16",
        dtypes=("float32",),
        obstacle="mnist.backends.native:why_not_bf16",
    ),
}
"""The reference first; then, down the list, ever less overhead: of a framework, of operations, of steps."""
PLUGINS = {"w2v_compare.mnist": "cpu", "w2v_compare.mnist.gpu": "gpu"}
"""The entry point groups in which other distributions enter backends of theirs, by device; see docs/backends.md."""
for _group, _device in PLUGINS.items():
    for _found in entry_points(group=_group):
        BACKENDS.setdefault(_found.name, Entry(_found.value, (_found.module,), device=_device))


def entry(name: str) -> Entry:
    """The entry of backend `name`; ValueError with the near names if there is none."""
    if name not in BACKENDS:
        near = difflib.get_close_matches(name, BACKENDS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(BACKENDS)}"
        raise ValueError(f"no backend is called {name!r}: {hint}")
    return BACKENDS[name]


def unavailable(name: str) -> str | None:
    """Why backend `name` can't run here, in one line with the cure; None when it can. Imports no library."""
    if entry(name).device == "gpu" and (reason := device.unavailable()):
        return reason
    missing = [module for module in entry(name).modules if find_spec(module) is None]
    if missing:
        return f"{' and '.join(missing)} not installed: pip install 'w2v-compare[{entry(name).extra}]'"
    why: str | None = attribute(entry(name).obstacle)() if entry(name).obstacle else None
    return why


def unsuited(name: str, dtype: str) -> str | None:
    """Why backend `name` can't train in `dtype`, in one line with the cure; None when it can."""
    known = entry(name).dtypes
    return None if dtype in known else f"trains in {' or '.join(known)}, not in {dtype}: choose another row"


def backend_class(name: str) -> type[Backend]:
    """The backend called `name`, its library imported under the environment that the process has."""
    backend: type[Backend] = attribute(entry(name).target)
    return backend


def attribute(target: str) -> Any:
    """What `module:name` names."""
    module, name = target.split(":")
    return getattr(import_module(module), name)
