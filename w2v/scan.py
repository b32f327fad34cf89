"""One pass over a source of tokens, which numbers them before it is known which words are frequent enough."""

from __future__ import annotations

import reprlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from w2v.tokenizer import Tokenizer

MAX_SENTENCE = 10_000
BLOCK_TOKENS = 1 << 18
TOKEN_TYPES = (str, int, np.integer)


@dataclass
class Scan:
    """A source read once.

    types: array of C int (N,), or int32 (N,) mapped from disk, the type of every token, numbered from 0 in order of
    first occurrence.
    lengths: int32 (S,), tokens of each sentence, MAX_SENTENCE at most. words: from int64 types to their words.
    """

    types: array | np.ndarray
    lengths: np.ndarray
    words: Callable[[np.ndarray], list]

    @cached_property
    def type_count(self) -> int:
        """How many distinct tokens there are."""
        return int(np.frombuffer(self.types, np.int32).max(initial=-1)) + 1

    def counts(self) -> np.ndarray:
        """int64 (T,): how often each type occurs."""
        view = np.frombuffer(self.types, np.int32)
        counts = np.zeros(self.type_count, np.int64)
        # bincount widens what it is given to int64: in blocks, that stays small.
        for begin in range(0, len(view), BLOCK_TOKENS):
            counts += np.bincount(view[begin : begin + BLOCK_TOKENS], minlength=len(counts))
        return counts

    def first(self, tokens: int) -> np.ndarray:
        """int32 (tokens,): the beginning of `types`; the memory of the rest is given back."""
        if isinstance(self.types, array):
            del self.types[tokens:]
        return np.frombuffer(self.types, np.int32)[:tokens]


def cut(lengths: np.ndarray) -> np.ndarray:
    """int32: the lengths of the pieces of at most MAX_SENTENCE tokens; an empty sentence stays one piece."""
    pieces = np.maximum(-(-lengths // MAX_SENTENCE), 1)
    cut_lengths = np.full(pieces.sum(), MAX_SENTENCE, np.int32)
    cut_lengths[np.cumsum(pieces) - 1] = lengths - (pieces - 1) * MAX_SENTENCE
    return cut_lengths


def scan_sentences(sentences: Iterable[Iterable[Hashable]]) -> Scan:
    """Scan lists of str or int tokens; TypeError names what is not of that kind."""
    require_tokens(sentences, "the source", "a list of token lists")
    type_of: defaultdict[Hashable, int] = defaultdict()
    type_of.default_factory = type_of.__len__
    types, lengths = array("i"), array("q")
    for number, sentence in enumerate(sentences):
        if type(sentence) is not list:
            require_tokens(sentence, f"sentence {number}", "a list of tokens")
        begin = len(types)
        try:
            types.extend(map(type_of.__getitem__, sentence))
        except TypeError:
            _check_tokens(sentence, number)
            raise
        lengths.append(len(types) - begin)
    words = list(type_of)
    _check_words(words, types, lengths)
    return Scan(types, cut(np.array(lengths)), lambda kept: [plain(words[type_]) for type_ in kept])


def scan_arrays(source: Any) -> Scan:
    """Scan integer arrays, in any of the forms `EncodedCorpus.from_arrays` takes."""
    values, lengths = _values_and_lengths(source)
    types = Tokenizer().number(np.ascontiguousarray(values, np.int64))
    words = np.empty(types.max(initial=-1) + 1, values.dtype)
    words[types] = values
    return Scan(array("i", types.tobytes()), cut(lengths), lambda kept: words[kept].tolist())


def holds_arrays(source: Any) -> bool:
    """Whether `source` is an integer array, or a list or tuple that begins with one."""
    if isinstance(source, (list, tuple)) and source:
        source = source[0]
    return isinstance(source, np.ndarray) and source.dtype.kind in "iu"


def require_tokens(source: Any, name: str, wanted: str) -> None:
    """TypeError unless `source` may be a list of tokens, or of such lists, as `wanted` says."""
    if isinstance(source, str):
        text = reprlib.repr(source)
        raise TypeError(f"{name} is the string {text}, not {wanted}: split it, e.g. with .split()")
    if isinstance(source, (bytes, bytearray)):
        raise TypeError(f"{name} is {reprlib.repr(source)}, not {wanted}: decode and split it")
    if isinstance(source, (Mapping, AbstractSet)) or not isinstance(source, Iterable):
        raise TypeError(f"{name} is {reprlib.repr(source)} of type {type(source).__name__}, not {wanted}")


def _check_tokens(sentence: Iterable[Any], number: int) -> None:
    """Name the token that has no hash, if the sentence can be looked through once more."""
    for position, token in enumerate(sentence if isinstance(sentence, Sequence) else ()):
        if not isinstance(token, TOKEN_TYPES):
            raise _bad_token(token, number, position) from None


def _check_words(words: list, types: array, lengths: array) -> None:
    for type_, word in enumerate(words):
        if not isinstance(word, TOKEN_TYPES):
            position = types.index(type_)
            sentence = int(np.searchsorted(np.cumsum(lengths), position, side="right"))
            raise _bad_token(word, sentence, position - sum(lengths[:sentence]))


def _bad_token(token: Any, sentence: int, position: int) -> TypeError:
    return TypeError(
        f"token {position} of sentence {sentence} is {reprlib.repr(token)} of type {type(token).__name__}: "
        "tokens are str or int"
    )


def plain_words(words: Iterable[Any]) -> list:
    """Words as Python's str and int; TypeError if one is neither."""
    listed = list(words)
    if set(map(type, listed)) <= {str, int}:  # as they are as a rule
        return listed
    for word in listed:
        if not isinstance(word, TOKEN_TYPES):
            raise TypeError(f"the word {reprlib.repr(word)} is of type {type(word).__name__}: words are str or int")
    return list(map(plain, listed))


def plain(word: Any) -> Any:
    """The Python object in place of NumPy's."""
    return word.item() if isinstance(word, np.generic) else word


def _values_and_lengths(source: Any) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(source, np.ndarray):
        if source.ndim != 2:
            raise ValueError(f"shape {source.shape} is not (sentences, tokens): for one sentence pass [array]")
        return _integers(source.ravel(), "the array"), np.full(len(source), source.shape[1], np.int64)
    if isinstance(source, tuple) and len(source) == 2:
        values, offsets = _integers(source[0], "values"), _integers(source[1], "offsets").astype(np.int64)
        lengths = np.diff(offsets)
        if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(values) or (lengths < 0).any():
            raise ValueError(
                f"offsets must rise from 0 to the number of values, {len(values)}: "
                "pass a list, not a tuple, for two sentences"
            )
        return values, lengths
    sentences = [_integers(sentence, f"sentence {number}") for number, sentence in enumerate(source)]
    values = np.concatenate(sentences) if sentences else np.empty(0, np.int64)
    lengths = np.array([len(sentence) for sentence in sentences], np.int64)
    return _integers(values, "the sentences together"), lengths


def _integers(values: Any, name: str) -> np.ndarray:
    array_ = np.asarray(values)
    if array_.shape == (0,):  # an empty sentence, which NumPy takes for floats
        return array_.astype(np.uint8)
    if array_.ndim != 1 or array_.dtype.kind not in "iu":
        raise TypeError(f"{name}: {array_.dtype} of shape {array_.shape} where a 1-D array of integers belongs")
    return array_
