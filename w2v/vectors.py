"""`model.wv`: gensim's KeyedVectors, right where it goes wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral
from typing import IO, Any, NoReturn

import numpy as np
import smart_open
from gensim.models import KeyedVectors

from w2v.checks import count, finite, lock_factors
from w2v.files import fspath, written_atomically
from w2v.renamed import OF_VECTORS, refuse_attribute
from w2v.vocabulary import Vocabulary
from w2v.wordfile import read_counts, read_vectors, require_readable, write_vectors


class WordVectors(KeyedVectors):
    """A KeyedVectors that takes integer keys for keys and has no stale norms.

    Where a key is an integer, so is every integer that is asked for: one that is none is a KeyError. Among string
    keys alone an integer is a position, as in gensim.
    """

    vectors_lockf: np.ndarray
    _integer_keys = False

    def __init__(self, vector_size: int, count: int = 0, dtype: Any = np.float32, mapfile_path: Any = None) -> None:
        super().__init__(vector_size, count, dtype, mapfile_path)
        self.vectors_lockf = np.ones(1, np.float32)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "vectors":
            self.norms = None  # those of the array that was there

    def show(self, vocabulary: Vocabulary, vectors: np.ndarray, sample: float) -> None:
        """Hold these words, with float32 (V, d) `vectors`, whose memory is shared."""
        self.index_to_key = list(vocabulary.words)  # copies, since words may be added
        self.key_to_index = dict(vocabulary.index)
        self.next_index = len(vocabulary)
        self.vectors = vectors
        self.vector_size = vectors.shape[1]
        self.allocate_vecattrs()
        self.expandos["count"] = vocabulary.counts
        self.expandos["sample_int"] = vocabulary.keep_thresholds(sample)
        self._find_integers()

    def get_index(self, key: Any, default: Any = None) -> Any:
        """The row of a key; `default`, or else a KeyError, if it is none."""
        if self._integer_keys and isinstance(key, Integral):
            index: Any = self.key_to_index.get(key, default)  # type: ignore[call-overload]
            if index is None:
                raise KeyError(f"Key {key!r} not present")
            return index
        return super().get_index(key, default)

    def add_vector(self, key: Any, vector: np.ndarray) -> int:
        """Add one key, into a free slot where there is one; return its row."""
        self._integer_keys |= isinstance(key, Integral)
        self.norms = None
        return super().add_vector(key, vector)

    def add_vectors(
        self, keys: Any, weights: Any, extras: Mapping[str, np.ndarray] | None = None, replace: bool = False
    ) -> None:
        """Add keys and their vectors; those of present keys change, in place, only if `replace`.

        weights: (n, d) for n keys, or (d,) for one. extras: arrays (n,) by attribute (see `get_vecattr`).
        """
        keys = [keys] if isinstance(keys, (str, Integral)) else list(keys)
        rows = np.asarray(weights)
        rows = rows.reshape(1, -1) if rows.ndim == 1 and len(keys) == 1 else rows
        if rows.shape != (len(keys), self.vector_size):
            raise ValueError(
                f"{len(keys)} keys need vectors of shape {(len(keys), self.vector_size)}, not {rows.shape}"
            )
        new = {key: None for key in keys if key not in self.key_to_index}
        for key in new:
            self.key_to_index[key] = len(self.index_to_key)
            self.index_to_key.append(key)
            self._integer_keys |= isinstance(key, Integral)
        if new:  # else the array stays the one that trains
            self.vectors = np.vstack([self.vectors, np.zeros((len(new), self.vector_size), self.vectors.dtype)])
            self.next_index = len(self.index_to_key)
        written = [position for position, key in enumerate(keys) if replace or key in new]
        target = [self.key_to_index[keys[position]] for position in written]
        self.vectors[target] = rows[written]
        self.allocate_vecattrs()
        for attribute, values in (extras or {}).items():
            self.allocate_vecattrs([attribute], [values.dtype])
            self.expandos[attribute][target] = values[written]
        self.norms = None

    def __setitem__(self, keys: Any, weights: Any) -> None:
        self.add_vectors(keys, weights, replace=True)

    def save(self, fname_or_handle: str | os.PathLike[str] | IO[bytes], *arguments: Any, **named: Any) -> None:
        """Save a plain KeyedVectors, by gensim's arguments: what is loaded from the file is that without w2v, too.

        The file, and those of large arrays beside it, are whole, or what was there before.
        """
        plain = KeyedVectors(self.vector_size)
        plain.__dict__.update(vars(self))
        target = fname_or_handle if hasattr(fname_or_handle, "write") else fspath(fname_or_handle)
        # gensim looks for arrays beside a link, not beside what that leads to.
        if not isinstance(target, str) or not _in_a_folder(target) or os.path.islink(target):
            plain.save(target, *arguments, **named)
            return
        with written_atomically(target) as temporary:
            plain.save(str(temporary), *arguments, **named)

    @classmethod
    def load(cls, fname: str | os.PathLike[str], mmap: str | None = None) -> WordVectors:
        """Vectors that were saved by `save`, or by gensim's; TypeError if the file holds something else."""
        loaded = super().load(fspath(fname), mmap)
        if not isinstance(loaded, KeyedVectors):
            raise TypeError(f"{fname} holds a {type(loaded).__name__}, not a KeyedVectors")
        vectors = cls(loaded.vector_size)
        vectors.__dict__.update(vars(loaded))
        vectors._find_integers()
        return vectors

    def save_word2vec_format(
        self,
        fname: str | os.PathLike[str],
        fvocab: str | os.PathLike[str] | None = None,
        binary: bool = False,
        total_vec: int | None = None,
        write_header: bool = True,
        prefix: str = "",
        append: bool = False,
        sort_attr: str = "count",
    ) -> None:
        """Write word2vec's format, as gensim does but faster: the file is whole, or what was there before.

        A name that ends in .gz or .bz2 is compressed. Values have 9 digits, enough to be read back as they were.

        Raises
        ------
        ValueError
            If a word has a blank or a newline in it, or reads like another, as 1 and "1": it could not be read back.
        OSError
            If the file can't be written.
        """
        require_readable(self.key_to_index)
        if total_vec is not None:
            count("total_vec", total_vec, 0)
        rows = np.arange(len(self))
        if sort_attr in self.expandos:
            rows = np.argsort(-self.expandos[sort_attr], kind="stable")
        elif fvocab is not None:
            raise ValueError(f"there is no attribute {sort_attr!r} of wv to write to {fvocab}")
        words = [self.index_to_key[row] for row in rows]
        if fvocab is not None:
            with _opened_to_write(fvocab, append) as file:
                counted = zip(words, self.expandos[sort_attr][rows], strict=True)
                file.writelines(f"{prefix}{word} {times}\n".encode() for word, times in counted)
        with _opened_to_write(fname, append) as file:
            if write_header:
                file.write(f"{len(words) if total_vec is None else total_vec} {self.vector_size}\n".encode())
            in_order = (rows[1:] > rows[:-1]).all()  # as they are as a rule: no copy then
            write_vectors(file, words, self.vectors if in_order else self.vectors[rows], binary, prefix)

    @classmethod
    def load_word2vec_format(
        cls,
        fname: str | os.PathLike[str],
        fvocab: str | os.PathLike[str] | None = None,
        binary: bool = False,
        encoding: str = "utf8",
        unicode_errors: str = "strict",
        limit: int | None = None,
        datatype: Any = np.float32,
        no_header: bool = False,
    ) -> WordVectors:
        """Read word2vec's format, as gensim does but faster; of a word that repeats the first vector is taken.

        Raises
        ------
        ValueError, EOFError
            If a record is malformed, or the file ends too early: naming the record.
        """
        words, vectors = read_vectors(fname, binary, encoding, unicode_errors, limit, datatype, not no_header)
        wv = cls(vectors.shape[1], dtype=datatype)
        for row, word in enumerate(words):
            wv.key_to_index.setdefault(word, row)
        if len(wv.key_to_index) < len(words):
            vectors = vectors[list(wv.key_to_index.values())]
            wv.key_to_index = {word: row for row, word in enumerate(wv.key_to_index)}
        wv.index_to_key, wv.vectors, wv.next_index = list(wv.key_to_index), vectors, len(vectors)
        counts = np.arange(len(vectors), 0, -1)  # falling, as in such files
        if fvocab is not None:
            known = dict(zip(*read_counts(fvocab), strict=True))
            if unknown := [word for word in wv.index_to_key if word not in known]:
                raise ValueError(f"{fvocab} has no count of the word {unknown[0]!r:.60}")
            counts = np.array([known[word] for word in wv.index_to_key])
        wv.allocate_vecattrs(["count"], [np.int64])
        wv.expandos["count"][:] = counts
        return wv

    def intersect_word2vec_format(
        self,
        fname: str | os.PathLike[str],
        lockf: float = 0.0,
        binary: bool = False,
        encoding: str = "utf8",
        unicode_errors: str = "strict",
    ) -> None:
        """Take the vectors of words that are here from a file of word2vec's format; `lockf` is their factor from then.

        So `vectors_lockf` has one factor a word: 0.0 keeps what was taken as it is while the model trains.

        Raises
        ------
        ValueError, EOFError
            If vectors there are of another size, or as `load_word2vec_format`.
        """
        words, vectors = read_vectors(fname, binary, encoding, unicode_errors, wanted=self.key_to_index)
        if vectors.shape[1] != self.vector_size:
            raise ValueError(f"{fname} has vectors of {vectors.shape[1]} numbers, where vector_size={self.vector_size}")
        rows = [self.key_to_index[word] for word in words]
        factors = lock_factors(self.vectors_lockf, len(self))
        self.vectors[rows], factors[rows] = vectors, finite("lockf", lockf)
        self.vectors_lockf, self.norms = factors, None
        self.add_lifecycle_event("intersect_word2vec_format", words=len(set(rows)), fname=fspath(fname))

    def _find_integers(self) -> None:
        self._integer_keys = any(isinstance(key, Integral) for key in self.index_to_key)

    def __getattr__(self, name: str) -> NoReturn:
        refuse_attribute(self, name, OF_VECTORS)


def _in_a_folder(path: str | os.PathLike[str]) -> bool:
    """Whether this is no URL, so that a file can take another's place there."""
    return "://" not in os.fspath(path)


@contextmanager
def _opened_to_write(path: str | os.PathLike[str], append: bool) -> Iterator[IO[bytes]]:
    if append or not _in_a_folder(path):
        with smart_open.open(path, "ab" if append else "wb") as file:
            yield file
    else:
        with written_atomically(path) as temporary, smart_open.open(temporary, "wb") as file:
            yield file
