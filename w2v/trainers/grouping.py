"""How many neighbouring centres share their negatives, and meet them in one step from the same old rows."""

from __future__ import annotations

import numpy as np

from w2v.params import Params
from w2v.vocabulary import Vocabulary

MOST_IN_GROUP = 2
SMALL_VOCABULARY = 1_000
HEAVY_WORD = 0.05  # of the words kept
EXAMPLES_IN_ROW = 32  # that may meet in a negative's row at once


def negatives_of_group(negative: int, centres: int) -> tuple[int, float]:
    """How many noise words a group draws, and how much each of them weighs: as much as `negative` in all.

    Centres that share their negatives meet fewer different ones, which costs quality (measured in docs/parity.md); so
    each centre after the first brings one more.
    """
    drawn = negative + centres - 1 if negative else 0
    return drawn, negative / max(drawn, 1)


def require_drawn(negatives: np.ndarray, drawn: int) -> None:
    """ValueError unless samples that are given have as many noise words a group as it draws: (S, drawn)."""
    if negatives.shape[1] != drawn:
        raise ValueError(f"{negatives.shape[1]} negatives a group, which draws {drawn}")


def centres_in_group(params: Params, vocabulary: Vocabulary) -> int:
    """1 to MOST_IN_GROUP: as many as do no harm.

    Steps that meet in one row add up, and overshoot when they are many or large: wide windows make many of skip-gram
    and large ones of CBOW's sum without a group, and a small vocabulary comes back to the same rows at once. A word
    that fills much of the text is a centre of most groups, and so would hardly ever be a negative.
    """
    kept = vocabulary.counts * vocabulary.keep_probabilities(params.sample)
    if len(vocabulary) < SMALL_VOCABULARY or kept.max() > HEAVY_WORD * kept.sum():
        return 1
    if params.cbow_mean and not params.sg:
        return MOST_IN_GROUP
    return max(1, min(MOST_IN_GROUP, EXAMPLES_IN_ROW // (2 * params.window)))
