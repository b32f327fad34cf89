"""What rows and columns are called on the page: by what tells them apart, and no more."""

from __future__ import annotations

from collections.abc import Sequence

from compare.cell import Cell


class Naming:
    """Names of cells among `cells`, no two alike: workload, shapes and threads are named where they vary; shapes and
    threads too where nothing does; options where nothing else tells cells apart."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        axes = dict.fromkeys(axis for cell in cells for axis in [*cell.shape_texts, "threads"])
        if len({cell.workload for cell in cells}) > 1:
            axes = {"workload": None, **axes}
        varying = [axis for axis in axes if len({self._text(cell, axis) for cell in cells}) > 1]
        self._axes = varying or list(axes)
        self.common = ", ".join(f"{axis} {self._text(cells[0], axis)}" for axis in axes if axis not in self._axes)
        """What all cells have in common."""
        if len(set(map(self.full, cells))) < len(cells):
            options = dict.fromkeys(option for cell in cells for option in cell.options)
            self._axes += [name for name in options if len({self._text(cell, name) for cell in cells}) > 1]

    def row(self, cell: Cell) -> str:
        return cell.backend if cell.dtype == "float32" else f"{cell.backend} {cell.dtype}"

    def column(self, cell: Cell, without: str = "") -> str:
        """`batch 32, threads 2`."""
        texts = {axis: self._text(cell, axis) for axis in self._axes if axis != without}
        return ", ".join(f"{axis} {text}" for axis, text in texts.items() if text)

    def full(self, cell: Cell) -> str:
        return ", ".join(filter(None, [self.row(cell), self.column(cell)]))

    @staticmethod
    def _text(cell: Cell, axis: str) -> str:
        if axis in ("workload", "threads"):
            return str(getattr(cell, axis))
        return cell.shape_texts.get(axis, str(cell.options.get(axis, "")))
