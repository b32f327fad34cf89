"""Whether the instrument tells the truth, on backends whose speed and faults are known beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from compare.cell import Cell, Run, Status
from compare.conduct import rounds
from compare.disturbance import Snapshot
from compare.judge import Judgement, Unlike, judge
from compare.plan import Plan
from compare.results import Results
from compare.runner import execute

ROUNDS, SAMPLES = 5, 60
MORE_ROUNDS = 5
"""At most, while a row's interval is wide."""
FALSE_ALARMS = 0.05
"""The share of comparisons of a backend with itself that may end with a winner."""
FOUND = 0.8
"""The share of planted slow-downs that must be found."""

Advance = Callable[[], None]
"""Called after each comparison."""


@dataclass(frozen=True)
class Finding:
    """One property of the instrument: what was tried, what came of it, and whether that is as it should be."""

    name: str
    passed: bool | None
    """None: the machine was too busy to judge."""
    words: str


def cell(backend: str) -> Cell:
    return Cell("compare.workloads.selftest", backend, shape={"batch": 32}, samples=SAMPLES)


def contest(first: str, second: str, seed: int) -> Judgement:
    """Two backends measured and judged as by any command with a budget: fresh processes, more rounds where unsure."""
    results = Results(Plan([cell(first), cell(second)], ROUNDS, seed), {})
    for round in islice(rounds(results, extra=True), 1 + MORE_ROUNDS):
        for run in round:
            results.add(run, execute(run, timeout=60))
    return judge(results, results.plan.cells)


def finding(name: str, passed: bool, words: str, since: Snapshot) -> Finding:
    """What speaks against the instrument counts only if the cores were its own, as far as the system tells."""
    busy = "" if passed else Snapshot.take().other_work(since)
    return Finding(name, None, f"{words}; too busy to judge: {busy}; stop it") if busy else Finding(name, passed, words)


def findings(comparisons: int, slowdowns: int, seed: int, advance: Advance) -> Iterator[Finding]:
    """All of them, the quick ones first; `advance` is called comparisons + slowdowns + 2 times."""
    yield unlike_cells()
    yield early_return()
    advance()
    yield cheat(seed)
    advance()
    yield planted_slowdown(slowdowns, seed, advance)
    yield same_twice(comparisons, seed, advance)


def unlike_cells() -> Finding:
    """Other batches, dtypes or data are other work: no speed ratio may be formed."""
    base = cell("plain")
    others = [
        replace(cell("twin"), shape={"batch": 64}),
        replace(cell("twin"), dtype="float64"),
        replace(cell("twin"), options={"dataset": "another"}),
    ]
    refused = 0
    for other in others:
        try:
            judge(Results(Plan([base, other], 1, 1), {}), [base, other])
        except Unlike:
            refused += 1
    return Finding(
        "unlike rows are refused", refused == len(others), f"{refused} of {len(others)}: other batch, dtype, data"
    )


def early_return() -> Finding:
    """A backend that returns before its device has finished would look fast for nothing."""
    outcome = execute(Run(cell("early"), 0, 1), timeout=60)
    return Finding("an early return is caught", outcome.status is Status.FAILED, outcome.reason or "it was believed")


def cheat(seed: int) -> Finding:
    """A backend that does half of the work, and learns less, is faster and must not win."""
    judgement = contest("plain", "cheat", seed)
    reason = judgement.barred.get(cell("cheat").key, "it was let pass")
    return Finding("a row that learns less can't win", judgement.best == cell("plain"), reason)


def planted_slowdown(repeats: int, seed: int, advance: Advance) -> Finding:
    found, began = 0, Snapshot.take()
    for number in range(repeats):
        found += contest("plain", "slower", seed + number).winner == cell("plain")
        advance()
    words = f"in {found} of {repeats} comparisons; at least {FOUND:.0%} must be"
    return finding("10 % more work is found to be slower", found >= FOUND * repeats, words, began)


def same_twice(comparisons: int, seed: int, advance: Advance) -> Finding:
    alarms, began = 0, Snapshot.take()
    for number in range(comparisons):
        alarms += contest("plain", "twin", seed + number).winner is not None
        advance()
    words = f"declared different in {alarms} of {comparisons} comparisons; at most {FALSE_ALARMS:.0%} may be"
    return finding("a backend ties with itself", alarms <= FALSE_ALARMS * comparisons, words, began)
