"""Word2vec's own vector files, text and binary."""

from __future__ import annotations

import os
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from itertools import islice
from typing import IO, Any

import numpy as np
import smart_open

from w2v.checks import count

BLOCK_BYTES = 1 << 20
DIGITS = 9  # as many as a float32 needs to be read back as it was


def require_readable(words: Collection[Any]) -> None:
    """ValueError for a word with a blank or a newline in it, where readers would end it, or two that read the same.

    words: what is quick to look up in, such as a dict.
    """
    for word in words:
        if isinstance(word, str) and (" " in word or "\n" in word):
            raise ValueError(
                f"the word {word!r:.60} has a blank or a newline in it, and could not be read back from word2vec's "
                "format: save the model, or wv, by its own save()"
            )
        if not isinstance(word, str) and str(word) in words:
            raise ValueError(
                f"the words {word!r} and {str(word)!r} are the same in word2vec's format: save the model, or wv, by "
                "its own save()"
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


def read_vectors(
    path: str | os.PathLike[str],
    binary: bool,
    encoding: str = "utf-8",
    unicode_errors: str = "strict",
    limit: int | None = None,
    dtype: Any = np.float32,
    header: bool = True,
    wanted: Container[Any] | None = None,
) -> tuple[list[str], np.ndarray]:
    """Read a file of such records, after a line of their number V and that of a vector's values d if it has a `header`.

    Returns
    -------
    V words, or the first `limit`, as they stand there, and their vectors, (V, d); of these the `wanted` ones, if given.

    Raises
    ------
    ValueError, EOFError
        If a record is malformed, or the file ends too early: naming the record, from 1.
    """
    if binary and not header:
        raise ValueError("no_header=True is for text files: a binary one can't be read without its header")
    if limit is not None:
        count("limit", limit, 0)
    words: list[str] = []
    values = bytearray()
    total, size, most, read = None, None, limit or None, 0
    with smart_open.open(path, "rb") as file:
        try:
            if header:
                total, size = _header(file.readline())
                most = min(total, limit or total)
            for encoded, vector in islice(_binary_records(file, size or 0) if binary else _text_records(file), most):
                size = len(vector) if size is None else size
                if len(vector) != size:
                    raise ValueError(f"{len(vector)} values where {size} belong")
                word = encoded.decode(encoding, unicode_errors)
                if wanted is None or word in wanted:
                    words.append(word)
                    values += vector.astype(dtype).tobytes()
                read += 1
            if total and most and read < most:
                raise EOFError(f"the file ends before this one of {total} is whole")
        except (ValueError, EOFError) as error:
            kind = EOFError if isinstance(error, EOFError) else ValueError
            raise kind(f"{path}: record {read + 1}: {error}") from error
    return words, np.frombuffer(values, dtype).reshape(len(words), size or 0)


def read_counts(path: str | os.PathLike[str]) -> tuple[list[str], list[int]]:
    """The words and counts of a file of `word count` lines; ValueError naming a line that is none."""
    words, counts = [], []
    with smart_open.open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                fields = line.decode().rstrip("\r\n").split(" ")
            except UnicodeDecodeError as error:
                raise ValueError(f"{path}: line {number}: {error}") from error
            if len(fields) != 2 or not fields[1].isdecimal():
                raise ValueError(f"{path}: line {number}: {line.decode().strip()[:40]!r} is not a word and its count")
            words.append(fields[0])
            counts.append(int(fields[1]))
    return words, counts


def _header(line: bytes) -> tuple[int, int]:
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        raise ValueError(
            f"before it stands {line[:40]!r}, not the number of words and that of values: pass no_header=True for a "
            "text file without that line"
        )
    return int(fields[0]), int(fields[1])


def _text_records(lines: Iterable[bytes]) -> Iterator[tuple[bytes, np.ndarray]]:
    for line in lines:
        word, *numbers = line.rstrip().split(b" ")
        yield word, np.array([float(number) for number in numbers])


def _binary_records(file: IO[bytes], size: int) -> Iterator[tuple[bytes, np.ndarray]]:
    """Those that are whole; word2vec.c ends a record with a newline, which is taken from the next word."""
    block, begin = b"", 0
    while True:
        blank = block.find(b" ", begin)
        end = blank + 1 + 4 * size
        if blank >= 0 and end <= len(block):
            yield block[begin:blank].lstrip(b"\n"), np.frombuffer(block, "<f4", size, blank + 1)
            begin = end
        elif more := file.read(max(BLOCK_BYTES, len(block) - begin)):
            block, begin = block[begin:] + more, 0
        else:
            return
