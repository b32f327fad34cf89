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
        lockf: np.ndarray | None,
        window: int,
        negative: int,
        sg: bool,
        cbow_mean: bool,
        compute_loss: bool,
        isa: str,
    ) -> None: ...
    def add_negative_sampling(self, syn1neg: np.ndarray, cumulative: np.ndarray) -> None: ...
    def add_hierarchical_softmax(
        self, syn1: np.ndarray, points: np.ndarray, codes: np.ndarray, offsets: np.ndarray
    ) -> None: ...
    def train(
        self, words: np.ndarray, ends: np.ndarray, reduced_windows: np.ndarray, alpha: float, state: int
    ) -> tuple[float, int]: ...
