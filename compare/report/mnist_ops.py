"""The table of `compare mnist --ops`: one step taken apart, the sum of its parts beside the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from compare.cell import Cell
from compare.report.mnist import introduce
from compare.report.mnist_rows import Shape, network, places
from compare.report.terminal import conclude, enumeration, output, table, times, troubles
from compare.results import Results
from compare.statistics import median
from compare.workloads.mnist import steps
from compare.workloads.mnist_operations import COMPILED, PRODUCT, TOGETHER

SUM = "sum of the operations"
WORKLOAD = "mnist-operations"


def show(results: Results) -> None:
    """Print a table for each shape, what went wrong, and what the parts cost beyond the whole as the last line."""
    console = output()
    introduce(console, results)
    taken_apart = [cell for cell in results.plan.cells if cell.workload == WORKLOAD]
    gaps: dict[Shape, dict[str, float]] = {}
    for shape in unique([cell.shape for cell in taken_apart]):
        columns = {
            cell.backend: microseconds(results, cell)
            for cell in taken_apart
            if cell.shape == shape and results.ok(cell)
        }
        fused = {
            cell.backend: median(seconds) / steps(shape["batch"]) * 1e6
            for cell in results.plan.cells
            if cell.workload == "mnist"
            and cell.shape == shape
            and (seconds := list(results.sample_seconds(cell).values()))
        }
        console.print(f"[bold]{network(shape['hidden'])}, batch {shape['batch']:,}: µs of one step[/bold]")
        console.print(grid(columns))
        if fused:
            whole = ", ".join(f"{name} {value:,.0f}" for name, value in fused.items())
            console.print(f"\nIn an epoch, fetching the batch included: {whole}")
        if found := {name: column[SUM] / column[COMPILED] for name, column in columns.items() if COMPILED in column}:
            gaps[tuple(shape["hidden"]), shape["batch"]] = found
    console.print(
        "\nEach operation is called and waited for by itself. Medians of "
        f"{results.repeats} x {taken_apart[0].samples} steps.\n"
        "compiled   by jax.jit, or tf.function with XLA\n"
        "an epoch   of rows of compare mnist that do a step whole, divided by its steps\n"
    )
    for line in troubles(results):
        console.print(line, style="bold", markup=False)
    conclude(console, results, verdict(gaps))


def verdict(gaps: Mapping[Shape, Mapping[str, float]]) -> str:
    """By shape and library, how many times as long the operations take one by one; a shape alone is not named."""
    if not gaps:
        return "nothing was compiled to compare with."
    told = {
        shape: enumeration([f"{times(ratio)} times as long in {name}" for name, ratio in found.items()])
        for shape, found in gaps.items()
    }
    clauses = told.values() if len(told) == 1 else [f"at {places(gaps, [at])} {words}" for at, words in told.items()]
    return f"against one compiled call, the operations of a step one by one take {'; '.join(clauses)}."


def microseconds(results: Results, cell: Cell) -> dict[str, float]:
    """Medians over rounds by operation, in order, and their sum before the wholes."""
    found = [outcome.facts["microseconds"] for outcome in results.ok(cell).values()]
    medians = {name: median([each[name] for each in found]) for name in found[0]}
    wholes = {name: medians.pop(name) for name in (TOGETHER, COMPILED, PRODUCT) if name in medians}
    return {**medians, SUM: sum(medians.values()), **wholes}


def grid(columns: Mapping[str, Mapping[str, float]]) -> Table:
    """A line an operation, a column a library."""
    wholes = (SUM, TOGETHER, COMPILED, PRODUCT)
    operations = unique([name for column in columns.values() for name in column if name not in wholes])
    made = table("", "", *(name.replace("tensorflow", "tensor-\nflow") for name in columns))
    for name in [*operations, *wholes]:
        if name in (SUM, PRODUCT):
            made.add_section()
        made.add_row(name, *(f"{column[name]:,.0f}" if name in column else "-" for column in columns.values()))
    return made


def unique(items: Sequence[Any]) -> list[Any]:
    """Each once, in order; equality is enough."""
    return [item for index, item in enumerate(items) if item not in items[:index]]
