from __future__ import annotations

import pytest

from compare import threads
from compare.cell import Cell, Outcome, Status


def outcome(cpu_seconds: float, **pools: int) -> Outcome:
    facts = {"threads": {"pools": pools, "process": 9}}
    return Outcome(Status.OK, samples=(2.0, 2.0), cpu_seconds=cpu_seconds, facts=facts)


@pytest.mark.parametrize(
    ("cpu_seconds", "pools", "reason"),
    [
        (8.0, {"openblas": 2, "openmp": 1}, None),
        (8.8, {}, None),
        (12.0, {}, "it kept 3.0 cores busy where 2 were allowed"),
        (4.0, {"openblas": 8}, "openblas would use 8 threads where 2 were allowed"),
    ],
)
def test_more_threads_than_allowed_are_told(cpu_seconds, pools, reason):
    assert threads.excess(Cell("mnist", "numpy", threads=2), outcome(cpu_seconds, **pools)) == reason


def test_this_process_tells_its_pools_and_its_threads():
    found = threads.in_this_process()
    assert found["process"] >= 1
    assert all(count >= 1 for count in found["pools"].values())
