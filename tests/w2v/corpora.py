"""Looking into encoded corpora."""

import itertools

import numpy as np


def sentences_of(corpus):
    """The corpus decoded: a list of token lists."""
    words = corpus.vocabulary.words
    return [[words[i] for i in corpus.ids[begin:end]] for begin, end in itertools.pairwise(corpus.offsets)]


def assert_same(corpus, other):
    assert corpus.vocabulary.words == other.vocabulary.words
    for name in "ids", "offsets", "raw_lengths":
        ours, theirs = getattr(corpus, name), getattr(other, name)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(corpus.vocabulary.counts, other.vocabulary.counts)
