"""What a word2vec model has learnt, measured in one way whoever trained it."""

from __future__ import annotations

import numpy as np
from gensim.models import KeyedVectors
from gensim.test.utils import datapath

from w2v.corpus import EncodedCorpus

RESTRICT_VOCAB = 30_000
SIMILARITIES = {"wordsim": ("wordsim353.tsv", 353), "simlex": ("simlex999.txt", 999)}
LOSS_CENTRES = 10_000
LOSS_SEED = 20130116


def sgns_loss(
    syn0: np.ndarray,
    syn1neg: np.ndarray,
    corpus: EncodedCorpus,
    window: int,
    negative: int,
    sample: float,
    ns_exponent: float = 0.75,
) -> float:
    """Mean skip-gram loss with negative sampling (Mikolov et al. 2013, eq. 4), on pairs as in training.

    For each pair (centre o, context c) and negatives n_1 ... n_K:

        -log sigmoid(syn0[c] . syn1neg[o]) - sum_k log sigmoid(-syn0[c] . syn1neg[n_k])

    Centres are LOSS_CENTRES tokens of the corpus after subsampling, contexts those within a window of 1 to
    `window` words in the same sentence, negatives from counts ** ns_exponent; one that equals the centre is
    left out, as in word2vec. The seed is fixed, so models over one corpus meet the same pairs.

    syn0, syn1neg: float32 (V, d), rows in the order of corpus.vocabulary. The sum is taken in float64.
    """
    random = np.random.default_rng(LOSS_SEED)
    vocabulary = corpus.vocabulary
    kept = random.random(len(corpus.ids)) < vocabulary.keep_probabilities(sample)[corpus.ids]
    ids = corpus.ids[kept]
    sentences = np.repeat(np.arange(len(corpus.offsets) - 1), np.diff(corpus.offsets))[kept]
    if len(ids) < 2:
        return float("nan")

    positions = random.integers(len(ids), size=LOSS_CENTRES)
    shifts = np.setdiff1d(np.arange(-window, window + 1), [0])
    contexts = positions[:, None] + shifts
    within = np.abs(shifts) <= random.integers(1, window + 1, size=(LOSS_CENTRES, 1))
    inside = (contexts >= 0) & (contexts < len(ids))
    same = sentences[np.clip(contexts, 0, len(ids) - 1)] == sentences[positions][:, None]
    rows, columns = np.nonzero(within & inside & same)
    centres, inputs = ids[positions[rows]], syn0[ids[contexts[rows, columns]]]

    def scores(outputs: np.ndarray) -> np.ndarray:
        return np.einsum("pd,pd->p", inputs, syn1neg[outputs], dtype=np.float64)

    noise = vocabulary.noise_probabilities(ns_exponent)
    loss = np.logaddexp(0.0, -scores(centres))
    for _ in range(negative):
        drawn = random.choice(len(vocabulary), size=len(centres), p=noise)
        loss += np.where(drawn == centres, 0.0, np.logaddexp(0.0, scores(drawn)))
    return float(loss.mean()) if len(loss) else float("nan")


def evaluate(vectors: KeyedVectors) -> dict[str, float | None]:
    """Analogies (share right), WordSim-353 and SimLex-999 (Spearman), and how many of each were asked.

    By gensim's own evaluation, on the files that gensim carries; None where too few words are known.
    """
    score, sections = vectors.evaluate_word_analogies(datapath("questions-words.txt"), restrict_vocab=RESTRICT_VOCAB)
    asked = len(sections[-1]["correct"]) + len(sections[-1]["incorrect"])
    found: dict[str, float | None] = {"analogies": score if asked else None, "analogies_asked": asked}
    for name, (file, pairs) in SIMILARITIES.items():
        try:
            _, spearman, unknown = vectors.evaluate_word_pairs(datapath(file))
        except ValueError:  # fewer than two pairs are known
            found |= {name: None, f"{name}_asked": 0}
        else:
            found |= {name: float(spearman[0]), f"{name}_asked": round(pairs * (1 - unknown / 100))}
    return found
