"""The tables of `compare sweep`: what each method took, where each configuration ended, and whether all agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rich.console import Console

from compare.cell import Cell, Outcome
from compare.judge import judge
from compare.report.mnist_rows import network
from compare.report.terminal import (
    conclude,
    count,
    enumeration,
    failures,
    figure,
    interval,
    machine_line,
    output,
    table,
    tie,
    times,
)
from compare.results import Results
from compare.statistics import median
from mnist.data import EPOCH, TEST
from mnist.sweep import Configuration, Finish, winner

LOSS_TOLERANCE = 0.01
"""How far a configuration's final loss may be off the median of all methods, whatever its accuracy. Up to a learning
rate of 0.3 rounding makes less than 0.001; at 1 it grows from step to step, and NumPy is 0.002 off itself with another
number of threads, JAX 0.01 off native."""
CHANCE = 3.0
"""Standard errors by which the test accuracy may be off where the loss is: trainings that only rounding drove apart
are as good as each other, and tell as many test images right but for chance."""

Finishes = Sequence[Finish]


def show(results: Results) -> None:
    """Print both tables, what went wrong, whether all methods found the same winner, and which was fastest."""
    console = output()
    cell = results.plan.cells[0]
    configurations = [Configuration(*values) for values in cell.options["configurations"]]
    console.print(machine_line(results.machine, "numpy", "jax"))
    console.print(f"Data: {cell.options['dataset']}")
    console.print(
        f"{network(cell.shape['hidden'])}, SGD, {count(cell.options['epochs'], 'epoch')} of {EPOCH:,} examples, "
        f"{count(len(configurations), 'configuration')}, threads: {cell.threads}\n"
    )
    measured = [(cell, ok) for cell in results.plan.cells if (ok := results.ok(cell))]
    print_methods(console, measured)
    if measured:
        print_configurations(console, configurations, finishes(measured[0][1]))
    found = {cell.backend: finishes(ok) for cell, ok in measured}
    apart = disagreements(configurations, found)
    for line in [*failures(results), *apart.values(), agreement(configurations, found)]:
        console.print(line, style="bold", markup=False)
    conclude(console, results, verdict(results, [cell for cell, _ in measured if cell.backend not in apart]))


def finishes(outcomes: Mapping[int, Outcome]) -> list[Finish]:
    """Of each configuration, in the first round."""
    first = outcomes[min(outcomes)]
    return [Finish(*(each or (float("nan"), float("nan")))) for each in first.facts["finishes"]]


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


def print_configurations(console: Console, configurations: Sequence[Configuration], ends: Finishes) -> None:
    best = winner(ends)
    grid = table("", "learning rate", "batch", "seed", "loss", "test\nacc.")
    for number, (configuration, end) in enumerate(zip(configurations, ends, strict=True)):
        rate = f"{configuration.learning_rate:g}" + (" *" if number == best else "")
        told = ["diverged", "-"] if end.diverged else [f"{end.loss:.4f}", f"{end.accuracy:.1%}"]
        grid.add_row(rate, str(configuration.batch_size), str(configuration.seed), *told)
    console.print(grid)
    console.print("\n*  the winner: the lowest mean loss of the last epoch\n")


def disagreements(configurations: Sequence[Configuration], found: Mapping[str, Finishes]) -> dict[str, str]:
    """By method, why it can't win: configurations that ended elsewhere than by most methods."""
    expected = [middle(ends) for ends in zip(*found.values(), strict=True)]
    reasons: dict[str, str] = {}
    for method, ends in found.items():
        apart = [
            name(configuration)
            for configuration, mine, most in zip(configurations, ends, expected, strict=True)
            if elsewhere(mine, most)
        ]
        if apart:
            reasons[method] = f"{method} can't win: it ended elsewhere than most methods with {enumeration(apart)}"
    return reasons


def middle(ends: Finishes) -> Finish:
    """The median loss and accuracy of one configuration by all methods; diverged where most diverged."""
    finite = [end for end in ends if not end.diverged]
    if 2 * len(finite) < len(ends):
        return next(end for end in ends if end.diverged)
    return Finish(median([end.loss for end in finite]), median([end.accuracy for end in finite]))


def elsewhere(end: Finish, most: Finish) -> bool:
    """Whether something other than rounding sets `end` apart."""
    if end.diverged or most.diverged:
        return end.diverged != most.diverged
    chance = math.sqrt(2 * most.accuracy * (1 - most.accuracy) / TEST)
    loss_apart = abs(end.loss - most.loss) > LOSS_TOLERANCE * most.loss
    return loss_apart and abs(end.accuracy - most.accuracy) > CHANCE * chance


def agreement(configurations: Sequence[Configuration], found: Mapping[str, Finishes]) -> str:
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
        return f"The winner: {name(configurations[best])}"
    return (
        f"Same winner by all {len(found)} methods: {name(configurations[best])}; "
        f"their losses lie within {max(differences):.2%}"
    )


def name(configuration: Configuration) -> str:
    return f"learning rate {configuration.learning_rate:g}, batch {configuration.batch_size}, seed {configuration.seed}"


def verdict(results: Results, cells: Sequence[Cell]) -> str:
    """Which of the methods that agree needed the least wall time."""
    judgement = judge(results, cells, {}) if cells else None
    if judgement is None or judgement.best is None:
        return "no method may win."
    best, names = judgement.best.backend, {cell.key: cell.backend for cell in cells}
    if judgement.tied:
        return f"{tie(best, {each.backend: judgement.ratios.get(each.key) for each in judgement.tied})}."
    if not judgement.ratios:
        return f"{best} is alone."
    second = min(judgement.ratios, key=lambda key: judgement.seconds[key])
    return f"{best} wins, {interval(judgement.ratios[second])} times as fast as {names[second]}."
