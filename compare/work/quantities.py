"""What a stretch of training must do, whatever computes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class RowMoves:
    """Random rows of tables, each read and written. Rows that are moved equally often form a class."""

    row_bytes: int
    rows: np.ndarray
    """(classes,): how many rows."""
    moves: np.ndarray
    """(classes,): how often all of them together are moved."""

    @property
    def bytes_moved(self) -> float:
        return 2.0 * self.row_bytes * float(self.moves.sum())


@dataclass(frozen=True)
class Work:
    """The least that must be done in one sample: an epoch of MNIST, all epochs of word2vec."""

    flops: float
    """Multiplications and additions of matrix products and dot products."""
    streamed_bytes: float
    """Read from main memory once, in order."""
    row_moves: RowMoves
    calls: float
    """Calls of a library, or launches on a device, that the way of computing can't do without."""
    dataset_bytes: float
    """That a device must be sent once, before it can train."""
    steps: float
    """Updates, or words: what costs are told per."""
    dtype: str = "float32"
