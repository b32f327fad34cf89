"""A row of shapes, alike but for one axis, and every backend's cell at each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from compare import gates
from compare.cell import REFERENCE, Cell
from compare.datasets import Text, synthetic
from compare.judge import losses_apart
from compare.plan import Plan
from compare.results import Results
from compare.view import View
from compare.work import mnist, w2v
from compare.work.quantities import Work
from compare.workloads.w2v import SYNTHETIC, device_of
from mnist.backends import entry
from w2v.params import Params

AXES: Mapping[str, Mapping[str, Sequence[int]]] = {
    "mnist": {"batch": (8, 32, 128, 512, 2048), "hidden": (16, 64, 256, 1024), "depth": (1, 2, 4, 8)},
    "w2v": {
        "dim": (25, 50, 100, 200, 400),
        "negative": (2, 5, 10, 20),
        "vocabulary": (1_000, 10_000, 100_000),
        "workers": (1, 2, 4, 8, 16, 32, 64, 128),
    },
}
"""By workload: what can be swept, and over what unless told otherwise."""
OPTIONS = {"vocabulary": "types"}
"""What axes are called in a cell's options, where by another name."""
LEARNING_RATE = 0.1
GPU = "a GPU"
"""No backend: a way that launches the kernels it can't do without, and reaches the device's ceilings."""


@dataclass(frozen=True)
class Sweep:
    """`cell(backend, value)` is what is measured at one of `values`."""

    axis: str
    values: Sequence[int]
    backends: Sequence[str]
    cell: Callable[[str, int], Cell]
    references: bool = False
    """Whether a reference is measured too, which rows must agree with to win."""

    @property
    def workload(self) -> str:
        return self.cell(self.backends[0], self.values[0]).workload

    @property
    def alike(self) -> dict[str, int]:
        """What all cells have in common, by the name of its option."""
        cell = self.cell(self.backends[0], self.values[0])
        common = {axis: place(cell, axis) for axis in AXES[cell.workload] if axis != self.axis}
        return common | ({"threads": cell.threads} if cell.workload == "mnist" else {"tokens": cell.options["words"]})

    def plan(self, rounds: int, seed: int) -> Plan:
        rows = [*self.backends, *([REFERENCE] if self.references else [])]
        cells = [self.cell(backend, value) for value in self.values for backend in rows]
        return Plan(cells, rounds, seed, View("crossover", self.axis))

    def remarks(self, results: Results) -> dict[str, str]:
        """What is to be known of cells that nothing is held against, by key: without a reference, losses far apart."""
        if self.references:
            return {}
        return {key: why for value in self.values for key, why in losses_apart(results, self.cells(value)).items()}

    def cells(self, value: int) -> list[Cell]:
        """Of all backends, at one value."""
        return [self.cell(backend, value) for backend in self.backends]

    def seconds(self, results: Results) -> dict[int, dict[str, dict[int, float]]]:
        """Of a steady sample, by value, backend and round; only of rows that may win."""
        barred = gates.barred(results)
        return {
            value: {
                backend: series
                for backend in self.backends
                if (cell := self.cell(backend, value)).key not in barred and (series := results.sample_seconds(cell))
            }
            for value in self.values
        }

    def work(self, backend: str, value: int) -> Work | None:
        """What the model says of any shape along the axis, measured or not."""
        cell = placed(self.cell(backend, self.values[0]), self.axis, value)
        if cell.workload == "mnist":
            return mnist.of_cell(cell, {})
        return w2v.of_vocabulary(cell, w2v.zipf(cell.options["types"], cell.options["words"]))

    def threads(self, value: int) -> int:
        return self.cell(self.backends[0], value).threads


