from __future__ import annotations

import numpy as np
import pytest
from gensim.models import KeyedVectors

from compare.quality import evaluate, sgns_loss
from w2v.corpus import EncodedCorpus


@pytest.fixture(scope="module")
def corpus() -> EncodedCorpus:
    random = np.random.default_rng(0)
    return EncodedCorpus.from_sentences(
        [[f"w{word}" for word in random.integers(0, 20, 30)] for _ in range(50)], min_count=1
    )


def test_untrained_output_rows_lose_log_2_a_decision(corpus):
    tables = (
        np.ones((len(corpus.vocabulary), 8), np.float32),
        np.zeros((len(corpus.vocabulary), 8), np.float32),
    )
    loss = sgns_loss(*tables, corpus, window=5, negative=5, sample=0)
    skipped = 5 * np.sum(corpus.vocabulary.noise_probabilities(0.75) * corpus.vocabulary.counts / len(corpus.ids))
    assert loss == pytest.approx((6 - skipped) * np.log(2), rel=0.01)


def test_pairs_are_the_same_at_every_call(corpus):
    random = np.random.default_rng(1)
    tables = random.normal(size=(2, len(corpus.vocabulary), 8)).astype(np.float32)
    first = sgns_loss(*tables, corpus, 5, 5, 1e-2)
    assert first == sgns_loss(*tables, corpus, 5, 5, 1e-2)


def test_loss_agrees_with_a_sum_over_all_pairs(corpus):
    random = np.random.default_rng(2)
    syn0, syn1neg = random.normal(size=(2, len(corpus.vocabulary), 8)).astype(np.float32)
    noise = corpus.vocabulary.noise_probabilities(0.75)
    scores = syn0 @ syn1neg.T
    negatives = np.logaddexp(0, scores) * noise
    total = weight = 0.0
    for begin, end in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
        ids = corpus.ids[begin:end]
        for at, centre in enumerate(ids):
            for shift in (-2, -1, 1, 2):
                if 0 <= at + shift < len(ids):
                    context = ids[at + shift]
                    share = 1.0 if abs(shift) == 1 else 0.5
                    pair = np.logaddexp(0, -scores[context, centre])
                    pair += 3 * (negatives[context].sum() - negatives[context, centre])
                    total, weight = total + share * pair, weight + share
    assert sgns_loss(syn0, syn1neg, corpus, window=2, negative=3, sample=0) == pytest.approx(total / weight, rel=0.02)


def test_scores_without_known_words_are_undefined_and_not_zero():
    vectors = KeyedVectors(2)
    vectors.add_vectors(["qqq", "zzz"], np.eye(2, dtype=np.float32))
    found = evaluate(vectors)
    assert found["analogies"] is found["wordsim"] is found["simlex"] is None
    assert found["analogies_asked"] == found["wordsim_asked"] == found["simlex_asked"] == 0


def test_scores_of_known_words():
    vectors = KeyedVectors(3)
    words = ["tiger", "cat", "book", "paper", "computer", "keyboard"]
    vectors.add_vectors(words, np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32))
    found = evaluate(vectors)
    assert found["wordsim_asked"] == 4
    assert -1 <= found["wordsim"] <= 1
