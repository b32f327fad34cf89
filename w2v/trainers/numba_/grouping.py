"""How many neighbouring centres share their negatives: the rule of `w2v.trainers.hogwild`, without its extension."""

from __future__ import annotations

from w2v.params import Params

MOST_IN_GROUP = 3
SMALL_VOCABULARY = 1_000
EXAMPLES_IN_ROW = 32  # that may meet in a negative's row at once


def centres_in_group(params: Params, words: int) -> int:
    """How many neighbouring centres share their negatives, in one step from the same old rows.

    Steps that meet in one row add up, and overshoot when they are many: wide windows of skip-gram make many without a
    group, and a small vocabulary comes back to the same rows at once.
    """
    if words < SMALL_VOCABULARY:
        return 1
    return max(1, min(MOST_IN_GROUP, EXAMPLES_IN_ROW // (2 * params.window))) if params.sg else MOST_IN_GROUP
