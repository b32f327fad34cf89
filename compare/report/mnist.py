"""The grid of `compare mnist`: seconds an epoch, a row for each backend and a column for each batch size."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rich.console import Console

from compare.agreement import ACCURACY_TOLERANCE, STEP_TOLERANCE, reference
from compare.cell import REFERENCE, Cell
from compare.contest import times_as_fast
from compare.report.mnist_rows import Row, Shape, network, objections, places, rows_by_shape
from compare.report.terminal import colds, conclude, interval, machine_line, output, table, times, troubles
from compare.report.verdicts import judgements, sentence
from compare.results import Results
from compare.statistics import CONFIDENCE, median
from compare.workloads.mnist import CHECKED_STEPS, ONCE, steps
from mnist.backends import BACKENDS
from mnist.data import EPOCH
from w2v.wording import counted

__all__ = ["Row", "contestants", "figure", "introduce", "leaders", "legend", "seconds", "show", "tell"]
HEADLINE = "keras-cpu"
"""What the fastest row is set beside, at its smallest batch size."""


def show(results: Results) -> None:
    """Print a grid for each network, the legend, what went wrong, and the verdict as the last line."""
    console = output()
    introduce(console, results)
    groups = rows_by_shape(results)
    for hidden in dict.fromkeys(tuple(cell.shape["hidden"]) for cell in results.plan.cells):
        print_grid(
            console, results, hidden, {batch: rows for (units, batch), rows in groups.items() if units == hidden}
        )
    console.print(legend(results))
    tell(console, results, groups)


def introduce(console: Console, results: Results) -> None:
    """On what machine, which data, and how it was trained."""
    cell = contestants(results)[0]
    console.print(
        machine_line(results.machine, "numpy", "numba", "jax", "keras", "tensorflow", "tensorflow-cpu", "torch")
    )
    console.print(f"Data: {cell.options['dataset']}")
    console.print(
        f"ReLU, softmax, SGD {cell.options['learning_rate']:g}, {cell.dtype}, epochs of {EPOCH:,} examples, "
        f"threads: {cell.threads}\n"
    )


def print_grid(
    console: Console, results: Results, hidden: tuple[int, ...], groups: Mapping[int, Sequence[Row]]
) -> None:
    cells = [cell for cell in contestants(results) if tuple(cell.shape["hidden"]) == hidden]
    batches = list(dict.fromkeys(cell.shape["batch"] for cell in cells))
    console.print(f"[bold]{network(hidden)}: seconds an epoch, by batch size[/bold]")
    grid = table("", "", *(f"{batch:,}" for batch in batches))
    grid.add_row("steps an epoch", *(f"{steps(batch):,}" for batch in batches), end_section=True)
    rows = {(row.name, batch): row for batch, group in groups.items() for row in group}
    fastest = leaders(results)
    ends = {(cell.backend, cell.shape["batch"]): results.ending(cell) for cell in cells if not results.skipped(cell)}
    for name in dict.fromkeys(name for name, _ in ends):
        mine = {batch: rows.get((name, batch)) for batch in batches}
        told = [figure(row, fastest) if row else ends.get((name, at), "-") for at, row in mine.items()]
        grid.add_row(name, *told)
    grid.add_section()
    grid.add_row("test accuracy", *(accuracy(results, groups.get(batch, [])) for batch in batches))
    console.print(grid)


def leaders(results: Results) -> set[str]:
    """The keys of the fastest rows of those that may win."""
    return {judgement.best.key for judgement in judgements(results).values() if judgement.best}


def figure(row: Row, leaders: Collection[str]) -> str:
    """Its epoch, marked where it can't win, and where it leads."""
    epoch = seconds(row.epoch)
    if not row.may_win:
        return f"{epoch}!"
    return f"[bold]{epoch}*[/bold]" if row.cell.key in leaders else epoch


def seconds(value: float) -> str:
    """Or milliseconds: 0.123, 12.3, 1,234."""
    return f"{value:.3f}" if value < 10 else times(value)


def accuracy(results: Results, rows: Sequence[Row]) -> str:
    """The reference's, which rows that may win share; without one, the rows' own."""
    expected = reference(results, rows[0].cell) if rows else {}
    learnt = expected.values() or [each for row in rows for each in row.outcomes.values()]
    values = [value for each in learnt if (value := each.quality["accuracy"])]
    return f"{median(values):.1%}" if values else "-"


def legend(results: Results) -> str:
    """What the figures are, and what makes a winner."""
    epochs = max(cell.samples for cell in results.plan.cells)
    rows = {cell.backend: cell.dtype for cell in contestants(results) if not results.skipped(cell)}
    rough = [
        f",\n          or products are not in {dtype}: {name}'s are in {BACKENDS[name].precision}"
        for name, dtype in rows.items()
        if name in BACKENDS and BACKENDS[name].precision
    ]
    points, trained = 100 * ACCURACY_TOLERANCE, counted(epochs, "epoch")
    return (
        f"\nseconds   median of {results.repeats} x {trained}, repeats in fresh processes; compiling left out\n"
        "down      rows shed overhead: of a framework, an operation, a step; along: steps\n"
        f"!         can't win: a loss among the first {CHECKED_STEPS} steps is {STEP_TOLERANCE:.0%} off float64's, or\n"
        f"          the accuracy after {trained} {points:.1f} points, or too many threads were busy"
        + "".join(rough)
        + f"\n*         the fastest; it wins if it is so round by round, by {CONFIDENCE:.0%} intervals\n"
        "accuracy  on 10,000 images, float64's if there is one; fewer steps learn less,\n"
        "          so compare at one batch size. A smaller last batch is trained too\n"
        + "".join(
            f"{name}: one epoch at one batch size alone; it takes as long at any other\n"
            for name in ONCE
            if name in rows
        )
    )


def tell(console: Console, results: Results, groups: Mapping[Shape, Sequence[Row]]) -> None:
    """Cold starts, what went wrong, who can't win, the whole way from the slowest to the fastest, and the verdict."""
    for shape, rows in list(groups.items())[:1]:
        cold = colds({row.name: row.outcomes.values() for row in rows})
        console.print(f"{cold} (at {places(groups, [shape])})\n", markup=False)
    for line in [*troubles(results), *objections(groups), *headline(results, groups)]:
        console.print(line, style="bold", markup=False)
    conclude(console, results, sentence(results))


def headline(results: Results, groups: Mapping[Shape, Sequence[Row]]) -> list[str]:
    """From Keras at its smallest batch to the fastest row of the same network at its best, and what each learnt."""
    lines = []
    for hidden in dict.fromkeys(hidden for hidden, _ in groups):
        rows = [row for (units, _), group in groups.items() if units == hidden for row in group if row.may_win]
        keras = [row for row in rows if row.name == HEADLINE]
        if not keras:
            continue
        slow, fast = min(keras, key=lambda row: row.batch), min(rows, key=lambda row: row.epoch)
        ratio = times_as_fast(results, fast.cell, slow.cell)
        if fast is slow or ratio is None or ratio.low is None:  # without an interval it would say nothing
            continue
        ways = " to ".join(f"{row.name} at batch {row.batch}" for row in (slow, fast))
        fewer = "; fewer steps learn less" if fast.batch > slow.batch else ""
        learnt = " and ".join(f"{row.quality('accuracy'):.1%}" for row in (slow, fast))
        lines.append(
            f"{network(hidden)}: from {ways}, an epoch is {interval(ratio)} times as fast{fewer}: accuracy {learnt}"
        )
    return lines


def contestants(results: Results) -> list[Cell]:
    return [cell for cell in results.plan.cells if cell.backend != REFERENCE]
