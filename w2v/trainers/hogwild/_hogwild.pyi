import numpy as np

def usable_isas() -> list[str]: ...

class Model:
    def __init__(
        self,
        syn0: np.ndarray,
        syn1neg: np.ndarray | None,
        syn1: np.ndarray | None,
        keep: np.ndarray,
        noise: np.ndarray,
        nodes: np.ndarray | None,
        codes: np.ndarray | None,
        offsets: np.ndarray | None,
        lockf: np.ndarray | None,
        syn0_traffic: np.ndarray,
        syn1neg_traffic: np.ndarray | None,
        syn1_traffic: np.ndarray | None,
        *,
        window: int,
        group: int,
        drawn: int,
        negative_weight: float,
        shrink_windows: bool,
        skip_gram: bool,
        cbow_mean: bool,
        compute_loss: bool,
        threads: int,
    ) -> None: ...

class Thread:
    def __init__(self, model: Model, isa: str) -> None: ...
    def train_chunk(
        self, ids: np.ndarray, offsets: np.ndarray, begin: int, end: int, alpha: float, seed: int
    ) -> tuple[int, float, int]: ...
    def train_windows(
        self, tokens: np.ndarray, first: np.ndarray, last: np.ndarray, negatives: np.ndarray, alpha: float
    ) -> tuple[int, float, int]: ...
    def merge(self) -> None: ...