def of_mnist(
    axis: str,
    values: Sequence[int],
    backends: Sequence[str],
    shape: Mapping[str, int],
    threads: int,
    epochs: int,
    dataset: Mapping[str, Any],
    files: Mapping[str, str],
) -> Sweep:
    """shape: batch, hidden and depth of all cells, whichever of them is swept. A sample is an epoch.

    dataset: the options that say which it is.
    """

    def cell(backend: str, value: int) -> Cell:
        at = {**shape, axis: value}
        options = {**dataset, "learning_rate": LEARNING_RATE}
        dtype = "float64" if backend == REFERENCE else "float32"
        dimensions = {"hidden": [at["hidden"]] * at["depth"], "batch": at["batch"]}
        device = "gpu" if backend == GPU else entry(backend).device
        return Cell("mnist", backend, device, dimensions, threads, dtype, epochs, options, files)

    return Sweep(axis, values, backends, cell, references=True)


def of_w2v(
    axis: str, values: Sequence[int], backends: Sequence[str], shape: Mapping[str, int], tokens: int, folder: Path
) -> Sweep:
    """shape: dim, negative, vocabulary and workers, likewise. Texts are made up, and lie in `folder`.

    Raises
    ------
    ValueError
        If a vocabulary has more words than the text has tokens, or a hyper-parameter can't be.
    """
    vocabularies = values if axis == "vocabulary" else [shape["vocabulary"]]
    for value in values:
        at = {**shape, axis: value}
        Params(sg=1, vector_size=at["dim"], negative=at["negative"], workers=at["workers"])  # or ValueError
    texts = {types: synthetic(types, tokens, folder / f"{types}.txt") for types in vocabularies}
    fixed = {"epochs": 1, "window": 5, "sample": 1e-3, "min_count": 1}

    def cell(backend: str, value: int) -> Cell:
        at = {**shape, axis: value}
        text: Text = texts[at["vocabulary"]]
        content = {"text": SYNTHETIC, "words": text.words, "types": text.types, "sha256": text.sha256}
        dimensions = {"dim": at["dim"]} | ({} if axis in ("dim", "workers") else {axis: value})
        return Cell(
            "w2v",
            backend,
            device_of(backend),
            dimensions,
            threads=at["workers"],
            options={**content, **fixed, "negative": at["negative"]},
            files={"source": str(text.path), "corpus": str(text.path)},
        )

    return Sweep(axis, values, backends, cell)


def of_results(results: Results) -> Sweep:
    """The sweep that `results` hold, along the axis of their view."""
    axis = results.plan.view.axis
    planned = {(cell.backend, place(cell, axis)): cell for cell in results.plan.cells}
    names = list(dict.fromkeys(cell.backend for cell in results.plan.cells))
    return Sweep(
        axis,
        sorted({value for _, value in planned}),
        [name for name in names if name != REFERENCE],
        lambda backend, value: planned[backend, value],
        REFERENCE in names,
    )


def place(cell: Cell, axis: str) -> int:
    """Where a cell lies along one of AXES."""
    if axis == "workers":
        return cell.threads
    if axis in ("depth", "hidden"):
        hidden = cell.shape["hidden"]
        return len(hidden) if axis == "depth" else int(hidden[0])
    name = OPTIONS.get(axis, axis)
    return int({**cell.options, **cell.shape}[name])


def placed(cell: Cell, axis: str, value: int) -> Cell:
    """The same cell elsewhere along the axis."""
    if axis == "workers":
        return replace(cell, threads=value)
    if axis in ("depth", "hidden"):
        hidden = cell.shape["hidden"]
        moved = hidden[:1] * value if axis == "depth" else [value] * len(hidden)
        return replace(cell, shape={**cell.shape, "hidden": moved})
    name = OPTIONS.get(axis, axis)
    options = {**cell.options, name: value} if name in cell.options else cell.options
    return replace(cell, shape={**cell.shape, axis: value}, options=options)


def axis_value(cell: Cell, axis: str) -> int | None:
    """A number, or a list of one; None for anything else, which is no place on an axis."""
    value = cell.shape.get(axis)
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    return value if isinstance(value, int) and value > 0 else None
