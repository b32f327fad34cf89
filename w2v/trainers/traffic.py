"""How many examples, a word that is kept, meet each row of the tables: what decides how fast a row can change,
and so how much of what many learn at once from one old value may be added up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from w2v.params import Params
from w2v.vocabulary import Vocabulary


class Traffic(NamedTuple):
    """Examples a kept word, on average, of each row: float32; syn1's from the root on; None without the table."""

    syn0: np.ndarray
    syn1neg: np.ndarray | None
    syn1: np.ndarray | None


def traffic(params: Params, vocabulary: Vocabulary) -> Traffic:
    """Of a text without sentence ends, in which windows are as wide as they may be."""
    kept = vocabulary.counts * vocabulary.keep_probabilities(params.sample)
    share = kept / kept.sum()
    contexts = params.window + 1 if params.shrink_windows else 2 * params.window
    inputs = contexts if params.sg else 1  # that predict the outputs of a centre
    outputs, syn1neg, syn1 = 0.0, None, None
    if params.negative:
        outputs += 1 + params.negative
        noise = vocabulary.noise_probabilities(params.ns_exponent)
        syn1neg = (inputs * (share + params.negative * noise)).astype(np.float32)
    if params.hs:
        tree = vocabulary.tree
        lengths = np.diff(tree.offsets)
        outputs += share @ lengths
        through = np.bincount(tree.points, np.repeat(share, lengths), len(share) - 1)
        syn1 = (inputs * through[::-1]).astype(np.float32)
    return Traffic((contexts * share * outputs).astype(np.float32), syn1neg, syn1)
