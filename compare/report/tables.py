"""Which tables a result is shown in: those of the command that measured it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compare import findings
from compare.claims import concluded
from compare.report import (
    claims,
    crossover,
    mnist,
    mnist_details,
    mnist_ops,
    mnist_overhead,
    mnist_sweep,
    w2v,
)
from compare.report.terminal import conclude, output, troubles
from compare.report.verdicts import sentence
from compare.results import Results
from compare.shape_sweep import of_results

Show = Callable[[Results], None]
"""Prints tables and their verdict."""


def show(results: Results, tables: Show | None = None) -> None:
    """Print `results`; where a plug-in measured, or no row has figures, what went wrong and the verdicts alone.

    tables: other than those of its view. Claims have answers without figures too.
    """
    tables = tables or TABLES.get(results.plan.view.name)
    if tables and (results.repeats or (results.finished and concluded(results))):
        tables(results)
        return
    console = output()
    for line in troubles(results):
        console.print(line, style="bold", markup=False)
    conclude(console, results, sentence(results))


def show_sweep(results: Results) -> None:
    sweep = of_results(results)
    crossover.show(results, sweep, findings.of(sweep, results, results.profile, None))


TABLES: Mapping[str, Show] = {
    "w2v": w2v.show,
    "mnist": mnist.show,
    "mnist-details": mnist_details.show,
    "mnist-ops": mnist_ops.show,
    "mnist-overhead": mnist_overhead.show,
    "sweep": mnist_sweep.show,
    "crossover": show_sweep,
    "claims": claims.show,
}
"""By the view of the plan."""
