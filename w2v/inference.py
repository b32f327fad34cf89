"""What a trained model says of words and sentences it is shown."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from w2v.checks import count
from w2v.corpus import EncodedCorpus
from w2v.scan import MAX_SENTENCE, cut, require_tokens
from w2v.state import State, logger
from w2v.trainers import Task, trainer_class
from w2v.vocabulary import Vocabulary


def predict_output_word(model: State, context_words: Iterable[Any], topn: int | None) -> list[tuple[Any, float]] | None:
    """See `Word2Vec.predict_output_word`; RuntimeError without negative sampling."""
    weights = model._built_weights()
    if weights.syn1neg is None:
        raise RuntimeError("predict_output_word needs the output rows of negative sampling: train with negative > 0")
    if not isinstance(context_words, AbstractSet):  # the order of contexts is of no matter
        require_tokens(context_words, "context_words_list", "a list of tokens")
    if topn is not None:
        count("topn", topn, 0)
    rows = [model.wv.get_index(word) for word in context_words if word in model.wv]
    if not rows:
        logger.warning("none of the context words is in the vocabulary")
        return None
    hidden = weights.syn0[rows].sum(axis=0)
    if model.cbow_mean:
        hidden /= len(rows)
    scores = (weights.syn1neg @ hidden).astype(np.float64)
    probabilities = np.exp(scores - scores.max())
    probabilities /= probabilities.sum()
    best = np.argsort(-probabilities, kind="stable")[:topn]
    return [(model.wv.index_to_key[row], float(probabilities[row])) for row in best]


def score(model: State, trainer: str, sentences: Iterable[Iterable[Any]], total_sentences: int) -> np.ndarray:
    """See `Word2Vec.score`; RuntimeError without hierarchical softmax.

    The log-likelihood is what training loses at the learning rate 0.
    """
    weights, vocabulary = model._trainable_weights(), model._built_vocabulary()
    if weights.syn1 is None:
        raise RuntimeError("score needs the output rows of hierarchical softmax: train with hs=1")
    require_tokens(sentences, "sentences", "a list of token lists")
    scored = islice(sentences, count("total_sentences", total_sentences, 0))
    encoded = [_known(sentence, f"sentence {number}", vocabulary) for number, sentence in enumerate(scored)]
    if not encoded:
        return np.zeros(0)
    lengths = np.array([len(ids) for ids in encoded])
    pieces = cut(lengths)
    offsets = np.concatenate([[0], np.cumsum(pieces, dtype=np.int64)])
    corpus = EncodedCorpus(np.concatenate(encoded), offsets, pieces, vocabulary)
    params = replace(model.params, hs=1, negative=0, sample=0.0, shrink_windows=False, compute_loss=True, workers=1)
    worker = trainer_class(trainer)(Task(corpus, params, weights.syn0, syn1=weights.syn1)).worker(0)
    losses = [worker.train_chunk(piece, piece + 1, 0.0, 0).loss for piece in range(len(pieces))]
    pieces_of_each = np.maximum(-(-lengths // MAX_SENTENCE), 1)
    return 0.0 - np.add.reduceat(np.array(losses), np.cumsum(pieces_of_each) - pieces_of_each)


def _known(sentence: Iterable[Any], name: str, vocabulary: Vocabulary) -> np.ndarray:
    require_tokens(sentence, name, "a list of tokens")
    index = vocabulary.index
    return np.array([index[word] for word in sentence if word in index], np.int32)
