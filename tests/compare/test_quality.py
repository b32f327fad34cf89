from __future__ import annotations

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.test.utils import datapath

from compare import quality
from compare.quality import analogies, evaluate, mean_loss
from w2v import Word2Vec
from w2v.corpus import EncodedCorpus
from w2v.params import Params
from w2v.trainers import Task

QUESTIONS = datapath("questions-words.txt")


@pytest.fixture(scope="module")
def corpus() -> EncodedCorpus:
    random = np.random.default_rng(0)
    return EncodedCorpus.from_sentences(
        [[f"w{word}" for word in random.integers(0, 20, 30)] for _ in range(50)], min_count=1
    )


def loss(corpus: EncodedCorpus, syn0: np.ndarray, output: np.ndarray, **settings) -> float:
    params = Params(vector_size=syn0.shape[1], **settings)
    tree = {"syn1": output[: len(output) - 1]} if params.hs else {"syn1neg": output}
    return mean_loss(Task(corpus, params, syn0, **tree))


@pytest.fixture
def random_tables(corpus) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(2, len(corpus.vocabulary), 8)).astype(np.float32)


@pytest.mark.parametrize("sg", [0, 1])
def test_untrained_output_rows_lose_log_2_a_decision(corpus, sg):
    ones = np.ones((len(corpus.vocabulary), 8), np.float32)
    skipped = 5 * np.sum(corpus.vocabulary.noise_probabilities(0.75) * corpus.vocabulary.counts / len(corpus.ids))
    found = loss(corpus, ones, np.zeros_like(ones), sg=sg, window=5, negative=5, sample=0)
    assert found == pytest.approx((6 - skipped) * np.log(2), rel=0.02)


@pytest.mark.parametrize("sg", [0, 1])
def test_untrained_inner_nodes_lose_log_2_a_turn_of_the_path(corpus, sg):
    ones = np.ones((len(corpus.vocabulary), 8), np.float32)
    turns = np.sum(np.diff(corpus.vocabulary.tree.offsets) * corpus.vocabulary.counts) / len(corpus.ids)
    found = loss(corpus, ones, np.zeros_like(ones), sg=sg, hs=1, negative=0, sample=0)
    assert found == pytest.approx(turns * np.log(2), rel=0.02)


def test_examples_are_the_same_at_every_call_and_the_tables_are_left_alone(corpus, random_tables):
    before = random_tables.copy()
    first = loss(corpus, *random_tables, sg=1, sample=1e-2)
    assert first == loss(corpus, *random_tables, sg=1, sample=1e-2)
    np.testing.assert_array_equal(random_tables, before)


def test_loss_agrees_with_a_sum_over_all_pairs(corpus, random_tables):
    syn0, syn1neg = random_tables
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
    found = loss(corpus, syn0, syn1neg, sg=1, window=2, negative=3, sample=0)
    assert found == pytest.approx(total / weight, rel=0.02)


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


@pytest.fixture(scope="module")
def trained() -> KeyedVectors:
    """On the questions themselves, spelt as they are, in lower and in upper case."""
    with open(QUESTIONS, encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith(":")][::10]
    sentences = [spell(line).split() for spell in (str, str.lower, str.upper) for line in lines]
    return Word2Vec(sentences, vector_size=16, min_count=1, sg=1, epochs=20, workers=1, trainer="exact").wv


def counted_by_gensim(vectors: KeyedVectors) -> tuple[int, int]:
    total = vectors.evaluate_word_analogies(QUESTIONS, restrict_vocab=quality.RESTRICT_VOCAB)[1][-1]
    return len(total["correct"]), len(total["correct"]) + len(total["incorrect"])


@pytest.mark.parametrize("restrict_vocab", [30_000, 1000, 100])
def test_analogies_are_counted_as_by_gensim(trained, monkeypatch, restrict_vocab):
    monkeypatch.setattr(quality, "RESTRICT_VOCAB", restrict_vocab)
    right, asked = counted_by_gensim(trained)
    assert 0 < right < asked
    assert analogies(trained) == (right, asked)


@pytest.mark.filterwarnings("ignore:invalid value")  # of a word of no length
@pytest.mark.parametrize("words", [3, 4, 8, 16])
def test_analogies_among_few_words_of_several_spellings_are_counted_as_by_gensim(words):
    question = "Athens Greece Baghdad Iraq".split()
    spellings = [spell(word) for word in question for spell in (str, str.lower, str.upper, str.swapcase)]
    for seed in range(10):
        random = np.random.default_rng(seed)
        vectors = KeyedVectors(2)
        vectors.add_vectors(random.permutation(spellings)[:words].tolist(), random.normal(size=(words, 2)))
        vectors.vectors[random.random(words) < 0.1] = 0
        assert analogies(vectors) == counted_by_gensim(vectors)
