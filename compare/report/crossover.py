"""The table of `compare crossover`, what its columns mean, and where the winner changes."""

from __future__ import annotations

import math

from rich.console import Console

from compare.crossover import Crossing, Gap
from compare.findings import Elsewhere, Findings
from compare.gates import barred
from compare.prediction import Measured
from compare.profile import UNMEASURED
from compare.report.ceilings import UNMODELLED, beyond
from compare.report.terminal import conclude, enumeration, failures, machine_line, output, table, times
from compare.results import Results
from compare.shape_sweep import Sweep
from compare.statistics import CONFIDENCE, median, spread


def show(results: Results, sweep: Sweep, findings: Findings) -> None:
    """Print every shape's seconds beside the model's, then the crossings."""
    console = output()
    console.print(machine_line(results.machine, "numpy", "jax", "gensim"))
    console.print(describe(sweep))
    grid = table("", "", "seconds", "±", "of the\nceiling", "which", "pre-\ndicted", "off by")
    reasons, remarks = barred(results), sweep.remarks(results)
    for value in sweep.values:
        grid.add_row(f"[bold]{sweep.axis} {value:,}[/bold]")
        for backend in sweep.backends:
            cell = sweep.cell(backend, value)
            if samples := list(results.sample_seconds(cell).values()):
                deviation = spread(samples)
                seconds = figure(median(samples)) + ("!" if cell.key in reasons else "")
                reach = f"{deviation:.0%}" if deviation is not None else "-"
                grid.add_row(f"  {backend}", seconds, reach, *modelled(findings, backend, value))
            else:
                grid.add_row(f"  {backend}", results.ending(cell))
    console.print(grid)
    console.print(legend(findings), markup=False)
    out = [f"{cell.label} can't win: {reasons[cell.key]}" for cell in results.plan.cells if cell.key in reasons]
    out += [
        f"{cell.label}: {remarks[cell.key]}; on made-up text, that is not held against it"
        for cell in results.plan.cells
        if cell.key in remarks
    ]
    for line in [*failures(results), *out]:
        console.print(line, style="bold", markup=False)
    if findings.elsewhere:
        tell_elsewhere(console, sweep, findings.elsewhere)
    conclude(console, results, verdict(sweep, findings))


def describe(sweep: Sweep) -> str:
    alike = ", ".join(f"{name} {value:,}" for name, value in sweep.alike.items())
    return f"{sweep.workload} over {sweep.axis}; all else alike: {alike}"


def modelled(findings: Findings, backend: str, value: int) -> list[str]:
    """The columns of the work model."""
    point: Measured | None = findings.points.get(backend, {}).get(value)
    if point is None:
        return ["-"] * 4
    share = [f"{point.of_ceiling:.0%}", point.bound.binding]
    if backend not in findings.fits:
        return [*share, "-", "-"]
    predicted = findings.fits[backend].left_out[list(findings.points[backend]).index(value)]
    return [*share, figure(predicted), f"{predicted / point.seconds - 1:+.0%}"]


def legend(findings: Findings) -> str:
    """What the columns mean."""
    errors = ", ".join(f"{backend} {times(math.exp(each.error))}" for backend, each in findings.fits.items())
    how = beyond(point.of_ceiling for at in findings.points.values() for point in at.values())
    over = f"over 100%  {how}\n" if how else ""
    model = (
        "ceiling    share of the most that this machine's ceilings allow the work model's\n"
        "           flops, bytes and calls, and which of them binds: a model, not a count\n"
        f"{over}predicted  from the row's other shapes and the ceilings; off by, against the\n"
        f"           median; typical factor: {errors or 'too few shapes to say'}\n"
        f"ceilings   {findings.profile.origin}"
        if findings.profile and findings.points
        else f"no ceilings and no predictions: {UNMODELLED if findings.profile else UNMEASURED}"
    )
    return (
        "\nseconds    of a sample (mnist: an epoch; w2v: the text once), median of the\n"
        f"           repeats; ± half their range; ! can't win\n{model}\n"
        "crossings  interpolated on logarithms between measured shapes, with\n"
        f"           {CONFIDENCE:.0%} intervals\n"
    )


