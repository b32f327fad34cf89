"""The part of `compare mnist --overhead` about GPUs: launches, transfers, how busy the device was, calls of CUDA."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rich.console import Console

from compare.cell import Cell
from compare.profile import UNMEASURED, Profile
from compare.report.mnist_rows import network
from compare.report.terminal import figure, table
from compare.results import Results
from compare.statistics import median
from compare.workloads.mnist import flops, steps
from mnist import device

CALLS = 8
"""Functions of CUDA that are told of each row, those with most time first."""


def show(console: Console, results: Results) -> None:
    """Print a line for each row on a GPU, and its calls of CUDA; without such rows, why there are none."""
    cells = [cell for cell in results.plan.cells if cell.workload == "mnist-activity"]
    if not cells:
        reason = device.unavailable() or "no row on a GPU was measured"
        what = "GPU: launches, transfers, how busy it was and CUDA's calls"
        console.print(f"{what} skipped:\n  {reason}\n", markup=False)
        return
    known = results.profile
    headings = "kernels\na step", "launches\na step", "launch-\ning ms", "a kernel\nran", "copies\nms", "of\nsgemm"
    grid = table("GPU: an epoch", "", *headings)
    for cell in cells:
        grid.add_row(name_of(cell), *line(results, cell, known))
    console.print(grid)
    console.print(
        "\nlaunching    launches, or kernels of graphs, times what one costs on a stream, or\n"
        "             in a graph, as `compare machine` measured it\n"
        "a kernel ran share of the epoch; copies: between host and device\n"
        "of sgemm     share of what the device does at most in matrix products\n"
        f"ceilings     {known.origin if known else UNMEASURED}\n",
        markup=False,
    )
    for cell in cells:
        if activity := activity_of(results, cell):
            console.print(calls_table(f"CUDA in an epoch of {name_of(cell)}", activity["calls"]))


def line(results: Results, cell: Cell, known: Profile | None) -> list[str]:
    """The figures of a row; `-` where something was not measured."""
    whole = results.sample_seconds(replace(cell, workload="mnist"))  # the same unwatched
    epoch = median(list(whole.values())) if whole else None
    activity, count = activity_of(results, cell), steps(cell.shape["batch"])
    peak = known.value("sgemm", "gpu", dtype="float32") if known else None
    share = flops(cell.shape["hidden"]) / epoch / peak if epoch and peak else None
    of_sgemm = figure(share and 100 * share, ".2g") + ("%" if share else "")
    if activity is None:
        return ["-"] * 5 + [of_sgemm]
    launches = {name: calls for name, (calls, _) in activity["calls"].items() if "Launch" in name}
    graphs = any("Graph" in name for name in launches)
    times = activity["kernels"] if graphs else sum(launches.values())
    cost = known.value("launch", "gpu", mode="graph" if graphs else "stream") if known else None
    busy = activity["kernel_seconds"] / epoch if epoch else None
    return [
        f"{activity['kernels'] / count:.1f}",
        f"{sum(launches.values()) / count:.1f}",
        figure(cost and 1e3 * times * cost, ".1f"),
        figure(busy and 100 * busy, ".0f") + ("%" if busy else ""),
        f"{1e3 * activity['copy_seconds']:.1f}",
        of_sgemm,
    ]


def activity_of(results: Results, cell: Cell) -> Mapping[str, Any] | None:
    """Of the first run that was recorded."""
    outcome = next(iter(results.ok(cell).values()), None)
    return outcome.facts["activity"] if outcome else None


def calls_table(title: str, calls: Mapping[str, tuple[int, float]]) -> Any:
    grid = table(title, "", "calls", "total ms", "mean µs")
    for name, (count, seconds) in sorted(calls.items(), key=lambda item: -item[1][1])[:CALLS]:
        grid.add_row(name, f"{count:,}", f"{seconds * 1e3:.2f}", f"{seconds / count * 1e6:.2f}")
    return grid


def name_of(cell: Cell) -> str:
    return f"{cell.backend}, {network(cell.shape['hidden'])}, {cell.shape['batch']}"
