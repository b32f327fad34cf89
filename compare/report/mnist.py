"""The table of `compare mnist`, what its columns mean, and its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compare.cell import Cell, Outcome, Status
from compare.report.terminal import conclude, enumeration, machine_line, output, table, times
from compare.results import Results
from compare.statistics import CONFIDENCE, fastest, median, spread
from compare.workloads.mnist import ONCE, REFERENCE, flops, steps
from mnist.data import EPOCH

TOLERANCE = 0.01
"""Of the mean loss of an epoch. float32 alone makes 0.1 % at batch 32: now and then a ReLU's input rounds to
the other side of zero, which moves a weight by far more than rounding does."""


@dataclass(frozen=True)
class Row:
    """A backend's ok runs at one batch size, by round, beside those of the float64 reference."""

    cell: Cell
    outcomes: dict[int, Outcome]
    reference: dict[int, Outcome]

    @property
    def name(self) -> str:
        return self.cell.backend

    @property
    def batch(self) -> int:
        return int(self.cell.shape["batch"])

    @property
    def samples(self) -> list[float]:
        """Seconds of every epoch, of all rounds."""
        return [seconds for outcome in self.outcomes.values() for seconds in outcome.samples]

    @property
    def epoch(self) -> float:
        return median(self.samples)

    @property
    def speed(self) -> dict[int, float]:
        """Epochs a second, by round: the epochs of one process share its fortune, so they count as one figure."""
        return {round: 1 / median(outcome.samples) for round, outcome in self.outcomes.items()}

    @property
    def compile(self) -> float:
        """Seconds that the first epoch takes beyond the median of the later ones."""
        return max(0.0, median([outcome.phases["compile"] for outcome in self.outcomes.values()]) - self.epoch)

    def quality(self, name: str) -> float:
        return median([value for each in self.outcomes.values() if (value := each.quality[name]) is not None])

    @property
    def disagreement(self) -> float | None:
        """The largest relative difference of an epoch's loss from the reference's; None if there is none."""
        differences = [
            abs(ours / expected - 1)
            for round in self.outcomes.keys() & self.reference.keys()
            for ours, expected in zip(
                self.outcomes[round].facts["losses"], self.reference[round].facts["losses"], strict=False
            )
        ]
        return max(differences, default=None)

    @property
    def may_win(self) -> bool:
        return self.disagreement is not None and self.disagreement <= TOLERANCE


def show(results: Results) -> None:
    """Print the table, its legend, what went wrong, and the verdict as the last line."""
    console = output()
    groups = rows_by_batch(results)
    cell = results.plan.cells[-1]
    console.print(machine_line(results.machine, "numpy", "jax", "keras", "tensorflow", "tensorflow-cpu"))
    console.print(f"Data: {cell.options['dataset']}")
    console.print(
        f"784-{'-'.join(map(str, cell.shape['hidden']))}-10, ReLU, softmax, SGD {cell.options['learning_rate']:g}, float32, "
        f"{cell.samples} epochs of {EPOCH:,} examples, threads: {cell.threads}\n"
    )
    first = results.plan.cells[0].backend
    headings = (
        "epoch\ns",
        "±",
        "compile\ns",
        "µs/\nstep",
        "GFLOP\n/s",
        "loss",
        "test\nacc.",
        "speed-\nup",
    )
    grid = table("", "", *headings)
    for batch, rows in groups.items():
        grid.add_row(f"[bold]batch {batch}: {steps(batch):,} steps[/bold]")
        yardstick = next((row for row in rows if row.name == first), None)
        for row in rows:
            grid.add_row(*figures(row, yardstick))
    console.print(grid)
    console.print(legend(results))
    for line in [*troubles(results), *disagreements(groups)]:
        console.print(line, style="bold", markup=False)
    conclude(console, results, f"{verdict(groups, results.plan.rounds)}.")


def rows_by_batch(results: Results) -> dict[int, list[Row]]:
    """The rows that have figures, in the order of the plan."""
    references = {cell.shape["batch"]: results.ok(cell) for cell in results.plan.cells if cell.backend == REFERENCE}
    groups: dict[int, list[Row]] = {batch: [] for batch in references}
    for cell in results.plan.cells:
        if cell.backend != REFERENCE and (outcomes := results.ok(cell)):
            batch = cell.shape["batch"]
            groups[batch].append(Row(cell, outcomes, references[batch]))
    return {batch: rows for batch, rows in groups.items() if rows}


