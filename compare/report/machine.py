"""The tables of `compare machine`."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table

from compare.ceilings.cpu import ROW_BYTES, TABLE_MOVES
from compare.profile import CACHE_LEVELS, MEMORY, Ceiling, Profile
from compare.report.terminal import machine_line, output, table

SCALES = {"flop/s": (1e9, "GFLOP/s"), "B/s": (1e9, "GB/s"), "s": (1e-6, "µs")}

LEGEND = """
call         of NumPy, to multiply two 4 x 4 matrices: what it costs to ask
sgemm        product of two large matrices: float32 by NumPy, bfloat16 by JAX
copy, triad  b = a, a = b + s c on arrays in memory: bytes read and written
gather       reads random rows of a table that fills half of L2, half of L3, or
             lies in memory; an update reads and writes them
"""


def show(profile: Profile) -> None:
    """Print what the machine is, its ceilings, the moves of rows, and what was not measured."""
    console = output()
    facts = profile.facts
    kernels = {f"{pool['internal_api']} {pool['version']} ({pool['architecture']})" for pool in facts["blas"]}
    console.print(machine_line(facts, "numpy"))
    console.print(
        f"caches: {', '.join(f'{name} {size}' for name, size in facts['caches'].items()) or 'unknown'}; "
        f"{' '.join(facts['isa'])}; governor {facts['governor'] or 'unknown'}; BLAS {', '.join(sorted(kernels))}"
    )
    if profile.gpu:
        console.print(f"GPU: {profile.gpu['name']}, driver {profile.gpu['driver']}, CuPy {profile.gpu['cupy']}")
    console.print()
    grid = table("", "", "best", "", "worst of\nits samples")
    for each in profile.ceilings:
        if each.value is not None and "row_bytes" not in each.conditions:
            scale, unit = SCALES[each.unit]
            worst = (max if each.unit == "s" else min)(each.samples)
            grid.add_row(label(each), figure(each.value / scale), unit, figure(worst / scale))
    console.print(grid)
    console.print()
    console.print(rows_table(profile))
    console.print(LEGEND)
    for line in unmeasured(profile.ceilings):
        console.print(line, markup=False)
    if profile.disturbed:
        console.print(
            f"Warning: {profile.disturbed} meanwhile, so these ceilings may be too low: stop it, then measure again.",
            style="yellow",
            markup=False,
        )


def rows_table(profile: Profile) -> Table:
    grid = table("Random rows, GB/s", "bytes a row", *(f"{size:,}" for size in ROW_BYTES))
    for threads in sorted(profile.find("gather")):
        for level in (*CACHE_LEVELS, MEMORY):
            for name in TABLE_MOVES:
                rates = [profile.find(name, level=level, row_bytes=size).get(threads) for size in ROW_BYTES]
                if any(rates):
                    figures = [figure(rate / 1e9) if rate else "-" for rate in rates]
                    grid.add_row(f"{name} in {level}, threads: {threads}", *figures)
    return grid


def label(ceiling: Ceiling) -> str:
    """`sgemm float32, threads: 2`."""
    kind = " ".join(str(ceiling.conditions[key]) for key in ("dtype", "mode", "memory") if key in ceiling.conditions)
    threads = f", threads: {ceiling.threads}" if ceiling.device == "cpu" and ceiling.unit != "s" else ""
    return f"{'GPU ' if ceiling.device == 'gpu' else ''}{ceiling.name} {kind}".rstrip() + threads


def figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.3g}"


def unmeasured(ceilings: Iterable[Ceiling]) -> list[str]:
    """A line for everything that has no figure, with the reason."""
    return [f"{label(each)} not measured: {each.reason}" for each in ceilings if each.value is None]
