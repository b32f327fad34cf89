"""Looking into encoded corpora."""

import numpy as np


def sentences_of(corpus):
    """The corpus decoded: a list of token lists."""
    return list(corpus)


def assert_same(corpus, other):
    assert corpus.vocabulary.words == other.vocabulary.words
    for name in "ids", "offsets", "raw_lengths":
        ours, theirs = getattr(corpus, name), getattr(other, name)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(corpus.vocabulary.counts, other.vocabulary.counts)
