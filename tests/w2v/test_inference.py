"""Predictions and scores, against gensim's of the same weights."""

from __future__ import annotations

import numpy as np
import pytest
from gensim.models.word2vec import LineSentence
from gensim.test.utils import datapath

from w2v import Word2Vec

SENTENCES = list(LineSentence(datapath("lee_background.cor")))[:60]
SMALL = {"vector_size": 20, "workers": 1, "epochs": 3}


@pytest.mark.parametrize("cbow_mean", [0, 1])
def test_predicted_words_are_gensims(cbow_mean):
    ours = Word2Vec(SENTENCES, **SMALL, cbow_mean=cbow_mean)
    context = ["the", "nowhere", "government", "of"]
    words, probabilities = zip(*ours.predict_output_word(context, topn=7), strict=True)
    their_words, their_probabilities = zip(*ours.to_gensim().predict_output_word(context, topn=7), strict=True)
    assert words == their_words
    assert probabilities == pytest.approx(their_probabilities, rel=1e-4)


def test_probabilities_sum_to_one_however_large_the_scores():
    model = Word2Vec(SENTENCES, **SMALL)
    model.wv.vectors[:] *= 1e6
    everything = model.predict_output_word(["the"], topn=None)
    assert len(everything) == len(model.wv)
    assert sum(probability for _, probability in everything) == pytest.approx(1)


def test_unknown_words_predict_nothing(caplog):
    assert Word2Vec(SENTENCES, **SMALL).predict_output_word(["nowhere"]) is None
    assert caplog.messages == ["none of the context words is in the vocabulary"]


@pytest.mark.parametrize("trainer", ["hogwild", "exact"])
@pytest.mark.parametrize("mode", [{"sg": 1}, {"sg": 0, "cbow_mean": 1}, {"sg": 0, "cbow_mean": 0}], ids=str)
def test_scores_are_gensims(mode, trainer):
    ours = Word2Vec(SENTENCES, **SMALL, **mode, hs=1, negative=0, trainer=trainer)
    before = ours.wv.vectors.copy()
    shown = [*SENTENCES[:4], [], ["nowhere"]]
    scores = ours.score(iter(shown))
    assert scores.dtype == np.float64
    # gensim's table of logarithms is read 0.4 % of its length too low, which makes each of them about 2 % too large.
    np.testing.assert_allclose(scores, ours.to_gensim().score(shown), rtol=0.03)
    np.testing.assert_array_equal(ours.wv.vectors, before)


@pytest.mark.parametrize("size", [20, 16])
def test_a_mapped_model_scores_as_it_did(tmp_path, size):
    model = Word2Vec(SENTENCES, **{**SMALL, "vector_size": size}, hs=1, negative=0)
    model.save(tmp_path / "model")
    mapped = Word2Vec.load(tmp_path / "model", mmap="r")
    mapped.trainer = model.trainer
    np.testing.assert_array_equal(mapped.score(SENTENCES[:3]), model.score(SENTENCES[:3]))


def test_a_long_sentence_is_scored_to_its_last_word():
    model = Word2Vec(SENTENCES, **SMALL, hs=1, negative=0)
    words = [word for sentence in SENTENCES for word in sentence if word in model.wv]
    short, long = model.score([words, words * 10])
    assert long == pytest.approx(10 * short, rel=0.01)


def test_scoring_stops_after_total_sentences():
    model = Word2Vec(SENTENCES, **SMALL, hs=1)
    assert len(model.score(SENTENCES, total_sentences=3)) == 3
    assert len(model.score([])) == 0


@pytest.mark.parametrize(
    ("settings", "call", "error", "message"),
    [
        ({"hs": 1, "negative": 0}, lambda m: m.predict_output_word(["the"]), RuntimeError, "train with negative > 0"),
        ({}, lambda m: m.score(SENTENCES), RuntimeError, "train with hs=1"),
        ({"hs": 1}, lambda m: m.score(["the cat"]), TypeError, "sentence 0 is the string 'the cat', not a list of tok"),
        ({"hs": 1}, lambda m: m.score([["the"], 5]), TypeError, "sentence 1 is 5 of type int, not a list of tokens"),
        (
            {"hs": 1},
            lambda m: m.score("the cat"),
            TypeError,
            "sentences is the string 'the cat', not a list of token l",
        ),
        ({"hs": 1}, lambda m: m.score([], 2.5), ValueError, "total_sentences=2.5 must be a whole number from 0"),
        (
            {},
            lambda m: m.predict_output_word("the"),
            TypeError,
            "context_words_list is the string 'the', not a list of",
        ),
        ({}, lambda m: m.predict_output_word(["the"], topn=-1), ValueError, "topn=-1 must be a whole number from 0"),
    ],
)
def test_what_a_model_cannot_tell_is_refused(settings, call, error, message):
    with pytest.raises(error, match=message):
        call(Word2Vec(SENTENCES, **SMALL, **settings))