def figures(row: Row, yardstick: Row | None) -> list[str]:
    """One line of the table."""
    deviation = spread(row.samples)
    return [
        f"  {row.name}",
        f"{row.epoch:.3f}" if row.epoch < 10 else times(row.epoch),
        "-" if deviation is None else f"{deviation:.0%}",
        times(row.compile),
        f"{row.epoch / steps(row.batch) * 1e6:,.0f}",
        times(flops(row.cell.shape["hidden"]) / row.epoch / 1e9),
        f"{row.quality('loss'):.3f}" + ("" if row.may_win else "!"),
        f"{row.quality('accuracy'):.1%}",
        "1" if row is yardstick else times(yardstick.epoch / row.epoch) if yardstick else "-",
    ]


def legend(results: Results) -> str:
    """What the columns mean."""
    cell, repeats = results.plan.cells[-1], results.plan.rounds
    work = flops(cell.shape["hidden"]) / EPOCH / 1e3
    once = [name for name in ONCE if any(each.backend == name for each in results.plan.cells)]
    return (
        f"\nepoch    median of {repeats} x {cell.samples}, repeats in fresh processes; ± half their range\n"
        "compile  what a first epoch, thrown away, takes beyond that\n"
        "steps    the last step of an epoch trains on the examples that are left\n"
        f"GFLOP/s  {work:,.0f} kFLOP an example, those of the five matrix products\n"
        f"loss     mean of the last epoch; ! and can't win where an epoch's mean is not\n"
        f"         within {TOLERANCE:.0%} of the same training's in float64\n"
        f"test     accuracy on 10,000 images after {cell.samples} epochs; fewer steps learn less, so\n"
        "         compare speeds at one batch size\n"
        f"speed-up over {results.plan.cells[0].backend} at the same batch size\n"
        f"winner   faster than every other row, round by round, by {CONFIDENCE:.0%} intervals\n"
        + "".join(f"{name}: 1 epoch at one batch size, since it takes as long at any\n" for name in once)
    )


def troubles(results: Results) -> list[str]:
    """A line for each way in which a backend's runs ended other than well, with the batch sizes."""
    batches: dict[tuple[str, str, str], list[int]] = {}
    for run, outcome in results.finished:
        if outcome.status is not Status.OK:
            end = run.cell.backend, outcome.status.value, outcome.reason
            batches.setdefault(end, []).append(run.cell.shape["batch"])
    return [
        f"{backend} {status}: {reason}"
        + ("" if status == Status.SKIPPED.value else f" (batch {enumeration(sorted(set(sizes)))})")
        for (backend, status, reason), sizes in batches.items()
    ]


def disagreements(groups: Mapping[int, Sequence[Row]]) -> list[str]:
    """Why rows can't win."""
    return [
        f"{row.name} at batch {batch} can't win: "
        + (
            "there is no float64 reference to check its loss"
            if row.disagreement is None
            else f"its loss is {row.disagreement:.1%} off the float64 reference's"
        )
        for batch, rows in groups.items()
        for row in rows
        if not row.may_win
    ]


def verdict(groups: Mapping[int, Sequence[Row]], rounds: int) -> str:
    """In words, over the rows that may win, one batch size at a time."""
    sizes: dict[str, list[str]] = {}
    for batch, rows in groups.items():
        result, margin = contest([row for row in rows if row.may_win], rounds)
        sizes.setdefault(result, []).append(f"{batch}{margin}")
    if not sizes:
        return "nothing finished that could be compared"
    results = "; ".join(f"{result} at batch {enumeration(batches)}" for result, batches in sizes.items())
    return f"undecided by one repeat: {results}" if rounds == 1 else results


def contest(rows: Sequence[Row], rounds: int) -> tuple[str, str]:
    """Who wins among the rows of one batch size, and by how much over the next."""
    if not rows:
        return "no row may win", ""
    if len(rows) == 1:
        return f"{rows[0].name} is alone", ""
    first, *rivals = fastest({row.name: row.speed for row in rows})
    if rivals and rounds > 1:
        return f"{enumeration([first, *rivals])} tie", ""
    best = next(row for row in rows if row.name == first)
    second = min((row for row in rows if row is not best), key=lambda row: row.epoch)
    margin = f" ({times(second.epoch / best.epoch)} times {second.name})"
    return f"{first} {'wins' if rounds > 1 else 'was fastest'}", margin
