"""What may have spoilt the figures, in words for people."""

from __future__ import annotations

from compare.cell import REFERENCE
from compare.disturbance import BUSY
from compare.results import Results
from compare.statistics import LEAST_ROUNDS, NOISY, drift, quartile_spread

DRIFT = 0.05
"""Change from the first round to the last that is worth a word."""


def warnings(results: Results) -> list[str]:
    """A sentence for each thing that makes the figures of `results` less certain, with the cure."""
    return [
        *few(results),
        *busy(results),
        *throttled(results),
        *stopped(results),
        *drifting(results),
        *scattered(results),
    ]


def few(results: Results) -> list[str]:
    most = results.repeats
    if not 0 < most < LEAST_ROUNDS:
        return []
    repeats = "1 repeat has" if most == 1 else f"{most} repeats have"
    cut_short = results.lacking and results.plan.rounds >= LEAST_ROUNDS
    cure = f"let all {results.plan.rounds} finish" if cut_short else f"--repeats {LEAST_ROUNDS} at least, better 5"
    return [f"{repeats} no interval, so nothing is decided: {cure}."]


def busy(results: Results) -> list[str]:
    cores = results.machine.get("cores_usable") or 1
    taken = [outcome.busy_elsewhere for _, outcome in results.finished if outcome.busy_elsewhere is not None]
    disturbed = [cores_taken for cores_taken in taken if cores_taken > BUSY * cores]
    if disturbed:
        return [
            f"Other work took up to {max(disturbed):.1f} of {cores} cores during {len(disturbed)} of {len(taken)} "
            "timed runs: stop it, then measure again."
        ]
    load = results.machine.get("load_before") or 0.0
    if not taken and load > BUSY * cores * 2:
        return [f"The machine was busy when this began (load {load:.1f} on {cores} cores): stop that, measure again."]
    return []


def throttled(results: Results) -> list[str]:
    slowed = sum(outcome.throttled is True for _, outcome in results.finished)
    if not slowed:
        return []
    return [f"The processor slowed itself down from heat in {slowed} runs: cool it, or measure shorter."]


def stopped(results: Results) -> list[str]:
    runs = sum(outcome.stopped is True for _, outcome in results.finished)
    if not runs:
        return []
    return [f"The CPU quota was used up in {runs} runs, which then had to wait: raise it, or give fewer --threads."]


def drifting(results: Results) -> list[str]:
    """All rows together, since a slower machine slows them all."""
    relative: dict[int, list[float]] = {}
    for cell in results.plan.cells:
        seconds = results.sample_seconds(cell)
        for round, value in seconds.items():
            relative.setdefault(round, []).append(value / next(iter(seconds.values())))
    change = drift({round: sum(values) / len(values) for round, values in relative.items()})
    if change is None or not change.decided or abs(change.estimate - 1) < DRIFT:
        return []
    way = "slower" if change.estimate > 1 else "faster"
    return [
        f"The machine became {abs(change.estimate - 1):.0%} {way} from the first round to the last (heat, other work, "
        "a changing clock): rows are compared within rounds, but seconds depend on when they were taken."
    ]


def scattered(results: Results) -> list[str]:
    found = [
        (apart, cell.label)
        for cell in results.plan.cells
        if cell.backend != REFERENCE
        and (apart := quartile_spread(list(results.sample_seconds(cell).values()))) is not None
        and apart > NOISY
    ]
    if not found:
        return []
    worst, label = max(found)
    others = f" (rows over {NOISY:.0%} beside it: {len(found) - 1})" if len(found) > 1 else ""
    return [
        f"{label}: the middle half of its repeats lies {worst:.0%} apart{others}; more repeats, "
        "or --budget 10m, narrow the intervals."
    ]
