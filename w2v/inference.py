"""What a trained model says of words and sentences it is shown."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from w2v.corpus import EncodedCorpus
from w2v.scan import MAX_SENTENCE, cut
from w2v.state import State, logger
from w2v.trainers import Task, trainer_class
from w2v.vocabulary import Vocabulary


def predict_output_word(model: State, context_words: Iterable[Any], topn: int | None) -> list[tuple[Any, float]] | None:
    """See `Word2Vec.predict_output_word`; RuntimeError without negative sampling."""
    weights = model._built_weights()
    if weights.syn1neg is None:
        raise RuntimeError("predict_output_word needs the output rows of negative sampling: train with negative > 0")
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
    encoded = [_known(sentence, vocabulary) for sentence in islice(sentences, total_sentences)]
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


def _known(sentence: Iterable[Any], vocabulary: Vocabulary) -> np.ndarray:
    if isinstance(sentence, str):
        raise TypeError(f"a sentence is the string {reprlib.repr(sentence)}, not a list of tokens: split it")
    index = vocabulary.index
    return np.array([index[word] for word in sentence if word in index], np.int32)
