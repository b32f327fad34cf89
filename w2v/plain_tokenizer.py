"""`w2v._tokenizer` in plain Python, many times as slow: for those without a C++ compiler."""

from __future__ import annotations

import logging
from array import array
from functools import cache

import numpy as np

SPACES = tuple(chr(code).encode() for code in range(0x3001) if chr(code).isspace())


@cache
def tell_once() -> None:
    """Warn, at the first text, of what the reader of it could be."""
    logging.getLogger("w2v").warning(
        "the text is read by plain Python, slowly, for the reader in C++ is not compiled: install a C++ compiler, "
        "GCC or Clang, and install w2v-compare again"
    )


def through_last_space(text: bytes) -> int:
    """Bytes of a UTF-8 text up to the end of its last white space; 0 if it has none."""
    tell_once()  # here, for a file is cut by one thread, and its pieces scanned by many
    return max((text.rfind(space) + len(space) for space in SPACES if space in text), default=0)


class Tokenizer:
    """Splits UTF-8 text and numbers the distinct tokens: a token's type."""

    def __init__(self) -> None:
        self._types = _Types()

    def scan(self, text: bytes) -> tuple[np.ndarray, np.ndarray]:
        """Two int32 arrays: the type of each token, and how many tokens of `text` precede each newline."""
        types, line_ends = array("i"), array("i")
        for line in text.decode().split("\n"):
            types.extend(map(self._types.__getitem__, line.split()))
            line_ends.append(len(types))
        return np.array(types), np.array(line_ends[:-1])

    def number(self, values: np.ndarray) -> np.ndarray:
        """int32 array: the type of each integer."""
        return np.fromiter(map(self._types.__getitem__, values.tolist()), np.int32, len(values))

    def absorb(self, other: Tokenizer, begin: int, end: int) -> np.ndarray:
        """int32 array: the types here of the other's types [begin, end), new ones added."""
        return np.fromiter(map(self._types.__getitem__, other._types.tokens[begin:end]), np.int32, end - begin)

    def words(self, types: np.ndarray) -> list[str]:
        """The tokens of these types."""
        return [self._types.tokens[type_] for type_ in types]

    def __len__(self) -> int:
        return len(self._types)


class _Types(dict):
    """The number of each token; one that is not there yet gets the next."""

    def __init__(self) -> None:
        self.tokens: list = []

    def __missing__(self, token: str | int) -> int:
        number = self[token] = len(self)
        self.tokens.append(token)
        return number


def keep_indexed(types: array[int] | np.ndarray, index: np.ndarray, offsets: np.ndarray) -> int:
    """Replace each type by its index, in place, dropping those of negative index; returns how many are left.

    offsets: sentence boundaries, in positions of types before, and after.
    """
    view = np.asarray(types)
    indices = index[view]
    kept = indices >= 0
    offsets[:] = np.concatenate([[0], np.cumsum(kept)])[offsets]
    count = np.count_nonzero(kept)
    view[:count] = indices[kept]
    return int(count)
