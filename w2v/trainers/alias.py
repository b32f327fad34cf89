"""The alias method (Walker 1977): any distribution over words from one look-up and two random numbers."""

from __future__ import annotations

import numpy as np


def alias_slots(probabilities: np.ndarray) -> np.ndarray:
    """uint32 (V, 2): the threshold and the alias of each slot, for probabilities float64 (V,).

    Draw a slot uniformly and a random uint32; it means the slot's own word if at most the threshold, else the alias.

    All slots are filled at once (Hübschle-Schneider and Sanders 2022, "Parallel Weighted Random Sampling",
    arXiv:1903.00227, section 4.1): words above the average give, in order, what words below it lack, in order, so
    running sums tell who gives to whom.
    """
    share = probabilities * len(probabilities)
    light, heavy = np.flatnonzero(share < 1), np.flatnonzero(share >= 1)
    lacking, spare = np.cumsum(1 - share[light]), np.cumsum(share[heavy] - 1)
    kept, alias = share.copy(), np.arange(len(share))
    if len(light) and len(heavy):
        # A light word takes from the first heavy one that those before it have not used up.
        giver = np.searchsorted(spare, np.concatenate([[0], lacking[:-1]]), side="right")
        alias[light] = heavy[np.minimum(giver, len(heavy) - 1)]
        # A heavy word that gives more than it can spare takes the difference from the next.
        taker = np.searchsorted(lacking, spare, side="left")
        over = taker < len(light)
        kept[heavy] = 1
        kept[heavy[over]] = 1 + spare[over] - lacking[taker[over]]
        alias[heavy[:-1]] = heavy[1:]
    thresholds = np.clip(kept, 0, 1) * (2**32 - 1)
    return np.stack([thresholds.astype(np.uint32), alias.astype(np.uint32)], axis=1)
