"""What the views of `compare mnist` measure: the cells of each."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from compare.cell import REFERENCE, Cell
from compare.workloads import mnist, mnist_operations, mnist_parts
from mnist.backends import entry, unavailable

STEPS = 200
"""Taken apart in each run of the operations' view."""
WHOLE_STEPS = ("jax-scan", "cupy-graph", "native")
"""Rows whose epoch, divided by its steps, stands beside a step taken apart."""


@dataclass(frozen=True)
class Asked:
    """What the command line asks for."""

    batch_sizes: Sequence[int]
    backends: Sequence[str]
    networks: Sequence[tuple[int, ...]]
    dtype: str
    epochs: int
    threads: int
    options: Mapping[str, Any]
    files: Mapping[str, str]

    @property
    def shapes(self) -> list[dict[str, Any]]:
        return [
            {"hidden": list(units), "batch": batch}
            for units, batch in itertools.product(self.networks, self.batch_sizes)
        ]

    def cell(self, backend: str, shape: Mapping[str, Any]) -> Cell:
        """Whole epochs of a backend."""
        samples = 1 if backend in mnist.ONCE else self.epochs
        device = entry(backend).device
        return Cell("mnist", backend, device, shape, self.threads, self.dtype, samples, self.options, self.files)


def grid(asked: Asked) -> list[Cell]:
    """Every row at every shape, and the float64 reference of each. A row that can't run here says so once."""
    once = {name for name in asked.backends if name in mnist.ONCE or mnist.Trial.obstacle(asked.cell(name, {}))}
    cells = [
        asked.cell(backend, shape)
        for shape in asked.shapes
        for backend in asked.backends
        if backend not in once or shape["batch"] == asked.batch_sizes[0]
    ]
    shapes = [shape for shape in asked.shapes if any(cell.shape == shape for cell in cells)]
    return cells + [replace(asked.cell(REFERENCE, shape), dtype="float64") for shape in shapes]


def operations(asked: Asked) -> list[Cell]:
    """A step taken apart by every array library, and epochs of the rows that do it whole."""
    cells = []
    for shape in asked.shapes:
        for name in mnist_operations.Trial.backends:
            whole = asked.cell(mnist_operations.ROWS[name][1], shape)
            cells.append(replace(whole, workload="mnist-operations", backend=name, samples=STEPS))
        cells += [asked.cell(name, shape) for name in WHOLE_STEPS if not unavailable(name)]
    return cells


def overhead(asked: Asked) -> list[Cell]:
    """Every row at every shape, the same number of its steps with next to nothing to compute, and the parts alone.

    On a GPU the row once more, watched by CUPTI. Parts are measured where a row can run.
    """
    cells: list[Cell] = []
    for shape in asked.shapes:
        rows = [asked.cell(name, shape) for name in asked.backends if name not in mnist.ONCE]
        can_run = [row for row in rows if not mnist.Trial.obstacle(row)]
        cells += itertools.chain(*([row, empty_steps(row)] for row in rows))
        cells += [replace(row, workload="mnist-activity") for row in can_run if row.device == "gpu"]
        for device in dict.fromkeys(row.device for row in can_run):
            parts = replace(asked.cell("numpy", shape), workload="mnist-parts", device=device)
            cells += [replace(parts, backend=name) for name in mnist_parts.PARTS[device]]
    return cells


def empty_steps(cell: Cell) -> Cell:
    """As many steps as an epoch of `cell` has, of one example and one unit a layer: what remains is overhead."""
    shape = {"hidden": [1] * len(cell.shape["hidden"]), "batch": 1}
    return replace(cell, shape=shape, options={**cell.options, "examples": mnist.steps(cell.shape["batch"])})
