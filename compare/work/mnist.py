"""The work of training a dense network by SGD."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from compare.cell import Cell
from compare.work.quantities import RowMoves, Work
from compare.workloads.mnist import ONCE
from mnist import data
from mnist.backends import BACKENDS
from mnist.model import CLASSES, PIXELS

WEIGHT_ROW_BYTES = 2048
"""Weights are passed over in order: as rows of the longest kind that ceilings are measured for."""
COMPILED_STEP = (
    "jax",
    "keras-jax",
    "keras-cpu",
    "keras-cpu-jit",
    "torch-compile",
    "cupy-graph",
    "jax-gpu",
    "keras-gpu",
    "keras-gpu-jit",
)
MNIST_ALONE = ("native", "native-bf16")
"""Programs for MNIST's inputs and classes; the others are ways that can be gone with any network."""
COMPILED_EPOCH = ("jax-scan", "native", "native-bf16", "numba")


def mlp(layers: Sequence[int], batch: int, examples: int, calls_per_step: float, dtype: str = "float32") -> Work:
    """One epoch of `examples` through layers of these widths, inputs first, classes last.

    flops: a product with an (m, n) matrix costs 2 m n an example. Each layer has H W and H' dZ, and all but the first
    dZ W'. Bias, activation, softmax and update are left out. Memory: each example is read once, and each step reads
    and writes the weights; gradients and activations could stay in a cache.
    """
    itemsize, steps = np.dtype(dtype).itemsize, -(-examples // batch)
    sizes = [m * n for m, n in pairwise(layers)]
    weights = sum(sizes) + sum(layers[1:])
    weight_rows = weights * itemsize / WEIGHT_ROW_BYTES
    return Work(
        flops=examples * 2.0 * (3 * sum(sizes) - sizes[0]),
        streamed_bytes=float(examples * layers[0] * itemsize),
        row_moves=RowMoves(WEIGHT_ROW_BYTES, np.array([weight_rows]), np.array([weight_rows * steps])),
        calls=calls_per_step * steps,
        dataset_bytes=float(examples * layers[0] * itemsize),
        steps=steps,
        dtype=dtype,
    )


def calls_per_step(backend: str, layers: int, batch: int, examples: int) -> float:
    """Calls that a backend of that name can't do without: by how much of the work it compiles into one."""
    if backend in COMPILED_EPOCH:
        return batch / examples
    if backend in COMPILED_STEP:
        return 1.0
    products = 3 * layers - 1  # one by one
    return products * (batch if backend in ONCE else 1.0)


def of_cell(cell: Cell, facts: Mapping[str, Any]) -> Work | None:
    """Of an epoch. cell.shape: batch; hidden, the units of each hidden layer. cell.options: examples, if not all.

    None for a row whose products have a precision of their own: their ceiling is a library's, not the processor's.
    """
    if cell.backend in BACKENDS and BACKENDS[cell.backend].precision:
        return None
    layers = (PIXELS, *cell.shape["hidden"], CLASSES)
    examples = cell.options.get("examples", data.EPOCH)
    batch = min(cell.shape["batch"], examples)
    return mlp(layers, batch, examples, calls_per_step(cell.backend, len(layers) - 1, batch, examples), cell.dtype)
