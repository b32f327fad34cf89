"""How a task is laid out on a device: what its kernels are compiled for, and how many warps may run at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import numpy as np

from w2v.params import Params
from w2v.trainers import Task
from w2v.trainers.reference import CONTEXT_BATCH

SOURCES = "philox.cu", "rows.cu", "sample.cu", "ring.cu", "head.cu", "train.cu"

MOST_OUTPUTS = 64  # as LANE_FLOATS in rows.cu
MOST_WARPS = 4
"""In a block: enough to fill a multiprocessor with few blocks, few enough to share its memory out evenly."""
MIN_STRETCH = 128
"""Words that a warp trains on, at the least: see train.cu."""

HOT_ROW_IN_FLIGHT = 256
"""Copies of the same row that warps may hold at once: each then adds about 1/n of its changes (see damping.py).

In lockstep simulations so many learn, if a little less than one warp; without damping they diverge (see docs/gpu.md).
"""


def kernel_source() -> str:
    """The kernels, as one text for one module."""
    folder = Path(__file__).parent
    return "".join(f'#line 1 "{name}"\n{(folder / name).read_text("utf-8")}\n' for name in SOURCES)


def compile_options(constants: Mapping[str, int]) -> list[str]:
    """What the compiler is told."""
    return ["--std=c++17", *(f"-D{name}={value}" for name, value in constants.items())]


def require_few_negatives(params: Params) -> None:
    """ValueError if `negative` is more than the kernels take."""
    if params.negative >= MOST_OUTPUTS:
        raise ValueError(
            f'negative={params.negative}: trainer="cupy" takes at most {MOST_OUTPUTS - 1}; the usual is 5 to 20'
        )


class Plan:
    """The layout of `task`.

    Raises
    ------
    ValueError
        If `negative` is more than the kernels take.
    """

    def __init__(self, task: Task) -> None:
        require_few_negatives(task.params)
        self._task = task

    @cached_property
    def row(self) -> int:
        """Floats of a row on the device: a multiple of 64, so that each lane has whole pairs."""
        return -(-self._task.params.vector_size // 64) * 64

    @cached_property
    def negative(self) -> int:
        """Noise words of a centre; 0 without negative sampling."""
        return 0 if self._task.syn1neg is None else self._task.params.negative

    @cached_property
    def depth(self) -> int:
        """The longest path of the Huffman tree; 0 without hierarchical softmax."""
        return 0 if self._task.syn1 is None else int(np.diff(self._task.corpus.vocabulary.tree.offsets).max())

    @cached_property
    def constants(self) -> Mapping[str, int]:
        """What the kernels are compiled for (see train.cu)."""
        params = self._task.params
        return {
            "ROW": self.row,
            "WINDOW": params.window,
            "NEGATIVE": self.negative,
            "DEPTH": self.depth,
            "CBOW": int(not params.sg),
            "CBOW_MEAN": params.cbow_mean,
            "LOSS": int(params.compute_loss),
            "MOST_WARPS": MOST_WARPS,
            "MIN_STRETCH": MIN_STRETCH,
            "WARP_BYTES": self.warp_bytes,
        }

    @cached_property
    def warp_bytes(self) -> int:
        """Shared memory that a warp needs: struct Warp in ring.cu."""
        window, skip_gram = self._task.params.window, self._task.params.sg
        ring, outputs = 2 * window + 1, max(self.depth, self.negative + 1 if self.negative else 0)
        rows = ring * 2 * self.row + (4 if skip_gram else self.row)
        steps = (min(CONTEXT_BATCH, 2 * window) if skip_gram else 1) * (-(-outputs // 4) * 4)
        words = rows + steps + 3 * outputs + 2 * window + 5 * ring
        return -(-4 * words // 16) * 16

    def block_warps(self, shared_bytes: int) -> int:
        """Warps in a block of at most `shared_bytes` of shared memory; ValueError if not even one fits."""
        for warps in (MOST_WARPS, MOST_WARPS // 2, 1):
            if warps * self.warp_bytes <= shared_bytes:
                return warps
        params = self._task.params
        raise ValueError(
            f"window={params.window} with vector_size={params.vector_size} needs {self.warp_bytes:,} bytes of shared "
            f"memory in a block and this device has {shared_bytes:,}: lower window or vector_size"
        )

    def most_warps(self) -> int:
        """How many warps may train at once, so that staleness does not harm the most frequent word (see train.cu)."""
        task, params = self._task, self._task.params
        vocabulary = task.corpus.vocabulary
        kept = vocabulary.counts * vocabulary.keep_probabilities(params.sample)
        kept /= kept.sum()
        rows_at_once = (2 * params.window + 1) * kept.max()
        if task.syn1neg is not None:
            noise = vocabulary.noise_probabilities(params.ns_exponent)
            rows_at_once = max(rows_at_once, (kept + params.negative * noise).max())
        if task.syn1 is not None:
            rows_at_once = max(rows_at_once, 1.0)  # every path begins at the root
        return max(1, int(HOT_ROW_IN_FLIGHT / rows_at_once))
