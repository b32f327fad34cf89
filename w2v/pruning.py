"""Which types of a corpus become words of the vocabulary, by gensim's settings."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from w2v.checks import count, is_whole
from w2v.scan import plain_words

TrimRule = Callable[[Any, int, int], int]

RULE_DISCARD, RULE_KEEP = 1, 2  # gensim.utils' values; any other leaves it to min_count


@dataclass(frozen=True)
class RawVocabulary:
    """Every type of a corpus before pruning, numbered in order of first occurrence.

    counts: int64 (T,). words: from int64 types to their words.
    """

    counts: np.ndarray
    words: Callable[[np.ndarray], list]

    @classmethod
    def from_counts(cls, count_of: Mapping[Hashable, int]) -> RawVocabulary:
        """The words of a mapping to counts.

        Raises
        ------
        TypeError, ValueError
            If this is no mapping, a word is neither str nor int, or its count no positive whole number of 64 bits.
        """
        if not isinstance(count_of, Mapping):
            raise TypeError(f"the counts are {reprlib.repr(count_of)}, not a dict from words to counts")
        words = plain_words(count_of)
        for word, times in count_of.items():
            if not is_whole(times) or not 1 <= times < 2**63:
                raise ValueError(f"the count of {word!r} is {times!r}: give a whole number from 1 to 2**63 - 1")
        return cls(np.array(list(count_of.values()), np.int64), lambda types: [words[type_] for type_ in types])

    def __len__(self) -> int:
        return len(self.counts)

    def all_words(self) -> list:
        """The word of every type."""
        return self.words(np.arange(len(self)))


@dataclass(frozen=True, kw_only=True)
class Pruning:
    """The settings that decide.

    min_count: types seen less often are dropped.
    max_vocab_size: so many words at most, the most frequent.
    max_final_vocab: raises min_count until no more words than this are left; equally frequent ones stay or go together.
    trim_rule: from (word, count, min_count) to one of gensim.utils' RULE_KEEP, RULE_DISCARD and RULE_DEFAULT.
    sorted_vocab: whether words are in order of frequency, or of first occurrence.

    Raises
    ------
    ValueError, TypeError
        On construction, for a setting that makes no sense.
    """

    min_count: int = 5
    max_vocab_size: int | None = None
    max_final_vocab: int | None = None
    trim_rule: TrimRule | None = None
    sorted_vocab: bool = True

    def __post_init__(self) -> None:
        for name in "max_vocab_size", "max_final_vocab":
            if getattr(self, name) is not None:
                count(name, getattr(self, name), 1, ", or None for no limit")
        if self.trim_rule is not None and not callable(self.trim_rule):
            raise TypeError(f"trim_rule={self.trim_rule!r} can't be called with (word, count, min_count)")

    def effective_min_count(self, counts: np.ndarray) -> int:
        """`min_count`, or what `max_final_vocab` makes of it."""
        if self.max_final_vocab is None or self.max_final_vocab >= len(counts):
            return self.min_count
        first_dropped = len(counts) - 1 - self.max_final_vocab
        return max(self.min_count, int(np.partition(counts, first_dropped)[first_dropped]) + 1)

    def kept_types(self, raw: RawVocabulary) -> np.ndarray:
        """int64 (V,): the types that become words, in vocabulary order; ValueError if there is none.

        By descending count, and of equally frequent types the one first seen later comes first, as in gensim.
        """
        if not len(raw):
            raise ValueError("the corpus holds no words")
        types = self.new_types(raw, np.zeros(len(raw), bool), self.max_vocab_size)
        if not len(types):
            raise ValueError(self._why_none(raw.counts))
        return types[np.lexsort((-types, -raw.counts[types]))] if self.sorted_vocab else types

    def new_types(self, raw: RawVocabulary, known: np.ndarray, room: int | None) -> np.ndarray:
        """int64: the types to add to a vocabulary with `room` for more, None for any, in order of first occurrence.

        known: bool (T,), those that it has already.
        """
        minimum = self.effective_min_count(raw.counts)
        wanted, needed = raw.counts >= minimum, np.zeros(len(raw), bool)
        if self.trim_rule:
            counted = zip(raw.all_words(), raw.counts.tolist(), strict=True)
            rules = np.array([self.trim_rule(word, count, minimum) for word, count in counted])
            needed = rules == RULE_KEEP
            wanted = needed | (wanted & (rules != RULE_DISCARD))
        types = np.flatnonzero(wanted & ~known)
        if room is not None and len(types) > room:
            by_rank = np.lexsort((-types, -raw.counts[types], ~needed[types]))
            types = np.sort(types[by_rank[: max(room, 0)]])
        return types

    def _why_none(self, counts: np.ndarray) -> str:
        words = "1 distinct word" if len(counts) == 1 else f"{len(counts)} distinct words"
        if counts.max() < self.min_count:
            seen = f"{words} seen, highest count {counts.max()} < min_count {self.min_count}"
            return f"{seen}: lower min_count or give more text"
        if self.trim_rule:
            return f"trim_rule leaves none of {words}"
        return (
            f"max_final_vocab={self.max_final_vocab} leaves none of {words}, for equally frequent ones go together: "
            "raise it, or set max_vocab_size instead"
        )
