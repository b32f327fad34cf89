"""Any source of tokens, encoded once into vocabulary indices and sentence offsets."""

from __future__ import annotations

import itertools
import reprlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from w2v.params import Params
from w2v.vocabulary import Vocabulary, frequent_types

MAX_SENTENCE = 10_000
BLOCK_TOKENS = 1 << 20


@dataclass(frozen=True, eq=False)
class EncodedCorpus:
    """A corpus as vocabulary indices; made by `from_file`, `from_sentences` or `from_arrays`.

    No sentence has more than MAX_SENTENCE raw tokens: a longer one is cut into pieces, so nothing is lost.

    Attributes
    ----------
    ids : int32 (N,)
        Vocabulary index of every in-vocabulary token, in text order.
    offsets : int64 (S + 1,)
        Sentence s is ids[offsets[s]:offsets[s + 1]].
    raw_lengths : int32 (S,)
        Tokens of each sentence before those out of the vocabulary were dropped.
    vocabulary : Vocabulary
    """

    ids: np.ndarray
    offsets: np.ndarray
    raw_lengths: np.ndarray
    vocabulary: Vocabulary

    @property
    def raw_words(self) -> int:
        """Tokens of the corpus, in the vocabulary or not."""
        return int(self.raw_lengths.sum(dtype=np.int64))

    @classmethod
    def from_sentences(cls, sentences: Iterable[Iterable[Hashable]], min_count: int = 5) -> EncodedCorpus:
        """Encode lists of tokens, each a str or an int, in one pass.

        Raises
        ------
        TypeError
            If a sentence is not a list of tokens, or a token is neither str nor int; the message names it.
        ValueError
            If no word occurs `min_count` times.
        Exception
            Whatever the iterable itself raises.
        """
        Params(min_count=min_count)
        _check_is_tokens(sentences, "the source", "a list of token lists")
        type_of: defaultdict[Hashable, int] = defaultdict()
        type_of.default_factory = type_of.__len__
        blocks, lengths = [array("i")], array("q")
        for number, sentence in enumerate(sentences):
            if type(sentence) is not list:
                _check_is_tokens(sentence, f"sentence {number}", "a list of tokens")
            if len(blocks[-1]) > BLOCK_TOKENS:
                blocks.append(array("i"))
            before = len(blocks[-1])
            try:
                blocks[-1].extend(map(type_of.__getitem__, sentence))
            except TypeError:
                _check_hashable(sentence, number)
                raise
            lengths.append(len(blocks[-1]) - before)
        words = list(type_of)
        _check_words(words, blocks, lengths)
        return _encoded(
            [np.frombuffer(block, np.int32) for block in blocks if block],
            np.array(lengths),
            lambda types: [_plain(words[type_]) for type_ in types],
            min_count,
        )

    @classmethod
    def from_arrays(cls, source: Any, min_count: int = 5) -> EncodedCorpus:
        """Encode integer arrays; the words are Python ints.

        Parameters
        ----------
        source : list of int arrays (n,), one a sentence; int array (S, n); or a tuple (values, offsets)
            With offsets, int (S + 1,), sentence s is values[offsets[s]:offsets[s + 1]].

        Raises
        ------
        TypeError, ValueError
            If the arrays are not of that kind, or no word occurs `min_count` times.
        """
        Params(min_count=min_count)
        values, lengths = _flat(source)
        distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        by_first = np.argsort(first)
        rank = np.empty(len(distinct), np.int32)
        rank[by_first] = np.arange(len(distinct), dtype=np.int32)
        words = distinct[by_first]
        return _encoded([rank[inverse]], lengths, lambda types: words[types].tolist(), min_count)


def encode(source: Any, min_count: int = 5) -> EncodedCorpus:
    """Encode integer arrays (see `from_arrays`) or an iterable of token lists (see `from_sentences`)."""
    if _holds_arrays(source):
        return EncodedCorpus.from_arrays(source, min_count)
    return EncodedCorpus.from_sentences(source, min_count)


def _encoded(
    blocks: list[np.ndarray],
    lengths: np.ndarray,
    words_of: Callable[[np.ndarray], list],
    min_count: int,
) -> EncodedCorpus:
    """Number the frequent words by vocabulary index, drop the others, cut sentences at MAX_SENTENCE.

    blocks: int32, the tokens' types in order of first occurrence; emptied, so that the ids are never held twice.
    lengths: int64, tokens per sentence. words_of: the words of an array of types.
    """
    counts = np.zeros(0, np.int64)
    for block in blocks:
        tally = np.bincount(block, minlength=len(counts))
        tally[: len(counts)] += counts
        counts = tally
    types = frequent_types(counts, min_count)
    index = np.full(len(counts), -1, np.int32)
    index[types] = np.arange(len(types), dtype=np.int32)
    vocabulary = Vocabulary(words_of(types), counts[types])

    raw_lengths = _cut(lengths)
    raw_ends = np.cumsum(raw_lengths)
    ids = np.empty(vocabulary.counts.sum(), np.int32)
    offsets = np.zeros(len(raw_lengths) + 1, np.int64)
    raw = kept = sentence = 0
    blocks.reverse()
    while blocks:
        found = index[blocks.pop()]
        kept_before = np.concatenate([[0], np.cumsum(found >= 0)])
        sentences = slice(sentence, int(np.searchsorted(raw_ends, raw + len(found), side="right")))
        offsets[1:][sentences] = kept + kept_before[raw_ends[sentences] - raw]
        ids[kept : kept + kept_before[-1]] = found[found >= 0]
        raw, kept, sentence = raw + len(found), kept + int(kept_before[-1]), sentences.stop
    return EncodedCorpus(ids, offsets, raw_lengths.astype(np.int32), vocabulary)


