"""What this machine's processor and memory can do at most."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import threadpoolctl

from compare import machine
from compare.ceilings.timing import Action, Effort, repeat, seconds_per_call, seconds_per_repeat
from compare.environment import worker_command, worker_environment
from compare.profile import CACHE_LEVELS, MEMORY, Ceiling
from compare.runner import death
from w2v.tables import new_table
from w2v.wording import counted

try:
    import compare.ceilings._memory as _memory
except ModuleNotFoundError:
    _memory = None  # type: ignore[assignment]

ROW_BYTES = (128, 256, 512, 1024, 2048)
TABLE_MOVES = {"gather": 1, "update": 2}
"""How often each byte of a row travels: an update reads and writes it."""
CALL_BYTES = 2**22
"""That a call moves at least, so that its own time doesn't count."""
NOT_COMPILED = "not compiled: install a C++ compiler, GCC or Clang, and then w2v-compare again"


def sgemm(threads: int, effort: Effort) -> list[Ceiling]:
    """The product of two square float32 matrices, by the BLAS that NumPy came with: 2 n³ flop."""
    n = effort.matrix
    a, b = np.random.default_rng(0).random((2, n, n), dtype=np.float32)
    c = np.empty_like(a)
    with threadpoolctl.threadpool_limits(threads):
        samples = [2 * n**3 / seconds for seconds in seconds_per_call(lambda: np.matmul(a, b, out=c), effort)]
    return [Ceiling("sgemm", "flop/s", max(samples), "cpu", threads, {"dtype": "float32", "n": n}, tuple(samples))]


def bfloat16(threads: int, effort: Effort) -> list[Ceiling]:
    """The same in bfloat16, by JAX, where processor and library can do it."""
    reason, samples = "", []
    if not set(machine.BFLOAT16_FLAGS) & set(machine.isa()):
        reason = "the processor has no bfloat16 instructions"
    elif find_spec("jax") is None:
        reason = "needs JAX: pip install 'w2v-compare[jax]'"
    else:
        command = worker_command("compare.ceilings.bfloat16", str(effort.matrix), str(effort.samples))
        done = subprocess.run(command, env=worker_environment(threads, "cpu", {}), capture_output=True, text=True)
        samples = [float(line) for line in done.stdout.split()]
        if done.returncode:
            reason = f"JAX {death(done.returncode, done.stderr.strip(), out_of_memory=False)}"
    value, conditions = max(samples, default=None), {"dtype": "bfloat16", "n": effort.matrix, "library": "jax"}
    return [Ceiling("sgemm", "flop/s", value, "cpu", threads, conditions, tuple(samples), reason)]


def call(effort: Effort) -> list[Ceiling]:
    """A call of NumPy that ends in BLAS with next to nothing to do there."""
    a = np.ones((4, 4), np.float32)
    c = np.empty_like(a)
    samples = seconds_per_call(lambda: np.matmul(a, a, out=c), effort)
    return [Ceiling("call", "s", min(samples), samples=samples)]


def thread_start(effort: Effort) -> list[Ceiling]:
    """Starting a Python thread that does nothing, and waiting for its end."""

    def start() -> None:
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()

    samples = seconds_per_call(start, effort)
    return [Ceiling("thread start", "s", min(samples), samples=samples)]


def streams(threads: int, effort: Effort) -> list[Ceiling]:
    """Copy and STREAM's triad over arrays in main memory, shared out among threads: bytes read and written."""
    if _memory is None:
        return unmeasured(("copy", "triad"), threads, MEMORY, NOT_COMPILED)
    length = memory_table_bytes(effort) // 4 // threads
    parts = [[new_table(1, length)[0] for _ in range(3)] for _ in range(threads)]
    for part in parts:
        for array in part:
            array[:] = 1  # an untouched page would be read from no memory at all
    copy = [partial(_memory.copy, a, b) for a, b, _ in parts]
    triad = [partial(_memory.triad, a, b, c, 0.5) for a, b, c in parts]
    conditions = {"level": MEMORY, "table_bytes": length * threads * 4}
    return [
        moved("copy", copy, 2 * 4 * length * threads, effort, conditions),
        moved("triad", triad, 3 * 4 * length * threads, effort, conditions),
    ]


def rows(level: str, threads: int, effort: Effort) -> list[Ceiling]:
    """Random rows of tables that lie in `level`, read ("gather") or read and written ("update")."""
    if _memory is None:
        return unmeasured(TABLE_MOVES, threads, level, NOT_COMPILED)
    table_bytes = level_table_bytes(level, threads, effort)
    if not table_bytes:
        reason = f"the size of this processor's {level} is not known"
        if level == "L3":
            reason += f", or no larger than twice the L2 of {counted(threads, 'thread')}"
        return unmeasured(TABLE_MOVES, threads, level, reason)
    found = []
    for row_bytes in ROW_BYTES:
        count = table_bytes // row_bytes // threads
        tables = [new_table(count, row_bytes // 4) for _ in range(threads)]
        for table in tables:
            table[:] = 0
        # As many rows as the table has: of fewer, the caches would hold what a sample reads again.
        length = max(count, CALL_BYTES // row_bytes)
        draws = [np.random.default_rng(thread).integers(0, count, length, np.int32) for thread in range(threads)]
        conditions = {"level": level, "table_bytes": table_bytes, "row_bytes": row_bytes}
        pairs = list(zip(tables, draws, strict=True))
        gathers = [partial(_memory.gather, table, draw) for table, draw in pairs]
        updates = [partial(_memory.update, table, draw, 1e-3) for table, draw in pairs]
        found += [
            moved("gather", gathers, TABLE_MOVES["gather"] * length * row_bytes * threads, effort, conditions),
            moved("update", updates, TABLE_MOVES["update"] * length * row_bytes * threads, effort, conditions),
        ]
    return found


def unmeasured(names: Iterable[str], threads: int, level: str, reason: str) -> list[Ceiling]:
    return [Ceiling(name, "B/s", None, "cpu", threads, {"level": level}, (), reason) for name in names]


def moved(
    name: str, actions: Sequence[Action], bytes_in_all: int, effort: Effort, conditions: Mapping[str, Any]
) -> Ceiling:
    """The rate at which `actions`, a thread each, move `bytes_in_all` together."""
    with ThreadPoolExecutor(len(actions)) as pool:
        times = seconds_per_repeat(lambda n: list(pool.map(lambda action: repeat(action, n), actions)), effort)
    samples = tuple(bytes_in_all / seconds for seconds in times)
    return Ceiling(name, "B/s", max(samples), "cpu", len(actions), conditions, samples)


def memory_table_bytes(effort: Effort) -> int:
    """Of what is sure to lie in main memory: four times the last cache, and at most an eighth of the free memory."""
    size = max(effort.memory_bytes, 4 * machine.cache_bytes(machine.caches(), "L3"))
    return min(size, machine.memory_available() // 8) // 2**20 * 2**20


def level_table_bytes(level: str, threads: int, effort: Effort) -> int:
    """Of all threads' tables together: half of each core's L2, or of the L3 that they share. 0: there is none."""
    if level == MEMORY:
        return memory_table_bytes(effort)
    sizes = {each: machine.cache_bytes(machine.caches(), each) for each in CACHE_LEVELS}
    size = sizes["L2"] * threads if level == "L2" else sizes["L3"]
    return 0 if level == "L3" and size <= 2 * sizes["L2"] * threads else size // 2
