"""The tables of `compare sweep`: what each method took, where each configuration ended, and whether all agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console

from compare.cell import Cell, Outcome
from compare.gates import barred
from compare.report.mnist_rows import network
from compare.report.terminal import conclude, failures, figure, machine_line, output, table, times
from compare.report.verdicts import sentence
from compare.results import Results
from compare.statistics import median
from compare.sweep_agreement import Finishes, configurations, finishes, name
from mnist.data import EPOCH
from mnist.sweep import Configuration, winner
from w2v.wording import counted


def show(results: Results) -> None:
    """Print both tables, what went wrong, whether all methods found the same winner, and which was fastest."""
    console = output()
    cell = results.plan.cells[0]
    trained = configurations(cell)
    console.print(machine_line(results.machine, "numpy", "jax"))
    console.print(f"Data: {cell.options['dataset']}")
    console.print(
        f"{network(cell.shape['hidden'])}, SGD, {counted(cell.options['epochs'], 'epoch')} of {EPOCH:,} examples, "
        f"{counted(len(trained), 'configuration')}, threads: {cell.threads}\n"
    )
    measured = [(cell, ok) for cell in results.plan.cells if (ok := results.ok(cell))]
    print_methods(console, measured)
    found = {cell.backend: finishes(ok) for cell, ok in measured}
    if found:
        print_configurations(console, trained, found)
    reasons = barred(results)
    out = [f"{cell.backend} can't win: {reasons[cell.key]}" for cell, _ in measured if cell.key in reasons]
    for line in [*failures(results), *out, agreement(trained, found)]:
        console.print(line, style="bold", markup=False)
    conclude(console, results, sentence(results))


def print_methods(console: Console, measured: Sequence[tuple[Cell, Mapping[int, Outcome]]]) -> None:
    grid = table("", "", "start\ns", "sweep\ns", "peak\nMB")
    for cell, outcomes in measured:
        runs = list(outcomes.values())
        sweep, start = (median([outcome.phases[phase] for outcome in runs]) for phase in ("steady", "import"))
        memory = [(outcome.peak_bytes or 0) + outcome.facts["children_bytes"] for outcome in runs]
        grid.add_row(cell.backend, times(start), times(sweep), figure(median(memory) / 1e6, ",.0f"))
    console.print(grid)
    console.print(
        "\nstart  importing the libraries\n"
        "sweep  training all configurations, compiling and starting processes included\n"
        "peak   memory of the process and those that it starts\n"
    )


def print_configurations(console: Console, trained: Sequence[Configuration], found: Mapping[str, Finishes]) -> None:
    """Where each configuration ended by each method: the losses, then the accuracies."""
    best = {method: winner(ends) for method, ends in found.items()}

    def loss(method: str, number: int) -> str:
        end = found[method][number]
        return "diverged" if end.diverged else f"{end.loss:#.4g}" + ("*" if number == best[method] else "")

    def accuracy(method: str, number: int) -> str:
        end = found[method][number]
        return "-" if end.diverged else f"{end.accuracy:.1%}"

    for title, told in (("loss", loss), ("test accuracy", accuracy)):
        grid = table(title, "rate", "batch", "seed", *(method.replace("-", "-\n") for method in found))
        for number, each in enumerate(trained):
            configuration = f"{each.learning_rate:g}", str(each.batch_size), str(each.seed)
            grid.add_row(*configuration, *(told(method, number) for method in found))
        console.print(grid)
        console.print()
    console.print("*  the winner of its method: the lowest mean loss of the last epoch\n")


def agreement(trained: Sequence[Configuration], found: Mapping[str, Finishes]) -> str:
    """Whether all methods found the same winner."""
    winners = {winner(ends) for ends in found.values()}
    if not found:
        return "No method finished."
    if len(winners) > 1:
        return f"The {len(found)} methods did not find the same winner."
    (best,) = winners
    if best is None:
        return "Every configuration diverged, by every method."
    differences = [
        abs(ends[number].loss / first.loss - 1)
        for ends in found.values()
        for number, first in enumerate(next(iter(found.values())))
        if not first.diverged and not ends[number].diverged
    ]
    if len(found) == 1:
        return f"The winner: {name(trained[best])}"
    return (
        f"Same winner by all {len(found)} methods: {name(trained[best])}; "
        f"their losses lie within {max(differences):.2%}"
    )
