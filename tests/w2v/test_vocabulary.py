"""The vocabulary against gensim's own."""

import numpy as np
import pytest
from gensim.models import Word2Vec
from gensim.models.word2vec import LineSentence
from gensim.test.utils import datapath

from w2v.corpus import EncodedCorpus
from w2v.vocabulary import Vocabulary

TEXT = datapath("lee_background.cor")


def gensim_model(**arguments):
    model = Word2Vec(vector_size=1, **arguments)
    model.build_vocab(LineSentence(TEXT))
    return model


@pytest.fixture(scope="module")
def vocabulary():
    return EncodedCorpus.from_file(TEXT, min_count=2).vocabulary


def test_order_and_counts_are_gensims(vocabulary):
    wv = gensim_model(min_count=2).wv
    assert vocabulary.words == wv.index_to_key
    assert vocabulary.index == wv.key_to_index
    assert vocabulary.counts.tolist() == wv.expandos["count"].tolist()


@pytest.mark.parametrize("sample", [1e-3, 1e-5, 0.5, 0, 1, 30.5])
def test_keep_thresholds_are_gensims_sample_ints(vocabulary, sample):
    expected = gensim_model(min_count=2, sample=sample).wv.expandos["sample_int"]
    thresholds = vocabulary.keep_thresholds(sample)
    assert thresholds.dtype == np.uint32
    assert thresholds.tolist() == expected.tolist()


def test_without_subsampling_every_word_is_kept(vocabulary):
    assert (vocabulary.keep_probabilities(0) == 1).all()


@pytest.mark.parametrize("ns_exponent", [0.75, 0.0, 1.0, -0.5, 4.0])
def test_cumulative_noise_is_gensims_to_the_last_bit(vocabulary, ns_exponent):
    cum_table = gensim_model(min_count=2, ns_exponent=ns_exponent).cum_table
    np.testing.assert_array_equal(vocabulary.cumulative_noise(ns_exponent), cum_table)


def test_keep_probabilities_follow_the_published_formula():
    vocabulary = Vocabulary(["a", "b"], [900, 100])
    # t = 0.01 * 1000 = 10
    np.testing.assert_allclose(
        vocabulary.keep_probabilities(0.01), [(np.sqrt(90) + 1) / 90, (np.sqrt(10) + 1) / 10], rtol=1e-15
    )


@pytest.mark.parametrize("ns_exponent", [0.75, 0, 1, -0.5])
def test_noise_distribution_is_gensims(vocabulary, ns_exponent):
    cum_table = gensim_model(min_count=2, ns_exponent=ns_exponent).cum_table
    ours = np.cumsum(vocabulary.noise_probabilities(ns_exponent)) * cum_table[-1]
    np.testing.assert_allclose(ours, cum_table, atol=1)


@pytest.mark.parametrize(
    ("words", "counts", "message"),
    [
        ([], [], "at least one word"),
        (["a", "b"], [1], "2 words need as many counts"),
        (["a"], [1.0], "counts are of type float64"),
        (["a", "b"], [1, 0], "the count of 'b' is 0"),
        (["a", "b", "a"], [3, 2, 1], "'a' comes twice"),
        (["a", "b"], [2**62, 2**62], "the counts add up to more than 64 bits hold"),
        (["a"], np.array([2**63], np.uint64), "the counts add up to more"),
    ],
)
def test_nonsense_is_refused(words, counts, message):
    with pytest.raises(ValueError, match=message):
        Vocabulary(words, counts)


def test_words_are_plain_so_that_they_can_be_saved():
    words = Vocabulary(np.array([7, 3]), [2, 1]).words
    assert (words, {type(word) for word in words}) == ([7, 3], {int})
    with pytest.raises(TypeError, match=r"the word \('a', 'b'\) is of type tuple: words are str or int"):
        Vocabulary([("a", "b")], [1])


def test_repr_is_short():
    assert repr(Vocabulary(["a", "b"], [1500, 1])) == "<Vocabulary of 2 words, 1,501 occurrences>"
