"""Which words are kept, in what order, and how often each is sampled."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

import numpy as np

from w2v.huffman import HuffmanTree


class Vocabulary:
    """The words of a corpus and their counts, in index order.

    Parameters
    ----------
    words : list of str or list of int
        Distinct words; the position is the word's index.
    counts : int array (V,)
        How often each word occurs in the corpus, at least 1.

    Raises
    ------
    ValueError
        If words and counts differ in number, a count is not a positive whole number, or a word comes twice.
    """

    words: list
    counts: np.ndarray

    def __init__(self, words: Sequence[Hashable], counts: np.ndarray | Sequence[int]) -> None:
        self.words = list(words)
        given = np.asarray(counts)
        if given.shape != (len(self.words),):
            raise ValueError(f"{len(self.words)} words need as many counts, not shape {given.shape}")
        if not self.words:
            raise ValueError("a vocabulary needs at least one word")
        if not np.issubdtype(given.dtype, np.integer):
            raise ValueError(f"counts are of type {given.dtype}: give whole numbers")
        if given.min() < 1:
            lowest = int(given.argmin())
            raise ValueError(f"the count of {self.words[lowest]!r} is {given[lowest]}: give 1 or more")
        if len(set(self.words)) < len(self.words):
            raise ValueError(f"the word {_first_repeated(self.words)!r} comes twice: words must be distinct")
        self.counts = given.astype(np.int64)

    @cached_property
    def index(self) -> dict[Hashable, int]:
        """The index of each word."""
        return {word: index for index, word in enumerate(self.words)}

    @cached_property
    def tree(self) -> HuffmanTree:
        """The Huffman tree of hierarchical softmax."""
        return HuffmanTree.from_counts(self.counts)

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self):,} words, {self.counts.sum():,} occurrences>"

    def keep_probabilities(self, sample: float) -> np.ndarray:
        """float64 (V,): the probability that subsampling keeps an occurrence of each word.

        min(1, (sqrt(c / t) + 1) * t / c) for count c, as in word2vec.c and gensim. A `sample` below 1 is a
        share of the corpus: t = sample * total. From 1 up it is, as in gensim, the count above which words
        are thinned out: t = floor(sample * (3 + sqrt(5)) / 2). 0 keeps everything.
        """
        if not sample:
            return np.ones(len(self))
        if sample < 1:
            threshold = sample * int(self.counts.sum())
        else:
            threshold = int(sample * (3 + np.sqrt(5)) / 2)
        return np.minimum((np.sqrt(self.counts / threshold) + 1) * (threshold / self.counts), 1.0)

    def keep_thresholds(self, sample: float) -> np.ndarray:
        """uint32 (V,): keep an occurrence when a random uint32 is at most this; gensim's `sample_int`."""
        return (self.keep_probabilities(sample) * (2**32 - 1)).astype(np.uint32)

    def noise_probabilities(self, ns_exponent: float) -> np.ndarray:
        """float64 (V,): how likely each word is drawn as a negative, counts ** ns_exponent normalised."""
        weights = self.counts ** float(ns_exponent)
        return weights / weights.sum()


def frequent_types(counts: np.ndarray, min_count: int) -> np.ndarray:
    """int64 (V,): the types that occur at least `min_count` times, in vocabulary order.

    counts: int64 (T,), by type in order of first occurrence. Vocabulary order is gensim's: by descending
    count, and of equally frequent types the one first seen later comes first.

    Raises
    ------
    ValueError
        If no type is frequent enough.
    """
    if not len(counts):
        raise ValueError("the corpus holds no words")
    kept = np.flatnonzero(counts >= min_count)
    if not len(kept):
        types = "1 type" if len(counts) == 1 else f"{len(counts)} types"
        seen = f"{types} seen, highest count {counts.max()} < min_count {min_count}"
        raise ValueError(f"{seen}: lower min_count or give more text")
    return kept[np.lexsort((-kept, -counts[kept]))]


def _first_repeated(words: Sequence[Hashable]) -> Hashable:
    seen: set[Hashable] = set()
    return next(word for word in words if word in seen or seen.add(word))  # type: ignore[func-returns-value]