def _cut(lengths: np.ndarray) -> np.ndarray:
    """Lengths of the pieces of at most MAX_SENTENCE tokens; an empty sentence stays one piece."""
    pieces = np.maximum(-(-lengths // MAX_SENTENCE), 1)
    cut = np.full(pieces.sum(), MAX_SENTENCE, np.int64)
    cut[np.cumsum(pieces) - 1] = lengths - (pieces - 1) * MAX_SENTENCE
    return cut


def _check_is_tokens(source: Any, name: str, wanted: str) -> None:
    if isinstance(source, (str, bytes, bytearray)):
        kind = "string" if isinstance(source, str) else "bytes"
        cure = "split it, e.g. with .split()" if isinstance(source, str) else "decode and split it"
        raise TypeError(f"{name} is the {kind} {reprlib.repr(source)}, not {wanted}: {cure}")
    if isinstance(source, (Mapping, AbstractSet)) or not isinstance(source, Iterable):
        raise TypeError(f"{name} is {reprlib.repr(source)}, a {type(source).__name__}, not {wanted}")


def _check_hashable(sentence: Iterable[Any], number: int) -> None:
    """Name the token of a re-iterable sentence that can't be hashed, if that is what went wrong."""
    for position, token in enumerate(sentence if isinstance(sentence, Sequence) else ()):
        if not isinstance(token, Hashable):
            raise _bad_token(token, number, position) from None


def _check_words(words: list, blocks: list[array], lengths: array) -> None:
    for type_, word in enumerate(words):
        if not isinstance(word, (str, int, np.integer)):
            position = next(position for position, other in enumerate(itertools.chain(*blocks)) if other == type_)
            sentence = int(np.searchsorted(np.cumsum(lengths), position, side="right"))
            raise _bad_token(word, sentence, position - sum(lengths[:sentence]))


def _bad_token(token: Any, sentence: int, position: int) -> TypeError:
    kind = type(token).__name__
    return TypeError(f"token {position} of sentence {sentence} is {reprlib.repr(token)}, a {kind}: give str or int tokens")


def _plain(word: Any) -> Any:
    return word.item() if isinstance(word, np.generic) else word


def _holds_arrays(source: Any) -> bool:
    if isinstance(source, np.ndarray):
        return True
    return isinstance(source, (list, tuple)) and bool(source) and all(
        isinstance(item, np.ndarray) and item.dtype.kind in "iu" for item in source
    )


def _flat(source: Any) -> tuple[np.ndarray, np.ndarray]:
    """(values, sentence lengths) of any of the forms `from_arrays` takes."""
    if isinstance(source, np.ndarray):
        if source.ndim != 2:
            raise ValueError(f"an array of shape {source.shape} is not (sentences, tokens): for one sentence pass [array]")
        _check_integers(source, "the array")
        return source.ravel(), np.full(len(source), source.shape[1], np.int64)
    if isinstance(source, tuple) and len(source) == 2:
        values, offsets = map(np.asarray, source)
        _check_integers(values, "values")
        _check_integers(offsets, "offsets")
        if offsets.ndim != 1 or values.ndim != 1:
            raise ValueError(f"values and offsets must be 1-D, not of shapes {values.shape} and {offsets.shape}")
        lengths = np.diff(offsets.astype(np.int64))
        if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(values) or (lengths < 0).any():
            raise ValueError(
                f"offsets must rise from 0 to the {len(values)} values: "
                "for two sentences pass a list of two arrays, not a tuple"
            )
        return values, lengths
    for number, sentence in enumerate(source):
        if not isinstance(sentence, np.ndarray) or sentence.ndim != 1:
            shape = np.shape(sentence)
            raise ValueError(f"sentence {number} is not a 1-D integer array but {reprlib.repr(sentence)} of shape {shape}")
        _check_integers(sentence, f"sentence {number}")
    return np.concatenate(source), np.array([len(sentence) for sentence in source], np.int64)


def _check_integers(values: np.ndarray, name: str) -> None:
    if values.dtype.kind not in "iu":
        raise TypeError(f"{name} is of type {values.dtype}: give integers")
