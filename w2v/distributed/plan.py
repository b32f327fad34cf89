"""What an epoch on many ranks will take: a model of time from one machine's speed and the network's bandwidth."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from w2v.distributed.averaging import FIRST_ROWS, LEAST_WORDS, SHARE, rows_to_average
from w2v.schedule import CHUNK_WORDS

UNITS = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
LATENCY_SECONDS = 20e-6


@dataclass(frozen=True)
class Plan:
    """Of an epoch, in seconds: each part, and how often ranks average, and words a rank trains between."""

    training: float
    averaging: float
    waiting: float
    syncs: int
    words_between: float

    @property
    def seconds(self) -> float:
        """All parts together."""
        return self.training + self.averaging + self.waiting


def plan(
    words: int, words_per_second: float, threads: int, rows: int, row_bytes: int, ranks: int, bandwidth: float
) -> Plan:
    """The time of an epoch, when every rank trains as fast as this machine and all have equal parts.

    At a sync all threads of all ranks wait for the last to end its chunk. Each ends its own at any time, so the last of
    n is, in the mean, n / (n + 1) of a chunk late, and a thread half of one.

    An allreduce of B bytes takes 2 log2(n) latencies and 2 (n - 1) / n B / bandwidth seconds (Rabenseifner's algorithm,
    Thakur et al. 2005, "Optimization of Collective Communication Operations in MPICH"); time to add up isn't counted.

    Parameters
    ----------
    words_per_second, threads
        Of a rank.
    rows, row_bytes : int
        Of all weight tables side by side.
    bandwidth : float
        Bytes a second, in and out of a rank at once.
    """
    training = words / words_per_second / ranks
    if ranks == 1:
        return Plan(training, 0.0, 0.0, 0, float(words))

    def seconds(averaged_rows: float) -> float:
        sent = 2 * (ranks - 1) / ranks * averaged_rows * row_bytes
        return 2 * math.log2(ranks) * LATENCY_SECONDS + sent / bandwidth

    cost = seconds(mean_rows(rows))
    syncs = min(int(training / (cost * (1 - SHARE) / SHARE)), words // ranks // LEAST_WORDS)
    chunk_seconds = CHUNK_WORDS * threads / words_per_second
    all_threads = ranks * threads
    waiting = (syncs + 1) * chunk_seconds * (all_threads / (all_threads + 1) - 1 / 2)
    return Plan(training, syncs * cost + seconds(rows), waiting, syncs, words / ranks / (syncs + 1))


def mean_rows(rows: int) -> float:
    """How many rows a sync averages, in the mean over the schedule's period, of so many rows in all."""
    period = 2 ** max(math.ceil(math.log2(rows / FIRST_ROWS)), 0)
    return sum(min(rows_to_average(sync), rows) for sync in range(1, period + 1)) / period


def bytes_per_second(text: str) -> float:
    """A bandwidth: "100Gb" is bits, "12GB" bytes, a second; ValueError for anything else."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?) ?([KMGT]?)(b|bit|B)(?:/s|ps)?", text)
    if not found or not 0 < (number := float(found[1])) < math.inf:
        raise ValueError(f"{text!r} is no bandwidth: write 100Gb for bits a second, or 12GB for bytes")
    return number * UNITS.get(found[2], 1) / (1 if found[3] == "B" else 8)
