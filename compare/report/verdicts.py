"""Who wins in each group of like cells of a result, by its workload's own gate, and that in words."""

from __future__ import annotations

from collections.abc import Sequence

from compare import agreement
from compare.cell import REFERENCE, Cell, Outcome
from compare.claims import concluded
from compare.judge import Judgement, groups, judge
from compare.report import w2v
from compare.report.naming import Naming
from compare.report.terminal import interval, tie
from compare.results import Results
from compare.workloads import PARTS
from compare.workloads.w2v import SYNTHETIC


def judgements(results: Results) -> list[Judgement]:
    """Of every group that has figures, in the order of the plan; references are no contestants."""
    contestants = [
        [cell for cell in group if cell.backend != REFERENCE]
        for group in groups(results)
        if group[0].workload not in PARTS
    ]
    return [judge(results, cells, barred(results, cells)) for cells in contestants if any(map(results.ok, cells))]


def by_group(results: Results) -> dict[str, str]:
    """Who wins in each group, in words, by what tells the group from the others; of claims, which hold."""
    if claims := concluded(results):
        return {claim.text: answer.verdict.value for claim, answer in claims}
    naming = Naming(results.plan.cells)
    return {naming.column(each.cells[0], without="threads"): words(each) for each in judgements(results)}


def barred(results: Results, cells: Sequence[Cell]) -> dict[str, str] | None:
    """Why cells of a group can't win, by key, as their workload's own report has it; None: it has no gate."""
    measured = [cell for cell in cells if results.ok(cell)]
    if cells[0].workload == "mnist":
        objections = {
            cell.key: agreement.objection(cell, results.ok(cell), reference(results, cell)) for cell in measured
        }
        return {key: reason for key, reason in objections.items() if reason}
    if cells[0].options.get("text") == SYNTHETIC:
        return {}
    if cells[0].workload == "w2v":
        reasons = w2v.below_gensim([w2v.Row(cell, results.ok(cell)) for cell in measured])
        return {cell.key: reasons[cell.backend] for cell in measured if cell.backend in reasons}
    return None


def reference(results: Results, cell: Cell) -> dict[int, Outcome]:
    """The outcomes of the float64 training that `cell` is judged by."""
    alike = (other for other in results.plan.cells if other.backend == REFERENCE and other.shape == cell.shape)
    return next((results.ok(other) for other in alike), {})


def words(judgement: Judgement) -> str:
    """`numpy wins, 1.31 (1.28-1.35) times as fast as jax`, or why nobody does."""
    best, names = judgement.best, names_of([cell for cell in judgement.cells if cell.key in judgement.seconds])
    if best is None:
        return "no row may win"
    if judgement.tied:
        return tie(names[best.key], {names[cell.key]: judgement.ratios.get(cell.key) for cell in judgement.tied})
    if not judgement.ratios:
        return f"{names[best.key]} is alone"
    others = [cell.key for cell in judgement.cells if cell.key in judgement.ratios and cell.backend != best.backend]
    second = min(others or judgement.ratios, key=lambda key: judgement.seconds[key])
    return f"{names[best.key]} wins, {interval(judgement.ratios[second])} times as fast as {names[second]}"


def names_of(cells: Sequence[Cell]) -> dict[str, str]:
    """What each of a group is called, by key: its backend, and its threads and device where the group has several."""
    threads, devices = ({getattr(cell, name) for cell in cells} for name in ("threads", "device"))

    def name(cell: Cell) -> str:
        extra = [f"threads {cell.threads}"] * (len(threads) > 1) + [cell.device] * (len(devices) > 1)
        return f"{cell.backend} ({', '.join(extra)})" if extra else cell.backend

    return {cell.key: name(cell) for cell in cells}
