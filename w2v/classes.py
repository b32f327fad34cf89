"""Word classes: k-means over the vectors, as word2vec.c's -classes computes it."""

from __future__ import annotations

import numpy as np

ROUNDS = 10
BLOCK_ROWS = 1 << 14


def require_classes(classes: int, words: int) -> None:
    """ValueError unless so many words can be put into so many classes."""
    if not 1 <= classes <= words:
        raise ValueError(f"classes={classes} must be from 1 to the number of words, {words}")


def word_classes(vectors: np.ndarray, classes: int) -> np.ndarray:
    """int64 (V,): the class of each word, from 0.

    Spherical k-means: a word goes to the class whose normalised mean has the largest dot product with its vector.
    Ten rounds, from classes dealt out in turn; so the result depends on nothing but the vectors.

    vectors: float32 (V, d). ValueError unless `classes` is from 1 to V.
    """
    require_classes(classes, len(vectors))
    member = np.arange(len(vectors)) % classes
    for _ in range(ROUNDS):
        centres = np.zeros((classes, vectors.shape[1]), np.float32)
        np.add.at(centres, member, vectors)
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        for begin in range(0, len(vectors), BLOCK_ROWS):
            block = slice(begin, begin + BLOCK_ROWS)
            member[block] = np.argmax(vectors[block] @ centres.T, axis=1)
    return member
