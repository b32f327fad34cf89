"""Which tables a result is shown in: those of the command that measured it, as far as its cells tell."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from compare import findings, profile
from compare.cell import REFERENCE
from compare.claims import concluded
from compare.report import claims, crossover, mnist, mnist_ops, mnist_overhead, mnist_sweep, w2v
from compare.results import Results
from compare.shape_sweep import axis_of, of_results


def tables_of(results: Results) -> Callable[[Results], None] | None:
    """What prints `results`; None for a plug-in's workload, and word2vec by number of threads."""
    if concluded(results):
        return claims.show
    cells = results.plan.cells
    workloads, backends = ({getattr(cell, name) for cell in cells} for name in ("workload", "backend"))
    if workloads == {"w2v"} and all((cell.shape, cell.threads) == (cells[0].shape, cells[0].threads) for cell in cells):
        return w2v.show
    if workloads == {"w2v"} and (axis := axis_of(results)):
        return partial(show_sweep, axis=axis)
    if workloads == {"mnist"} and REFERENCE in backends:
        return mnist.show
    if workloads == {"sweep"}:
        return mnist_sweep.show
    if workloads <= {"mnist", "mnist-operations"} and "mnist-operations" in workloads:
        return mnist_ops.show
    if workloads - {"mnist-activity"} == {"mnist", "mnist-parts"} and "gather" in backends:
        return mnist_overhead.show
    return None


def show_sweep(results: Results, axis: str) -> None:
    sweep, machine = of_results(results, axis), profile.of_machine(results.machine)
    no_profile = "" if machine else "no ceilings and no predictions: this machine was not measured by `compare machine`"
    crossover.show(results, sweep, findings.of(sweep, results, machine, None), no_profile)
