"""word2vec.c's files of a word and a number a line: counts and classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from w2v.classes import word_classes
from w2v.files import written_atomically
from w2v.model import Word2Vec
from w2v.vocabulary import Vocabulary
from w2v.wordfile import read_counts

SENTENCE_END = "</s>"


def read_vocabulary(path: Path, min_count: int) -> Vocabulary:
    """The words of a file of `word count` lines, as word2vec.c and gensim write them, that come `min_count` times.

    The end of a sentence, which word2vec.c puts first, whatever its count, is no word here.

    Raises
    ------
    ValueError
        Naming the file, if it is none, or no word is left.
    """
    words, counts = read_counts(path)
    begin = 1 if words[:1] == [SENTENCE_END] else 0
    try:
        listed = Vocabulary(words[begin:], counts[begin:])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    kept = np.flatnonzero(listed.counts >= min_count)
    if not len(kept):
        raise ValueError(f"{path}: highest count {listed.counts.max()} < min_count {min_count}: lower min_count")
    return Vocabulary([listed.words[index] for index in kept], listed.counts[kept])


def write_vocabulary(path: Path, model: Word2Vec) -> None:
    """Write a `word count` line for each word."""
    with written_atomically(path) as temporary:
        lines = (f"{word} {model.wv.get_vecattr(word, 'count')}\n" for word in model.wv.index_to_key)
        temporary.write_text("".join(lines), "utf-8")


def write_classes(path: Path, model: Word2Vec, classes: int) -> None:
    """Write a `word class` line for each word, as word2vec.c does."""
    members = word_classes(model.wv.vectors, classes)
    lines = (f"{word} {member}\n" for word, member in zip(model.wv.index_to_key, members, strict=True))
    path.write_text("".join(lines), "utf-8")