def tell_elsewhere(console: Console, sweep: Sweep, elsewhere: Elsewhere) -> None:
    """In a sentence, who would lead on the other machine, or why nobody knows."""
    if elsewhere.obstacle:
        console.print(f"Nothing can be predicted for {elsewhere.profile}: {elsewhere.obstacle}.", markup=False)
        return
    changes = "".join(f"; then {each.after} from {place(sweep.axis, each)}" for each in elsewhere.crossings)
    console.print(
        f"Predicted for {elsewhere.profile} ({', '.join(elsewhere.rows)}; ranges: two errors either way): "
        f"{elsewhere.first} leads at {sweep.axis} {min(sweep.values):,}{changes or ' and throughout'}.",
        markup=False,
    )


def verdict(sweep: Sweep, findings: Findings) -> str:
    """In words: each crossing with its interval and, beside it, the predicted one; changes that can't be placed."""
    course = findings.course
    told = [crossing_words(sweep.axis, each, findings) for each in course.crossings]
    told += [gap_words(sweep.axis, each) for each in course.gaps]
    if told:
        return "; ".join(told) + "."
    leader = next(iter(course.leaders.values()), None)
    if leader is None:
        return "nothing finished that could be compared, so no crossing can be placed."
    nowhere = [value for value in sweep.values if value not in course.leaders]
    if len(course.leaders) == 1:
        return f"only {sweep.axis} {next(iter(course.leaders)):,.0f} has rows to compare, so no crossing can be placed."
    but = f" but {enumeration([f'{value:,}' for value in nowhere])}, where no row may win" if nowhere else ""
    if course.unsure:
        unsure = enumeration([f"{value:,.0f}" for value in course.unsure])
        return f"{leader} is ahead at every measured {sweep.axis}{but}, not decidedly at {unsure}."
    return f"{leader} is fastest at every measured {sweep.axis}{but}, so nothing crosses."


def gap_words(axis: str, gap: Gap) -> str:
    missing = enumeration([f"{name} at {x:,.0f}" for name, x in gap.missing])
    return (
        f"{gap.before} leads at {axis} {gap.left:,.0f} and {gap.after} at {gap.right:,.0f}, but where they cross "
        f"can't be told: there is nothing to compare of {missing}"
    )


def crossing_words(axis: str, crossing: Crossing, findings: Findings) -> str:
    words = change(axis, crossing)
    same = [p for p in findings.predicted if (p.before, p.after) == (crossing.before, crossing.after)]
    if same:
        nearest = min(same, key=lambda each: abs(each.at - crossing.at))
        factor = max(nearest.at / crossing.at, crossing.at / nearest.at)
        return f"{words} (predicted {nearest.at:,.0f}, off by a factor {times(factor)})"
    return f"{words} (not predicted)" if findings.fits else words


def change(axis: str, crossing: Crossing) -> str:
    """Who is faster on which side, or that nobody surely is."""
    if crossing.low is None and crossing.high is None:
        tie = f"{crossing.before} and {crossing.after} tie"
        return f"{tie}: their means cross at {axis} {crossing.at:,.0f}, and no measured {axis} decides between them"
    return f"{crossing.before} up to {place(axis, crossing)}, then {crossing.after}"


def place(axis: str, crossing: Crossing) -> str:
    """`batch 410 (350-480)`; an open end is a question mark: no measured shape is sure there."""
    low, high = (f"{end:,.0f}" if end is not None else "?" for end in (crossing.low, crossing.high))
    return f"{axis} {crossing.at:,.0f} ({low}-{high})"


def figure(seconds: float) -> str:
    return f"{seconds:.3g}" if seconds < 100 else f"{seconds:,.0f}"
