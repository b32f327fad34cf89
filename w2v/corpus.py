"""Any source of tokens, encoded once into vocabulary indices and sentence offsets."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from w2v.params import Params
from w2v.scan import Scan, holds_arrays, scan_arrays, scan_sentences
from w2v.textfile import scan_file
from w2v.vocabulary import Vocabulary, frequent_types

MAX_SENTENCE = 10_000
DEFAULT_WORKERS = min(4, os.cpu_count() or 1)


@dataclass(frozen=True, eq=False)
class EncodedCorpus:
    """A corpus as vocabulary indices.

    No sentence has more than MAX_SENTENCE raw tokens: a longer one is cut into pieces, so nothing is lost.
    The sentences of `from_file` are those of gensim's LineSentence.

    Attributes
    ----------
    ids : int32 (N,)
        Vocabulary index of every in-vocabulary token, in text order.
    offsets : int64 (S + 1,)
        Sentence s is ids[offsets[s]:offsets[s + 1]]; it may be empty.
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
    def from_file(
        cls,
        path: str | os.PathLike[str],
        min_count: int = 5,
        workers: int = DEFAULT_WORKERS,
        progress: Callable[[int, int], None] | None = None,
    ) -> EncodedCorpus:
        """Encode a UTF-8 text file, plain, gzip or a zip of one file: a line is a sentence, a blank line is none.

        Tokens are what Python's str.split() gives; a byte order mark at the start is dropped.

        Parameters
        ----------
        workers : int
            Threads that read; the result doesn't depend on it.
        progress : callable (bytes read, bytes of the file), optional
            Called in this thread after each of its blocks; not for a pipe, whose size nobody knows.

        Raises
        ------
        OSError
            If the file is missing, a directory or can't be read.
        ValueError
            If the file is empty, damaged, not UTF-8 (naming line and byte offset), or no word in it occurs
            `min_count` times.
        """
        Params(min_count=min_count, workers=workers)
        return _encoded(scan_file(path, workers, progress), min_count)

    @classmethod
    def from_sentences(cls, sentences: Iterable[Iterable[Hashable]], min_count: int = 5) -> EncodedCorpus:
        """Encode an iterable of token lists, the tokens str or int, in one pass.

        Raises
        ------
        TypeError
            If a sentence is not a list of tokens or a token is neither str nor int, naming it.
        ValueError
            If no word occurs `min_count` times.
        Exception
            Whatever the iterable itself raises.
        """
        Params(min_count=min_count)
        return _encoded(scan_sentences(sentences), min_count)

    @classmethod
    def from_arrays(cls, source: Any, min_count: int = 5) -> EncodedCorpus:
        """Encode integer arrays; the words are Python ints.

        Parameters
        ----------
        source : list of int arrays (n,), one a sentence; or int array (S, n); or tuple (values, offsets)
            In the last form sentence s is values[offsets[s]:offsets[s + 1]].

        Raises
        ------
        TypeError, ValueError
            If the arrays are not of that kind, or no word occurs `min_count` times.
        """
        Params(min_count=min_count)
        return _encoded(scan_arrays(source), min_count)


def encode(
    source: Any,
    min_count: int = 5,
    workers: int = DEFAULT_WORKERS,
    progress: Callable[[int, int], None] | None = None,
) -> EncodedCorpus:
    """Encode a path, integer arrays or an iterable of token lists, whichever `source` is."""
    if isinstance(source, (str, os.PathLike)):
        return EncodedCorpus.from_file(source, min_count, workers, progress)
    if holds_arrays(source):
        return EncodedCorpus.from_arrays(source, min_count)
    return EncodedCorpus.from_sentences(source, min_count)


def _encoded(scan: Scan, min_count: int) -> EncodedCorpus:
    """Number the frequent words by vocabulary index, drop the others, cut the long sentences.

    Empties scan.blocks on the way, so that the corpus is never in memory twice.
    """
    counts = _counts(scan.blocks)
    types = frequent_types(counts, min_count)
    index = np.full(len(counts), -1, np.int32)
    index[types] = np.arange(len(types), dtype=np.int32)
    vocabulary = Vocabulary(scan.words(types), counts[types])

    raw_lengths = _cut(scan.lengths)
    raw_ends = np.cumsum(raw_lengths)
    ids = np.empty(vocabulary.counts.sum(), np.int32)
    offsets = np.zeros(len(raw_lengths) + 1, np.int64)
    raw = kept = sentence = 0
    scan.blocks.reverse()
    while scan.blocks:
        block = index[scan.blocks.pop()]
        kept_before = np.concatenate([[0], np.cumsum(block >= 0)])
        ended = slice(sentence, int(np.searchsorted(raw_ends, raw + len(block), side="right")))
        offsets[1:][ended] = kept + kept_before[raw_ends[ended] - raw]
        ids[kept : kept + kept_before[-1]] = block[block >= 0]
        raw, kept, sentence = raw + len(block), kept + int(kept_before[-1]), ended.stop
    return EncodedCorpus(ids, offsets, raw_lengths.astype(np.int32), vocabulary)


def _counts(blocks: list[np.ndarray]) -> np.ndarray:
    counts = np.zeros(max((block.max() for block in blocks), default=-1) + 1, np.int64)
    for block in blocks:
        counts += np.bincount(block, minlength=len(counts))
    return counts


def _cut(lengths: np.ndarray) -> np.ndarray:
    """int64: the lengths of the pieces of at most MAX_SENTENCE tokens; an empty sentence stays one piece."""
    pieces = np.maximum(-(-lengths // MAX_SENTENCE), 1)
    cut = np.full(pieces.sum(), MAX_SENTENCE, np.int64)
    cut[np.cumsum(pieces) - 1] = lengths - (pieces - 1) * MAX_SENTENCE
    return cut
