"""The one schedule of every trainer: how a corpus is cut into chunks, and the learning rate of each.

Both depend on the position in the corpus alone, never on the number of threads or on their timing.
"""

from __future__ import annotations

import numpy as np

from w2v.params import Params

CHUNK_WORDS = Params.batch_words
MOST_ALPHA_ON_RANKS = 0.1  # eight ranks diverged at 0.15 (docs/mpi.md)


def chunk_bounds(raw_lengths: np.ndarray, batch_words: int = CHUNK_WORDS) -> np.ndarray:
    """Cut sentences into chunks of at most `batch_words` words, as gensim cuts its jobs; a longer sentence is its own.

    raw_lengths: int32 (S,), words in each sentence.
    Returns int64 (C+1,): chunk c holds the sentences [bounds[c], bounds[c+1]).
    """
    ends = np.cumsum(raw_lengths, dtype=np.int64)
    bounds, done = [0], 0
    while bounds[-1] < len(ends):
        full = int(np.searchsorted(ends, done + batch_words, side="right"))
        bounds.append(max(full, bounds[-1] + 1))
        done = ends[bounds[-1] - 1]
    return np.array(bounds, dtype=np.int64)


def alpha_at(progress: float, params: Params) -> float:
    """The learning rate when a share `progress` in [0, 1] of the run is done: linear, as in word2vec.c and gensim.

    It never rises: where min_alpha is above alpha, it is alpha all along.
    """
    end = min(params.min_alpha, params.alpha)
    return max(end, params.alpha - (params.alpha - end) * progress)


def alpha_on_ranks(alpha: float, ranks: int) -> float:
    """What makes up for averaging, which leaves of the ranks' steps only their mean: as many times the learning rate.

    But not above MOST_ALPHA_ON_RANKS, unless `alpha` itself is.
    """
    return max(alpha, min(ranks * alpha, MOST_ALPHA_ON_RANKS))
