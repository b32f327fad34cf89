"""Any source of tokens, encoded once into vocabulary indices and sentence offsets."""

from __future__ import annotations

import json
import os
import reprlib
import zlib
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from w2v.archive import Archive, write_archive
from w2v.columns import without_frame
from w2v.cores import usable_cores
from w2v.distributed.ranks import ALONE, Ranks
from w2v.files import as_path, naming, writable
from w2v.params import Params
from w2v.pruning import Pruning, RawVocabulary
from w2v.scan import MAX_SENTENCE, Scan, holds_arrays, scan_arrays, scan_sentences
from w2v.textfile import Progress, file_states, require_outside, sampled_checksums, scan_file
from w2v.tokenizer import keep_indexed
from w2v.vocabulary import Vocabulary

FORMAT = 1
HEADER = "corpus.json"
ARRAYS = "ids", "offsets", "raw_lengths"
DEFAULT_WORKERS = min(4, usable_cores())


@dataclass(frozen=True, eq=False, repr=False)
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
    source : dict, optional
        What a cache was made from.

    Raises
    ------
    ValueError
        On construction, for arrays of other types or lengths.
    """

    ids: np.ndarray
    offsets: np.ndarray
    raw_lengths: np.ndarray
    vocabulary: Vocabulary
    source: dict[str, Any] | None = None

    def __repr__(self) -> str:
        sentences, words = len(self.raw_lengths), len(self.vocabulary)
        return f"EncodedCorpus<{self.raw_words:,} tokens in {sentences:,} sentences, vocab={words:,}>"

    def __post_init__(self) -> None:
        for name, wanted in zip(ARRAYS, (np.int32, np.int64, np.int32), strict=True):
            given = getattr(self, name)
            if given.dtype != wanted or given.ndim != 1:
                raise ValueError(f"{name}: {given.dtype} of shape {given.shape} where 1-D {wanted.__name__} belongs")
        if len(self.offsets) != len(self.raw_lengths) + 1 or self.offsets[0] != 0 or self.offsets[-1] != len(self.ids):
            raise ValueError(
                f"{len(self.raw_lengths)} sentences of {len(self.ids)} words together need one offset more, from 0 to "
                "the number of words"
            )

    @property
    def raw_words(self) -> int:
        """Tokens of the corpus, in the vocabulary or not."""
        return int(self.raw_lengths.sum(dtype=np.int64))

    @cached_property
    def checksum(self) -> int:
        """32 bits that differ between corpora, most likely: of the words, and of all ids and sentence lengths."""
        return zlib.crc32(self.raw_lengths.data, zlib.crc32(self.ids.data, self.vocabulary.checksum))

    def require_words(self) -> None:
        """ValueError if there is nothing to train on."""
        if not len(self.ids):
            raise ValueError(
                "no word of the corpus is in the vocabulary: build_vocab(corpus, update=True) adds its words"
            )

    def check(self, begin: int, end: int) -> None:
        """ValueError if sentences [begin, end) are damaged, for trainers index by them unchecked."""
        offsets, raw_lengths = self.offsets[begin : end + 1], self.raw_lengths[begin:end].view(np.uint32)
        lengths = (offsets[1:] - offsets[:-1]).view(np.uint64)  # as all these: what is negative becomes huge
        ids = self.ids[offsets[0] : offsets[-1]].view(np.uint32)
        if (
            offsets[0] < 0
            or offsets[-1] > len(self.ids)
            or (lengths > raw_lengths).any()
            or raw_lengths.max(initial=0) > MAX_SENTENCE
            or ids.max(initial=0) >= len(self.vocabulary)
        ):
            raise ValueError(
                f"the encoded corpus is damaged in sentences {begin} to {end}: if it is mapped from a file, remove "
                "that, and have it made anew"
            )

    def sentences(self, begin: int, end: int) -> EncodedCorpus:
        """Sentences [begin, end) of it, with the whole's vocabulary; the arrays are views where that is possible."""
        offsets = self.offsets[begin : end + 1]
        ids = self.ids[offsets[0] : offsets[-1]]
        return replace(self, ids=ids, offsets=offsets - offsets[0], raw_lengths=self.raw_lengths[begin:end])

    def part(self, rank: int, ranks: int) -> EncodedCorpus:
        """The sentences that process `rank` of so many trains, from 0: neighbours, about as many words for each.

        Raises
        ------
        ValueError
            If there is no such process, or there are not as many sentences as processes.
        """
        if not 0 <= rank < ranks:
            raise ValueError(f"rank {rank} is none of {ranks}, counted from 0")
        ends = np.cumsum(self.raw_lengths, dtype=np.int64)
        begin, end = (int(np.searchsorted(ends, self.raw_words * cut // ranks)) for cut in (rank, rank + 1))
        end = len(ends) if rank == ranks - 1 else end
        if self.offsets[begin] == self.offsets[end]:
            raise ValueError(f"no sentence is left for part {rank + 1} of {ranks}: start fewer processes")
        return self.sentences(begin, end)

    def __iter__(self) -> Iterator[list]:
        """Each sentence, a list of its words that are in the vocabulary."""
        words = self.vocabulary.words
        for begin, end in pairwise(self.offsets):
            yield [words[index] for index in self.ids[begin:end]]

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        min_count: int = 5,
        workers: int = DEFAULT_WORKERS,
        progress: Progress | None = None,
        cache: str | os.PathLike[str] | None = None,
        ranks: Ranks = ALONE,
    ) -> EncodedCorpus:
        """Encode a UTF-8 text file: plain, gzip or a zip of one file, whatever its name; or a folder of such files.

        A line is a sentence, a blank line is none; tokens are what Python's str.split() gives. A byte order
        mark at the start of a file is dropped; one further on, as in files joined by `cat`, is part of its word.

        Parameters
        ----------
        workers : int
            Threads that read; the result doesn't depend on it.
        progress : callable (bytes read, bytes of the file), optional
            Called in this thread after each of its blocks; not for a pipe, whose size nobody knows.
        cache : path, optional
            A file for the encoded corpus, which is then mapped into memory, not held there: for a text larger than
            memory. If it is there already, and made with the same settings from files of these sizes and times, it is
            taken as it is; else it is written anew.
        ranks : Ranks
            The processes that call this together. Each gets its part of the text, with the vocabulary of the whole.
            `cache` is then a file that all of them can read, and rank 0 writes.

        Raises
        ------
        OSError
            If the file is missing or can't be read.
        ValueError
            If the file or folder is empty, damaged, not UTF-8 (naming line and byte offset), or no word in it occurs
            `min_count` times; or if `cache` would be read with the folder next time.
        """
        Params(min_count=min_count, workers=workers)
        as_path(path)
        if cache is None:
            return _frequent(scan_source(path, workers, progress, ranks), min_count, ranks)
        with ranks.together():
            if ranks.rank == 0:
                cls._cache(path, min_count, workers, progress, cache)
        with ranks.together():
            whole = EncodedCorpus.load(cache)
            return whole.part(*ranks.share) if ranks.size > 1 else whole

    @classmethod
    def _cache(
        cls,
        path: str | os.PathLike[str],
        min_count: int,
        workers: int,
        progress: Progress | None,
        cache: str | os.PathLike[str],
    ) -> None:
        """Write the cache of `from_file`, if it isn't there."""
        require_outside(as_path(cache), as_path(path))
        source = {"min_count": min_count, "files": file_states(path)}
        if as_path(cache).exists() and EncodedCorpus.load(cache).source == source:
            return
        folder = writable(cache).parent
        with naming(cache, folder):
            corpus = _frequent(scan_file(path, workers, progress, folder), min_count)
        replace(corpus, source=source).save(cache)

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
        return _frequent(scan_sentences(sentences), min_count)

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
        return _frequent(scan_arrays(source), min_count)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to a file, which is whole or not there, an .npz."""
        header = {"format": FORMAT, "words": self.vocabulary.words, "source": self.source}
        arrays = {name: getattr(self, name) for name in ARRAYS}
        write_archive(path, {**arrays, "counts": self.vocabulary.counts}, {HEADER: json.dumps(header)})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> EncodedCorpus:
        """A corpus of `save`, its arrays mapped from the file, read-only.

        Raises
        ------
        OSError
            If the file can't be read.
        ValueError
            If it is no such file, or damaged.
        """
        with Archive(path, "encoded corpus", "r") as saved:
            header = json.loads(saved.text(HEADER))
            if header["format"] != FORMAT:
                raise ValueError(f"{path} is of format {header['format']}, where format {FORMAT} is read")
            arrays = {name: np.asarray(saved.array(name)) for name in ARRAYS}
            counts = saved.array("counts")
        try:
            return cls(**arrays, vocabulary=Vocabulary(header["words"], counts), source=header["source"])
        except ValueError as error:
            raise ValueError(f"{path} is damaged: {error}") from error

    @classmethod
    def from_scan(cls, scan: Scan, vocabulary: Vocabulary, types: np.ndarray | None = None) -> EncodedCorpus:
        """Encode what was scanned with a vocabulary, dropping words out of it; consumes `scan.types`, in place.

        types: int64 (V,), the type of each word of the vocabulary, where they are known; else words are looked up.

        Raises
        ------
        ValueError
            If no word of the corpus is in the vocabulary.
        """
        offsets = np.zeros(len(scan.lengths) + 1, np.int64)
        np.cumsum(scan.lengths, out=offsets[1:])
        kept = keep_indexed(scan.types, _index_of_types(scan, vocabulary, types), offsets)
        corpus = cls(scan.first(kept), offsets, scan.lengths, vocabulary)
        corpus.require_words()
        return corpus


def scan_source(source: Any, workers: int, progress: Progress | None = None, ranks: Ranks = ALONE) -> Scan:
    """Read a path, integer arrays, a column or an iterable of token lists, whichever `source` is, once.

    Of `ranks` each reads its part of a path; anything else is its own part already.

    Raises
    ------
    ValueError, TypeError, OSError
        On every rank: if one can't read its part, or they find different files under the path.
    """
    is_path = isinstance(source, (str, os.PathLike))
    if ranks.size > 1:
        with ranks.together():
            sizes = [size for _, size, _ in file_states(source)] if is_path else None
            samples = sampled_checksums(source) if is_path else None
        found = {"bytes of the corpus's files": sizes, "checksums of samples of them": samples}
        ranks.require_same("reading the corpus", found)
    with ranks.together():
        if is_path:
            return scan_file(source, workers, progress, share=ranks.share)
        source = without_frame(source)
        return scan_arrays(source) if holds_arrays(source) else scan_sentences(source)


def encode(
    source: Any,
    min_count: int = 5,
    workers: int = DEFAULT_WORKERS,
    progress: Progress | None = None,
    vocabulary: Vocabulary | None = None,
    ranks: Ranks = ALONE,
) -> EncodedCorpus:
    """Encode a path, integer arrays or an iterable of token lists, whichever `source` is.

    A pandas, polars or Arrow column of token lists will do, and so will the items of each row of a SciPy CSR array.
    Of `ranks` each reads its part (see `scan_source`).
    With a `vocabulary`, its words are kept and `min_count` plays no part; without, those of `min_count` occurrences.
    """
    Params(min_count=min_count, workers=workers)
    if vocabulary is not None and not isinstance(vocabulary, Vocabulary):
        raise TypeError(
            f"vocabulary={reprlib.repr(vocabulary)} is no w2v.Vocabulary: make one of words and their counts"
        )
    scan = scan_source(source, workers, progress, ranks)
    if vocabulary is None:
        return _frequent(scan, min_count, ranks)
    with ranks.together():
        return EncodedCorpus.from_scan(scan, vocabulary)


def _frequent(scan: Scan, min_count: int, ranks: Ranks = ALONE) -> EncodedCorpus:
    raw = ranks.merged(RawVocabulary(scan.counts(), scan.words))
    types = Pruning(min_count=min_count).kept_types(raw)
    with ranks.together():
        return EncodedCorpus.from_scan(
            scan, Vocabulary(raw.words(types), raw.counts[types]), types if ranks.size == 1 else None
        )


def _index_of_types(scan: Scan, vocabulary: Vocabulary, types: np.ndarray | None) -> np.ndarray:
    """int32 (T,): the vocabulary index of every type, -1 where it has none."""
    if types is None:
        every_word = scan.words(np.arange(scan.type_count))
        return np.array([vocabulary.index.get(word, -1) for word in every_word], np.int32)
    index = np.full(scan.type_count, -1, np.int32)
    index[types] = np.arange(len(types), dtype=np.int32)
    return index
