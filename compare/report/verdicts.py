"""Who wins in each group of like cells of a result, and that in words: the same in tables, JSON and on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compare.cell import REFERENCE, Cell
from compare.claims import concluded
from compare.gates import barred
from compare.judge import Judgement, groups, judge
from compare.report.terminal import enumeration, interval, tie
from compare.results import Results
from compare.view import APART
from compare.workloads import PARTS
from compare.workloads.w2v import GENSIM


def contests(results: Results) -> dict[str, list[Cell]]:
    """The groups of cells that compete, by name, in the order of the plan; references and parts don't."""
    if results.plan.view.name in APART:
        return {}
    competing = [[cell for cell in group if cell.backend != REFERENCE] for group in groups(results)]
    found = [cells for cells in competing if cells and cells[0].workload not in PARTS]
    shapes = [{"workload": c.workload, **c.shape_texts, "dtype": c.dtype, "threads": c.threads} for c, *_ in found]
    names = distinctions(shapes)
    if len(set(names)) < len(found):
        names = distinctions([{**shape, **c.options} for shape, (c, *_) in zip(shapes, found, strict=True)])
    if len(found) == 1:
        names = [", ".join(f"{axis} {text}" for axis, text in found[0][0].shape_texts.items())]
    return dict(zip(names, found, strict=True))


def distinctions(alike: Sequence[Mapping[str, Any]]) -> list[str]:
    """What tells each from the others: `batch 32`."""
    names = dict.fromkeys(name for each in alike for name in each)
    varying = [name for name in names if any(each.get(name) != alike[0].get(name) for each in alike)]
    return [", ".join(f"{name} {each[name]}" for name in varying if name in each) for each in alike]


def judgements(results: Results) -> dict[str, Judgement]:
    """Of every group that has figures, by its name."""
    reasons = barred(results)
    return {
        name: judge(results, cells, {cell.key: reasons[cell.key] for cell in cells if cell.key in reasons})
        for name, cells in contests(results).items()
        if any(map(results.ok, cells))
    }


def by_group(results: Results) -> dict[str, str]:
    """Who wins in each group, in words; of claims, which hold."""
    if claims := concluded(results):
        return {claim.text: answer.verdict.value for claim, answer in claims}
    return {name: words(judgement) for name, judgement in judgements(results).items()}


def sentence(results: Results) -> str:
    """The same in a line; groups of which the same is to be said are named together, one that is alone is not named."""
    alike: dict[str, list[str]] = {}
    for name, verdict in by_group(results).items():
        alike.setdefault(verdict, []).append(name)
    if not alike:
        apart = results.plan.view.name in APART
        return "work taken apart: no rows compete." if apart else "nothing finished that could be compared."
    if len(contests(results)) == 1:
        return f"{next(iter(alike))}."
    return "; ".join(f"{enumeration(names)}: {verdict}" for verdict, names in alike.items()) + "."


def words(judgement: Judgement) -> str:
    """`numpy wins, 1.31 (1.28-1.35) times as fast as jax`, or why nobody does; and how much faster than gensim."""
    best, names = judgement.best, names_of([cell for cell in judgement.cells if cell.key in judgement.seconds])
    if best is None:
        return "no row may win"
    if judgement.tied:
        return tie(names[best.key], {names[cell.key]: judgement.ratios.get(cell.key) for cell in judgement.tied})
    if not judgement.ratios:
        return f"{names[best.key]} is alone"
    beaten = [cell for cell in judgement.cells if cell.key in judgement.ratios]
    others = [cell for cell in beaten if cell.backend != best.backend] or beaten
    gensims = [cell for cell in beaten if cell.backend in GENSIM]
    fastest = [min(cells, key=lambda cell: judgement.seconds[cell.key]).key for cells in (others, gensims) if cells]
    told = [f"{interval(judgement.ratios[key])} times as fast as {names[key]}" for key in dict.fromkeys(fastest)]
    return f"{names[best.key]} wins, {enumeration(told)}"


def names_of(cells: Sequence[Cell]) -> dict[str, str]:
    """What each of a group is called, by key: its backend, and its threads and device where the group has several."""
    threads, devices = ({getattr(cell, name) for cell in cells} for name in ("threads", "device"))

    def name(cell: Cell) -> str:
        extra = [f"threads {cell.threads}"] * (len(threads) > 1) + [cell.device] * (len(devices) > 1)
        return f"{cell.backend} ({', '.join(extra)})" if extra else cell.backend

    return {cell.key: name(cell) for cell in cells}
