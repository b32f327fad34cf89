"""Which words are kept, in what order, and how often each is sampled."""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Sequence
from functools import cached_property

import numpy as np

from w2v.huffman import HuffmanTree
from w2v.pruning import Pruning, RawVocabulary
from w2v.scan import plain_words

NULL_WORD = "\0"


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
    TypeError
        If a word is neither str nor int.
    ValueError
        If words and counts differ in number, a count is not a positive whole number, the counts add up to 2**63 or
        more, or a word comes twice.
    """

    words: list
    counts: np.ndarray

    def __init__(self, words: Sequence[Hashable], counts: np.ndarray | Sequence[int]) -> None:
        self.words = plain_words(words)
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
        if given.sum(dtype=np.float64) >= 2**63:
            raise ValueError("the counts add up to more than 64 bits hold: divide them all")
        if len(set(self.words)) < len(self.words):
            raise ValueError(f"the word {_first_repeated(self.words)!r} comes twice: words must be distinct")
        self.counts = given.astype(np.int64)

    def updated(self, raw: RawVocabulary, pruning: Pruning) -> Vocabulary:
        """These words with the counts of another corpus added, and behind them the new ones that `pruning` keeps."""
        index = np.array([self.index.get(word, -1) for word in raw.all_words()], np.int64)
        known = index >= 0
        room = None if pruning.max_vocab_size is None else pruning.max_vocab_size - len(self)
        new = pruning.new_types(raw, known, room)
        counts = np.concatenate([self.counts, raw.counts[new]])
        counts[index[known]] += raw.counts[known]
        return Vocabulary(self.words + raw.words(new), counts)

    def with_null_word(self, in_order: bool) -> Vocabulary:
        """With the word "\\0" of count 1, where gensim puts it: last, or, `in_order`, before the others of count 1."""
        if NULL_WORD in self.index:
            return self
        place = len(self) - (np.count_nonzero(self.counts == 1) if in_order else 0)
        words = [*self.words[:place], NULL_WORD, *self.words[place:]]
        return Vocabulary(words, np.insert(self.counts, place, 1))

    @cached_property
    def index(self) -> dict[Hashable, int]:
        """The index of each word."""
        return {word: index for index, word in enumerate(self.words)}

    @cached_property
    def checksum(self) -> int:
        """32 bits that differ between vocabularies, most likely: of the words and their counts."""
        return zlib.crc32(self.counts.data, zlib.crc32("\n".join(map(repr, self.words)).encode()))

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

    def cumulative_noise(self, ns_exponent: float, domain: int = 2**31 - 1) -> np.ndarray:
        """uint32 (V,): each word's cumulative share of the negatives, the last `domain`; gensim's `cum_table`."""
        weights = [count**ns_exponent for count in self.counts.tolist()]  # an array's power may differ in the last bit
        cumulative = np.cumsum(weights)
        return np.rint(cumulative / cumulative[-1] * domain).astype(np.uint32)


def _first_repeated(words: Sequence[Hashable]) -> Hashable:
    seen: set[Hashable] = set()
    return next(word for word in words if word in seen or seen.add(word))  # type: ignore[func-returns-value]
