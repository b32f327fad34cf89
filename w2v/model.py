"""Word2Vec under gensim's names: corpus and weights in, vectors out, and no training arithmetic."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from w2v import driver
from w2v.corpus import EncodedCorpus, encode
from w2v.params import Params
from w2v.tables import as_table, initial_syn0, new_table
from w2v.trainers import Task, trainer_class

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


class Word2Vec:
    """Skip-gram with negative sampling, by gensim's argument names.

    Given a corpus, the constructor trains; without one, call `build_vocab` and `train`.

    Parameters
    ----------
    sentences : iterable of token lists, or integer arrays, optional
        Read once, so a generator will do. Tokens are str or int.
    corpus_file : path, optional
        A UTF-8 text, plain, gzip or zip, a sentence a line. Of `sentences` and `corpus_file` give one.
    vector_size, window, shrink_windows, negative, ns_exponent, min_count, sample, alpha, min_alpha, epochs
        As in gensim, with gensim's defaults.
    seed, workers
        Likewise; with one worker the same seed gives the same vectors.
    sg : 1
        Skip-gram. gensim's default, 0, is CBOW, which is refused rather than replaced.
    trainer : {"hogwild", "exact", "reference"}
        "hogwild" shares each centre's negatives among its context words and is the fastest; "exact" repeats gensim's
        arithmetic and random numbers; "reference" is the specification in NumPy.
    progress : callable (raw words done, raw words in all), optional
        Called in this thread about five times a second while training.

    Attributes
    ----------
    wv : gensim.models.KeyedVectors
        The vectors: queries, evaluation and files are gensim's own.
    syn1neg : float32 (V, vector_size)
        The output rows.

    Raises
    ------
    TypeError
        For an argument that gensim's Word2Vec has and this one doesn't yet, such as `hs`.
    ValueError, TypeError, OSError
        At once and in this thread, for a hyper-parameter or a corpus that can't be trained on.
    w2v.Diverged
        If weights stop being finite.
    """

    def __init__(
        self,
        sentences: Iterable[Any] | None = None,
        corpus_file: str | os.PathLike[str] | None = None,
        vector_size: int = 100,
        alpha: float = 0.025,
        window: int = 5,
        min_count: int = 5,
        *,
        sample: float = 1e-3,
        seed: int = 1,
        workers: int = 3,
        min_alpha: float = 0.0001,
        sg: int = 0,
        negative: int = 5,
        ns_exponent: float = 0.75,
        epochs: int = 5,
        shrink_windows: bool = True,
        trainer: str = "hogwild",
        progress: Callable[[int, int], None] | None = None,
        **unsupported: Any,
    ) -> None:
        if unsupported:
            raise TypeError(
                f"not among this Word2Vec's arguments yet: {', '.join(unsupported)}; leave out what gensim's "
                "default would be, else keep gensim for it"
            )
        if sg != 1:
            raise ValueError(f"sg={sg!r}: only skip-gram is trained here, pass sg=1 (CBOW is sg=0, gensim's default)")
        self.params = Params(
            sg=sg,
            vector_size=vector_size,
            alpha=alpha,
            min_alpha=min_alpha,
            window=window,
            shrink_windows=shrink_windows,
            min_count=min_count,
            sample=sample,
            seed=seed,
            workers=workers,
            negative=negative,
            ns_exponent=ns_exponent,
            epochs=epochs,
        )
        trainer_class(trainer)
        self.trainer = trainer
        self._progress = progress
        self._corpus: EncodedCorpus | None = None
        if sentences is not None or corpus_file is not None:
            self.build_vocab(sentences, corpus_file)
            self.train()

    def build_vocab(
        self, corpus_iterable: Iterable[Any] | None = None, corpus_file: str | os.PathLike[str] | None = None
    ) -> None:
        """Read, count and encode a corpus, once for all epochs, and draw the start weights."""
        source = _one_of(corpus_iterable, corpus_file)
        self._corpus = encode(source, self.params.min_count, self.params.workers)
        self._source = source
        shape = (len(self._corpus.vocabulary), self.params.vector_size)
        self._syn0 = initial_syn0(*shape, self.params.seed)
        self.syn1neg = new_table(*shape)
        self.__dict__.pop("wv", None)

    def train(
        self,
        corpus_iterable: Iterable[Any] | None = None,
        corpus_file: str | os.PathLike[str] | None = None,
        *,
        total_examples: int | None = None,
        total_words: int | None = None,
        epochs: int | None = None,
        start_alpha: float | None = None,
        end_alpha: float | None = None,
    ) -> tuple[int, int]:
        """Train on the corpus of `build_vocab`; return (words kept after subsampling, raw words), both times epochs.

        gensim's call works unchanged: the corpus may be named again, and `total_examples` and `total_words`, which are
        known here, are not needed. Another corpus than that of `build_vocab` is a ValueError.
        """
        corpus = self._encoded()
        if corpus_iterable is not None or corpus_file is not None:
            if not _same_source(_one_of(corpus_iterable, corpus_file), self._source):
                raise ValueError("train() was given another corpus than build_vocab(): build a model for that one")
        if "wv" in self.__dict__ and self.wv.vectors is not self._syn0:
            raise ValueError(
                "words were added to wv since build_vocab(), and what trains would not reach them: train first"
            )
        given: dict[str, Any] = {"epochs": epochs, "alpha": start_alpha, "min_alpha": end_alpha}
        params = dataclasses.replace(self.params, **{k: value for k, value in given.items() if value is not None})
        task = Task(corpus, params, self._syn0, self.syn1neg)
        try:
            summary = driver.train(trainer_class(self.trainer)(task), task, self._progress)
        finally:  # after Ctrl-C, too, the norms are of other vectors
            if "wv" in self.__dict__:  # else nobody has asked for it, and gensim need not be imported yet
                self.wv.norms = None
        return summary.trained.kept_words, summary.raw_words

    @cached_property
    def wv(self) -> KeyedVectors:
        """The vectors, in a KeyedVectors that shares their memory."""
        from gensim.models import KeyedVectors

        vocabulary = self._encoded().vocabulary
        vectors = KeyedVectors(self.params.vector_size)
        vectors.index_to_key = list(vocabulary.words)  # copies, since words may be added to a KeyedVectors
        vectors.key_to_index = dict(vocabulary.index)
        vectors.vectors = self._syn0
        vectors.expandos["count"] = vocabulary.counts
        return vectors

    @property
    def vector_size(self) -> int:
        """Floats in a vector."""
        return self.params.vector_size

    @property
    def epochs(self) -> int:
        """Passes over the corpus."""
        return self.params.epochs

    @property
    def corpus_count(self) -> int:
        """Sentences in the corpus."""
        return len(self._encoded().raw_lengths)

    @property
    def corpus_total_words(self) -> int:
        """Words in the corpus, those out of the vocabulary included."""
        return self._encoded().raw_words

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Copies and pickles of a table are plain arrays: give them the padding that trainers need.
        self.__dict__.update(state)
        if self._corpus is not None:
            self._syn0, self.syn1neg = as_table(self._syn0), as_table(self.syn1neg)
        self.__dict__.pop("wv", None)

    def _encoded(self) -> EncodedCorpus:
        if self._corpus is None:
            raise RuntimeError("this model has no corpus yet: call build_vocab() first")
        return self._corpus

    def __repr__(self) -> str:
        size = len(self._corpus.vocabulary) if self._corpus else 0
        return f"Word2Vec<vocab={size}, vector_size={self.vector_size}, alpha={self.params.alpha}>"


def _one_of(corpus_iterable: Iterable[Any] | None, corpus_file: str | os.PathLike[str] | None) -> Any:
    if (corpus_iterable is None) == (corpus_file is None):
        raise ValueError("give either a corpus iterable or corpus_file, one of the two")
    if isinstance(corpus_iterable, (str, os.PathLike)):
        raise TypeError(f"the corpus is the string {str(corpus_iterable)[:40]!r}: for a file, pass corpus_file=")
    return corpus_file if corpus_iterable is None else corpus_iterable


def _same_source(one: Any, other: Any) -> bool:
    if isinstance(one, (str, os.PathLike)) and isinstance(other, (str, os.PathLike)):
        return os.fspath(one) == os.fspath(other)
    return one is other  # by identity, for arrays compare element by element
