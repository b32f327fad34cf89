"""The long table of `compare mnist --details`: everything that is known of each row, batch size by batch size."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rich.table import Table

from compare.report import ceilings
from compare.report.mnist import contestants, introduce, leaders, legend, seconds, tell
from compare.report.mnist import figure as mark
from compare.report.mnist_rows import Row, Shape, network, rows_by_shape, shape_of
from compare.report.terminal import figure, output, table, times
from compare.results import Results
from compare.statistics import spread
from compare.workloads.mnist import flops, steps
from mnist.model import flops_per_example

HEADINGS = (
    "epoch\ns",
    "±",
    "com-\npile s",
    "ms/\nstep",
    "GFLOP\n/s",
    "busy\ncores",
    "loss",
    "test\nacc.",
    "speed\nup",
)


def show(results: Results) -> None:
    """Print the table, its legend, what went wrong, and the verdict as the last line."""
    console = output()
    introduce(console, results)
    groups, shares = rows_by_shape(results), ceilings.shares(results)
    shapes = list(dict.fromkeys(map(shape_of, contestants(results))))
    networks = list(dict.fromkeys(hidden for hidden, _ in shapes))
    fastest = leaders(results)
    for hidden in networks:
        console.print(f"[bold]{network(hidden)}[/bold]")
        grid = table("", "", *HEADINGS)
        for shape in shapes:
            units, batch = shape
            if units == hidden:
                grid.add_row(f"[bold]batch {batch:,}[/bold]")
                rows = groups.get(shape, [])
                for row in rows:
                    grid.add_row(*figures(row, rows[0], fastest))
                for name, ending in unmeasured(results, shape).items():
                    grid.add_row(f"  {name}", ending)
        console.print(grid)
        if shares and shares.found:
            console.print(f"\nShare of the ceiling ({shares.legend})", markup=False)
            console.print(of_ceilings(hidden, groups, shares))
        console.print()
    if not (shares and shares.found):
        console.print(f"{ceilings.without(shares)}\n", markup=False)
    work = "".join(
        f"\n          {network(each)}: {flops_per_example(each) / 1e3:,.0f} kFLOP an example" for each in networks
    )
    console.print(
        "±         half the range of all epochs\n"
        "compile   what a first epoch, thrown away, takes beyond the others\n"
        f"GFLOP/s   of the matrix products{work}\n"
        "cores     CPU time over wall time; more than the threads allowed bars a row\n"
        "loss      mean of the last epoch\n"
        "speed-up  over the first row",
        end="",
    )
    console.print(legend(results))
    tell(console, results, groups)


def of_ceilings(hidden: tuple[int, ...], groups: Mapping[Shape, Sequence[Row]], shares: ceilings.Shares) -> Table:
    """A row each backend, a column each batch size."""
    told = {
        (row.name, batch): shares.text(row.cell)
        for (units, batch), rows in groups.items()
        if units == hidden
        for row in rows
    }
    batches = list(dict.fromkeys(batch for _, batch in told))
    grid = table("", "", *(f"{batch:,}" for batch in batches))
    for name in dict.fromkeys(name for name, _ in told):
        grid.add_row(name, *(told.get((name, batch), "-") for batch in batches))
    return grid


def unmeasured(results: Results, shape: Shape) -> dict[str, str]:
    """How the rows of a shape ended that could run here and have no figures."""
    return {
        cell.backend: results.ending(cell)
        for cell in contestants(results)
        if shape_of(cell) == shape and not results.ok(cell) and not results.skipped(cell)
    }


def figures(row: Row, yardstick: Row, leaders: Collection[str]) -> list[str]:
    """One line of the table."""
    deviation = spread(row.samples)
    return [
        f"  {row.name}",
        mark(row, leaders),
        "-" if deviation is None else f"{deviation:.0%}",
        times(row.compile),
        seconds(row.epoch / steps(row.batch) * 1e3),
        times(flops(row.cell.shape["hidden"]) / row.epoch / 1e9),
        figure(row.cores, ".1f"),
        f"{row.quality('loss'):.3f}",
        f"{row.quality('accuracy'):.1%}",
        times(yardstick.epoch / row.epoch),
    ]
