"""Whether a run kept to its threads: what its libraries say, what the system counts, and how many cores were busy."""

from __future__ import annotations

from typing import Any

import psutil
import threadpoolctl

from compare.cell import Cell, Outcome

SLACK = 0.25
"""Cores that may be busy beyond the limit: an interpreter that hands out work beside the threads that do it."""


def in_this_process() -> dict[str, Any]:
    """JSON values: the most threads each kind of pool will use, and how many threads the process has."""
    pools: dict[str, int] = {}
    for pool in threadpoolctl.threadpool_info():
        name = pool["internal_api"]
        pools[name] = max(pools.get(name, 0), pool["num_threads"])
    return {"pools": pools, "process": psutil.Process().num_threads()}


def busy_cores(outcome: Outcome) -> float | None:
    """Cores that the run kept busy while it was timed, on average."""
    return outcome.cpu_seconds / outcome.warm if outcome.cpu_seconds is not None and outcome.warm else None


def excess(cell: Cell, outcome: Outcome) -> str | None:
    """How a run went beyond the threads of its cell; None when it kept to them."""
    pools = outcome.facts.get("threads", {}).get("pools", {})
    beyond = [f"{name} would use {count} threads" for name, count in pools.items() if count > cell.threads]
    busy = busy_cores(outcome)
    if busy is not None and busy > cell.threads + SLACK:
        beyond.append(f"it kept {busy:.1f} cores busy")
    return f"{' and '.join(beyond)} where {cell.threads} were allowed" if beyond else None
