import numpy as np

def usable_isas() -> list[str]: ...

class Model:
    def __init__(
        self,
        syn0: np.ndarray,
        syn1neg: np.ndarray,
        keep: np.ndarray,
        noise: np.ndarray,
        window: int,
        negative: int,
        shrink_windows: bool,
        threads: int,
    ) -> None: ...

class Thread:
    def __init__(self, model: Model, isa: str) -> None: ...
    def train_chunk(
        self, ids: np.ndarray, offsets: np.ndarray, begin: int, end: int, alpha: float, seed: int
    ) -> int: ...
    def train_windows(
        self, tokens: np.ndarray, first: np.ndarray, last: np.ndarray, negatives: np.ndarray, alpha: float
    ) -> None: ...
    def merge(self) -> None: ...
