"""Models from gensim's Word2Vec and to it, with all that training goes on from."""

from __future__ import annotations

import copy
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from w2v.tables import as_table
from w2v.vocabulary import Vocabulary
from w2v.weights import Weights

if TYPE_CHECKING:
    from gensim.models import Word2Vec as GensimWord2Vec

    from w2v.model import Word2Vec

NOT_KEPT = {"sentences", "corpus_file", "trim_rule", "callbacks"}  # arguments that neither model has as attributes
HISTORY = "corpus_count", "corpus_total_words", "train_count", "total_train_time", "min_alpha_yet_reached"


def from_gensim(cls: type[Word2Vec], theirs: GensimWord2Vec, **own: Any) -> Word2Vec:
    """See `Word2Vec.from_gensim`; TypeError for another kind of model, ValueError for one without a vocabulary."""
    from gensim.models import Word2Vec as GensimWord2Vec

    if type(theirs) is not GensimWord2Vec:
        raise TypeError(f"{type(theirs).__name__} is no gensim.models.Word2Vec: only those can be taken over")
    if not len(theirs.wv):
        raise ValueError("gensim's model has no vocabulary yet: call its build_vocab() first")
    ours = cls(**_settings(theirs), **own)
    wv = theirs.wv
    ours._vocabulary = Vocabulary(wv.index_to_key, wv.expandos["count"])
    ours._weights = Weights(
        as_table(wv.vectors),
        as_table(theirs.syn1neg) if ours.negative else None,
        as_table(theirs.syn1[:-1]) if ours.hs else None,  # gensim's last row is of no inner node
    )
    ours.wv.vectors_lockf = np.array(wv.vectors_lockf, np.float32)
    ours.effective_min_count = getattr(theirs, "effective_min_count", theirs.min_count)
    _hand_over(theirs, ours)
    return ours


def to_gensim(ours: Word2Vec) -> GensimWord2Vec:
    """See `Word2Vec.to_gensim`."""
    from gensim.models import Word2Vec as GensimWord2Vec

    weights, vocabulary = ours._built_weights(), ours._built_vocabulary()
    theirs = GensimWord2Vec(**_settings(ours))
    wv = theirs.wv
    wv.index_to_key, wv.key_to_index = list(vocabulary.words), dict(vocabulary.index)
    wv.vectors = np.array(weights.syn0, order="C")
    wv.expandos = {"count": vocabulary.counts.copy(), "sample_int": vocabulary.keep_thresholds(ours.sample)}
    wv.vectors_lockf = np.array(ours.wv.vectors_lockf, np.float32)
    wv.next_index = len(vocabulary)
    if weights.syn1neg is not None:
        theirs.syn1neg = np.array(weights.syn1neg, order="C")
        theirs.cum_table = vocabulary.cumulative_noise(ours.ns_exponent)
    if weights.syn1 is not None:
        theirs.syn1 = np.zeros_like(wv.vectors)
        theirs.syn1[:-1] = weights.syn1
        theirs.create_binary_tree()
    theirs.effective_min_count = ours.effective_min_count
    _hand_over(ours, theirs)
    return theirs


def _settings(model: Any) -> dict[str, Any]:
    from gensim.models import Word2Vec as GensimWord2Vec

    names = signature(GensimWord2Vec).parameters.keys() - NOT_KEPT
    return {name: getattr(model, name) for name in names}


def _hand_over(giver: Any, taker: Any) -> None:
    """What a model has behind it, its random stream included."""
    for name in HISTORY:
        setattr(taker, name, getattr(giver, name))
    taker.random = copy.deepcopy(giver.random)
