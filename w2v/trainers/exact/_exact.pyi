import numpy as np

def usable_isas() -> list[str]: ...
def subsample(
    ids: np.ndarray,
    offsets: np.ndarray,
    thresholds: np.ndarray,
    state: int,
    kept: np.ndarray,
    ends: np.ndarray,
) -> tuple[int, int]: ...

class Model:
    def __init__(
        self,
        syn0: np.ndarray,
        syn1neg: np.ndarray,
        cumulative: np.ndarray,
        window: int,
        negative: int,
        isa: str,
    ) -> None: ...
    def train(
        self, words: np.ndarray, ends: np.ndarray, reduced_windows: np.ndarray, alpha: float, state: int
    ) -> None: ...
