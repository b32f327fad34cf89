"""The work of training word2vec by negative sampling.

Sources: the updates are word2vec.c's (Mikolov et al. 2013, arXiv:1310.4546); sharing a centre's negatives among its
context words is pWord2Vec's (Ji et al. 2016, arXiv:1604.04661); that a context row need be fetched once for all windows
it is part of is FULL-W2V's (Randall et al. 2021, arXiv:2312.07743).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from compare.cell import Cell
from compare.work.quantities import RowMoves, Work
from w2v.params import Params
from w2v.vocabulary import Vocabulary

PAIRWISE = ("exact", "gensim", "gensim-file")
"""Backends that draw negatives for every pair of words; the others once a centre."""
SPECTRUM_CLASSES = 200
ZIPF_SHIFT = 2.7


def sgns(vocabulary: Vocabulary, params: Params, raw_words: float, pairwise: bool) -> Work:
    """Skip-gram (params.sg) or CBOW over `raw_words` words of a text with this vocabulary, epochs included.

    With d numbers a row, K negatives, and B context words, w + 1 on average where windows shrink and 2 w where they do
    not, each kept word takes

        skip-gram   B (K + 1) dot products, and as many updates of both sides:    6 d flop each
        CBOW        the mean of B rows, K + 1 dot products and updates, and B updates of the contexts

    and moves these rows, each read and written: its own as a context, once for all windows that it is part of; its own
    as an output; and the negatives, K, or B K where every pair draws its own. Sentences are taken to be long.
    """
    d, outputs = params.vector_size, params.negative + 1
    contexts = params.window + 1 if params.shrink_windows else 2 * params.window
    keep = vocabulary.keep_probabilities(params.sample)
    share = vocabulary.counts / vocabulary.counts.sum()
    kept_share = share * keep
    kept = raw_words * float(kept_share.sum())
    per_word = contexts * outputs * 6 * d if params.sg else outputs * 6 * d + contexts * 2 * d
    own = raw_words * kept_share
    draws = params.negative * (contexts if pairwise and params.sg else 1)
    noise = kept * draws * vocabulary.noise_probabilities(params.ns_exponent)
    row_bytes = -(-d // 16) * 64  # whole cache lines
    rows, moves = _classes(np.concatenate([own, own + noise]))  # syn0's, then syn1neg's
    return Work(
        flops=kept * per_word,
        streamed_bytes=4.0 * raw_words,
        row_moves=RowMoves(row_bytes, rows, moves),
        calls=0.0,
        dataset_bytes=4.0 * raw_words / params.epochs + 2.0 * len(vocabulary) * row_bytes,
        steps=raw_words,
    )


def _classes(moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    # Rows that are moved equally often, together: how many, and how often in all.
    values, rows = np.unique(moves, return_counts=True)
    return rows, values * rows


def of_cell(cell: Cell, facts: Mapping[str, Any]) -> Work | None:
    """cell.shape: dim. cell.options: words, epochs, and the hyper-parameters. One sample is all epochs.

    facts: `spectrum`, what `spectrum` makes of the counts. Without one there is no model, nor for hierarchical softmax.
    """
    if "spectrum" not in facts or cell.options.get("hs"):
        return None
    return of_vocabulary(cell, of_spectrum(facts["spectrum"]))


def of_vocabulary(cell: Cell, vocabulary: Vocabulary) -> Work:
    """The same of a cell whose text has this vocabulary."""
    names = ("sg", "window", "negative", "sample", "epochs")
    given = {name: cell.options[name] for name in names if name in cell.options}
    params = Params(**{"sg": 1, **given}, vector_size=cell.shape["dim"])
    raw_words = cell.options["words"] * params.epochs
    return sgns(vocabulary, params, raw_words, cell.backend in PAIRWISE)


def spectrum(counts: np.ndarray) -> list[list[float]]:
    """How many words occur how often, [[count, words], ...]: exact for the most frequent, then in classes of ranks."""
    ordered = np.sort(counts)[::-1]
    edges = np.unique(np.geomspace(1, len(ordered) + 1, SPECTRUM_CLASSES).astype(int)) - 1
    return [[float(ordered[begin:end].mean()), int(end - begin)] for begin, end in itertools.pairwise(edges)]


def of_spectrum(classes: list[list[float]]) -> Vocabulary:
    counts = np.concatenate([np.full(int(words), max(1, round(count))) for count, words in classes])
    return Vocabulary(range(len(counts)), counts)


def zipf(words: int, tokens: int) -> Vocabulary:
    """A vocabulary as natural language has it: counts fall as 1 / (rank + 2.7) (Zipf 1935, Mandelbrot 1953)."""
    weights = 1 / (np.arange(1, words + 1) + ZIPF_SHIFT)
    counts = np.maximum(1, np.rint(tokens * weights / weights.sum())).astype(np.int64)
    return Vocabulary(range(words), counts)
