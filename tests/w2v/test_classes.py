"""Word classes."""

import numpy as np
import pytest

import w2v.classes
from w2v.classes import word_classes


def word2vec_c(vectors, classes):
    """The loops of word2vec.c, over plain floats."""
    member = [word % classes for word in range(len(vectors))]
    for _ in range(10):
        centres = np.zeros((classes, vectors.shape[1]))
        for word, vector in enumerate(vectors):
            centres[member[word]] += vector
        for centre in centres:
            centre /= np.sqrt((centre**2).sum()) or 1
        for word, vector in enumerate(vectors):
            member[word] = int(np.argmax([centre @ vector for centre in centres]))
    return member


def test_classes_are_those_of_word2vec_c(monkeypatch):
    monkeypatch.setattr(w2v.classes, "BLOCK_ROWS", 7)
    vectors = np.random.default_rng(1).normal(size=(50, 8)).astype(np.float32)
    assert word_classes(vectors, 4).tolist() == word2vec_c(vectors, 4)


def test_one_class_holds_all():
    assert word_classes(np.ones((4, 2), np.float32), 1).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("classes", [0, 5])
def test_more_classes_than_words_are_refused(classes):
    with pytest.raises(ValueError, match=rf"classes={classes} must be from 1 to the number of words, 4"):
        word_classes(np.ones((4, 2), np.float32), classes)
