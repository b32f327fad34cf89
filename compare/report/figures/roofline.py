"""The cells under their machine's ceilings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compare.profile import Profile
from compare.report import ceilings
from compare.report.figures.parts import Figure, Table
from compare.report.naming import Naming
from compare.report.plot import Point, Series, plot
from compare.results import Results
from compare.statistics import median
from compare.work import of_cell


def roofline(results: Results, naming: Naming, colours: Mapping[str, int]) -> Figure:
    """Every cell under the ceilings of its machine: a model of the work, over the measured time."""
    title = "Share of the machine's ceilings"
    if (shares := ceilings.shares(results)) is None:
        return Figure(title, "This machine's ceilings were not measured: compare machine, then this report again.")
    rows: list[list[str]] = []
    series: dict[str, dict[str, list[Point]]] = {}  # by device and backend
    for cell in results.plan.cells:
        outcomes = list(results.ok(cell).values())
        work = of_cell(cell, outcomes[0].facts) if outcomes else None
        share = shares.found.get(cell.key)
        if work is None or share is None:
            continue
        seconds = median(list(results.sample_seconds(cell).values()))
        moved = work.streamed_bytes + work.row_moves.bytes_moved
        speed, intensity = work.flops / seconds, work.flops / moved
        series.setdefault(cell.device, {}).setdefault(cell.backend, []).append((intensity, speed / 1e9))
        part = f"{share.of_ceiling:.1%}"
        rows.append([naming.full(cell), f"{speed / 1e9:.3g}", f"{intensity:.3g}", part, share.bound.binding])
    if not rows:
        return Figure(title, ceilings.without(shares))
    headings = ["", "GFLOP/s", "FLOP a byte", "share of ceiling", "ceiling"]
    note = (
        f"By a model of the least work, not by counters; {shares.source}. Bytes count every move "
        "of a row or weight, so what a cache holds may rise above the line of main memory."
    )
    plots = []
    for device, by_backend in series.items():
        points = [Series(name, each, colours[name], joined=False) for name, each in by_backend.items()]
        lines = roofs(shares.profile, results, device, [x for each in by_backend.values() for x, _ in each])
        name = f"Roofline of the {device.upper()}" if len(series) > 1 else "Roofline"
        plots.append(plot(name, "FLOP a byte moved", "GFLOP/s", [*lines, *points]))
    return Figure(title, note, Table(headings, rows), plots)


def roofs(profile: Profile, results: Results, device: str, intensities: Sequence[float]) -> list[Series]:
    """The memory's slope up to the flat roof of matrix products, for the most threads that were measured with."""
    threads = max(cell.threads for cell in results.plan.cells if cell.device == device)
    peak = profile.value("sgemm", device, threads, dtype="float32")
    stream = profile.value("copy", device, threads)
    if peak is None or stream is None:
        return []
    ridge = peak / stream
    left, right = min([*intensities, ridge]) / 2, max([*intensities, ridge]) * 2
    path = [(left, stream * left / 1e9), (ridge, peak / 1e9), (right, peak / 1e9)]
    name = f"memory {stream / 1e9:.0f} GB/s, then sgemm {peak / 1e9:.0f} GFLOP/s"
    return [Series(name, path, 7, dashed=True, marked=False)]
