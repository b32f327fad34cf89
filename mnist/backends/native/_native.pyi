from collections.abc import Sequence

import numpy as np

BF16: str
BF16_COMPILED: bool

def usable_isas() -> list[str]: ...
def has_bf16() -> bool: ...
def train_epoch(
    weights: np.ndarray,
    images: np.ndarray,
    labels: np.ndarray,
    order: np.ndarray,
    *,
    sizes: Sequence[int],
    batch: int,
    learning_rate: float,
    threads: int,
    isa: str,
) -> float: ...
