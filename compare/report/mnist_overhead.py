"""The table of `compare mnist --overhead`: where an epoch goes, each part measured by itself."""

from __future__ import annotations

from collections.abc import Mapping

from compare.cell import Cell
from compare.mnist_plans import empty_steps
from compare.report import mnist_device
from compare.report.mnist import introduce
from compare.report.mnist_ops import unique
from compare.report.mnist_rows import Shape, network, places, shape_of
from compare.report.terminal import conclude, enumeration, output, table, troubles
from compare.results import Results
from compare.statistics import median
from compare.workloads.mnist import steps
from compare.workloads.mnist_parts import PARTS


def show(results: Results) -> None:
    """Print a table for each shape, the legend, what went wrong, and who spends most on arithmetic as the last line."""
    console = output()
    introduce(console, results)
    alone = [cell for cell in results.plan.cells if cell.workload == "mnist-parts"]
    shares: dict[tuple[str, Shape], float] = {}
    for shape in unique([cell.shape for cell in alone]):
        parts = {cell.backend: seconds(results, cell) for cell in alone if cell.shape == shape}
        batch = shape["batch"]
        grid = table("", "", "epoch", "arith-\nmetic", "fetch-\ning", "frame-\nwork", "the\nrest", "arith-\nmetic")
        for cell in results.plan.cells:
            if cell.workload == "mnist" and cell.shape == shape and "examples" not in cell.options:
                epoch, framework = seconds(results, cell), seconds(results, empty_steps(cell))
                products, fetching = (parts.get(name) for name in PARTS[cell.device])
                if epoch is None or framework is None or products is None or fetching is None:
                    continue
                columns = [epoch, products, fetching, framework, epoch - products - fetching - framework]
                grid.add_row(cell.backend, *(f"{value * 1e3:,.1f}" for value in columns), f"{products / epoch:.0%}")
                shares[cell.backend, shape_of(cell)] = products / epoch
        if grid.row_count:
            name = f"{network(shape['hidden'])}, batch {batch:,}"
            console.print(f"[bold]{name}: ms of an epoch of {steps(batch):,} steps[/bold]")
            console.print(grid)
    console.print(
        "\narithmetic  the matrix products of every step alone, by OpenBLAS (on a GPU by\n"
        "            cuBLAS), into buffers that are kept; last, their share of the epoch\n"
        "            (100% and more: the row's own products are faster)\n"
        "fetching    copying the epoch's batches together, alone\n"
        "framework   as many steps of the row itself, of one example and one unit a layer\n"
        "the rest    passes over activations and weights, temporaries, slower products;\n"
        "            less than nothing where parts overlap or are done faster\n"
    )
    mnist_device.show(console, results)
    for line in troubles(results):
        console.print(line, style="bold", markup=False)
    conclude(console, results, verdict(shares))


def verdict(shares: Mapping[tuple[str, Shape], float]) -> str:
    """Who spends least on arithmetic, and who most, of the rows by name and shape."""
    if not shares:
        return "nothing finished that could be taken apart."
    least, most = min(shares, key=lambda row: shares[row]), max(shares, key=lambda row: shares[row])
    every = [shape for _, shape in shares]
    told = [
        f"{shares[name, shape]:.0%} of an epoch of {name} at {places(every, [shape])}"
        for name, shape in dict.fromkeys((least, most))
    ]
    return f"arithmetic is {enumeration(told)}."


def seconds(results: Results, cell: Cell) -> float | None:
    found = results.sample_seconds(cell)
    return median(list(found.values())) if found else None
