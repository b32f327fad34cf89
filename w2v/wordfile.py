"""Writing word2vec's own vector files, text and binary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import IO, Any

import numpy as np

DIGITS = 9  # as many as a float32 needs to be read back as it was


def require_readable(words: Iterable[Any]) -> None:
    """ValueError for a word with a blank or a newline in it, for readers would end it there."""
    for word in words:
        if isinstance(word, str) and (" " in word or "\n" in word):
            raise ValueError(
                f"the word {word!r:.60} has a blank or a newline in it, and could not be read back from word2vec's "
                "format: save the model, or wv, by its own save()"
            )


def write_vectors(file: IO[bytes], words: Sequence[Any], vectors: np.ndarray, binary: bool, prefix: str = "") -> None:
    """Write a record a word: the word, a blank, and its values, float32 little end first, or decimal and a newline.

    words: V of them. vectors: float32 (V, d).
    """
    row = " ".join([f"%.{DIGITS}g"] * vectors.shape[1])
    for word, vector in zip(words, vectors, strict=True):
        if binary:
            file.write(f"{prefix}{word} ".encode() + vector.astype("<f4").tobytes())
        else:
            file.write(f"{prefix}{word} {row % tuple(vector.tolist())}\n".encode())
