"""One self-contained HTML page of any number of results: no script, no network, every chart with its table."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2

from compare.claims import concluded
from compare.noise import warnings
from compare.report.figures import figures
from compare.report.figures.parts import Figure
from compare.report.naming import Naming
from compare.report.terminal import failures
from compare.report.verdicts import judgements, sentence, words
from compare.results import Results
from w2v.wording import counted


@dataclass(frozen=True)
class Section:
    """What the page says of one result."""

    title: str
    facts: Sequence[str]
    verdicts: Sequence[tuple[str, str, Sequence[str]]]
    """(group of like rows, who wins, nothing more) or (claim, whether it holds, its figures)"""
    barred: Sequence[str]
    warnings: Sequence[str]
    failures: Sequence[str]
    figures: Sequence[Figure]
    environment: Sequence[tuple[str, str]]
    download: tuple[str, str]
    """File name and data URI of the result itself."""


def page(several: Sequence[Results]) -> str:
    """The HTML of `several` results."""
    environment = jinja2.Environment(loader=jinja2.PackageLoader("compare.report", "."), autoescape=True)
    template = environment.get_template("page.html.j2")
    return template.render(sections=[section(results, number) for number, results in enumerate(several, 1)])


def section(results: Results, number: int) -> Section:
    claims = concluded(results)
    judged = {} if claims else judgements(results)
    naming = Naming(results.plan.cells)
    labels = {cell.key: naming.full(cell) for cell in results.plan.cells}
    planned, more = results.planned, results.done - (results.planned - results.lacking)
    machine, workloads = results.machine, dict.fromkeys(cell.workload for cell in results.plan.cells)
    subject = "The experiment's claims" if claims else " and ".join(workloads)
    return Section(
        title=f"{subject} on {machine.get('cpu', 'an unknown processor')}",
        facts=[
            f"{machine.get('cores_usable', '?')} usable cores",
            *filter(None, [results.started, results.command]),
            *([f"all rows: {naming.common}"] if naming.common else []),
            f"{planned - results.lacking} of {counted(planned, 'planned run')}"
            + (f" and {more} more" if more else "")
            + f", order by seed {results.plan.seed}",
        ],
        verdicts=[
            *(() if claims or judged else [("", sentence(results), ())]),
            *((claim.text, answer.verdict.value, answer.figures) for claim, answer in claims),
            *((group, words(judgement), ()) for group, judgement in judged.items()),
        ],
        barred=[
            f"{labels[key]} can't win: {reason}" for each in judged.values() for key, reason in each.barred.items()
        ],
        warnings=warnings(results),
        failures=failures(results),
        figures=figures(results, list(judged.values()), naming),
        environment=[(name, text(value)) for name, value in machine.items()],
        download=download(results, number),
    )


def text(value: Any) -> str:
    """A fact of the environment for people."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {text(each)}" for name, each in value.items())
    if isinstance(value, list):
        return "; ".join(map(text, value)) or "none"
    return "unknown" if value is None else str(value)


def download(results: Results, number: int) -> tuple[str, str]:
    """File name and data URI of the result file, compressed: a page may hold many."""
    packed = base64.b64encode(gzip.compress(json.dumps(results.to_json()).encode(), mtime=0)).decode()
    return f"result-{number}.json.gz", f"data:application/gzip;base64,{packed}"
