"""What a model holds: its settings, vocabulary, encoded corpus and weights."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from dataclasses import fields
from datetime import datetime
from functools import cached_property, wraps
from threading import RLock
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from w2v.checks import count
from w2v.corpus import EncodedCorpus
from w2v.distributed.ranks import ALONE, Ranks
from w2v.params import Params
from w2v.pruning import RawVocabulary
from w2v.scan import Scan
from w2v.source import Source
from w2v.tables import as_table
from w2v.vocabulary import Vocabulary
from w2v.weights import Weights

if TYPE_CHECKING:
    from w2v.vectors import WordVectors

logger = logging.getLogger("w2v")

HYPER_PARAMETERS = tuple(field.name for field in fields(Params))

S = TypeVar("S", bound="State")
P = ParamSpec("P")
R = TypeVar("R")


def in_one_thread(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Of the methods so decorated, a model's run in one thread at a time; callbacks in that may call others."""

    @wraps(method)
    def alone(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if not self._in_use.acquire(blocking=False):
            raise RuntimeError(
                "this model is being trained, or its vocabulary built, in another thread: wait for its end, or give "
                "each thread a model of its own"
            )
        try:
            return method(self, *args, **kwargs)
        finally:
            self._in_use.release()

    return alone


class State:
    """The attributes that gensim's users know.

    Settings are plain attributes, as there: set one, and the next step goes by it.
    """

    sg: int
    hs: int
    cbow_mean: int
    vector_size: int
    alpha: float
    min_alpha: float
    window: int
    shrink_windows: bool
    min_count: int
    sample: float
    seed: int
    workers: int
    negative: int
    ns_exponent: float
    epochs: int
    batch_words: int
    compute_loss: bool
    max_vocab_size: int | None
    max_final_vocab: int | None
    sorted_vocab: int
    null_word: int

    effective_min_count: int | None = None
    corpus_count = 0
    corpus_total_words = 0
    random: np.random.RandomState
    train_count = 0
    total_train_time = 0.0
    min_alpha_yet_reached: float
    running_training_loss = 0.0
    epoch_losses: list[float]
    lifecycle_events: list[dict[str, Any]] | None

    _in_use: RLock
    _ranks: Ranks = ALONE
    _raw: RawVocabulary | None = None
    _scan: tuple[Source, Scan] | None = None
    _source: Source | None = None
    _vocabulary: Vocabulary | None = None
    _corpus: EncodedCorpus | None = None
    _weights: Weights | None = None

    @property
    def params(self) -> Params:
        """The hyper-parameters as they are now; ValueError if one was set to what can't train."""
        return Params(**{name: getattr(self, name) for name in HYPER_PARAMETERS})

    @cached_property
    def wv(self) -> WordVectors:
        """The vectors, in a KeyedVectors that shares their memory; empty before `build_vocab`."""
        from w2v.vectors import WordVectors  # imports gensim, which takes a second and isn't needed to train

        vectors = WordVectors(self.vector_size)
        if self._vocabulary and self._weights:
            vectors.show(self._vocabulary, self._weights.syn0, self.sample)
        return vectors

    @property
    def syn1neg(self) -> np.ndarray | None:
        """float32 (V, d): the output rows of negative sampling; None without it. What is set is copied."""
        return self._weights.syn1neg if self._weights else None

    @syn1neg.setter
    def syn1neg(self, rows: np.ndarray) -> None:
        self._built_weights().syn1neg = as_table(rows)

    @property
    def syn1(self) -> np.ndarray | None:
        """float32 (V - 1, d): the output rows of hierarchical softmax; None without it. What is set is copied."""
        return self._weights.syn1 if self._weights else None

    @syn1.setter
    def syn1(self, rows: np.ndarray) -> None:
        self._built_weights().syn1 = as_table(rows)

    @property
    def layer1_size(self) -> int:
        """Floats in a row of the output tables: as many as in a vector."""
        return self.vector_size

    @cached_property
    def cum_table(self) -> np.ndarray | None:
        """uint32 (V,): each word's cumulative share of the negatives, as gensim draws them; None without them."""
        return self._vocabulary.cumulative_noise(self.ns_exponent) if self._vocabulary and self.negative else None

    @property
    def raw_vocab(self) -> dict[Hashable, int] | None:
        """The count of every word, those dropped included: until `prepare_vocab`, or longer with keep_raw_vocab."""
        return None if self._raw is None else dict(zip(self._raw.all_words(), self._raw.counts.tolist(), strict=True))

    def make_cum_table(self, domain: int = 2**31 - 1) -> None:
        """Compute `cum_table` anew, up to `domain`. The trainers go by the counts themselves."""
        self.cum_table = self._built_vocabulary().cumulative_noise(self.ns_exponent, count("domain", domain, 1))

    def create_binary_tree(self) -> None:
        """Give each word of `wv` its Huffman "code" and "point", as attributes (see `wv.get_vecattr`).

        They are made when asked for, since the trainers don't need them, and then follow the vocabulary.
        """
        tree = self._built_vocabulary().tree
        for name, paths, dtype in ("code", tree.codes, np.uint8), ("point", tree.points, np.uint32):
            attribute = np.empty(len(self.wv), object)
            attribute[:] = np.split(paths.astype(dtype), tree.offsets[1:-1])
            self.wv.expandos[name] = attribute

    def add_lifecycle_event(self, event_name: str, log_level: int = logging.INFO, **event: Any) -> None:
        """Note an event, such as "train", with its time in `lifecycle_events` (set that None to stop), and log it."""
        noted = {**event, "datetime": datetime.now().isoformat(), "event": event_name}
        if log_level:
            logger.log(log_level, "Word2Vec lifecycle event %s", noted)
        if self.lifecycle_events is not None:
            self.lifecycle_events.append(noted)

    def _built_vocabulary(self) -> Vocabulary:
        if self._vocabulary is None:
            raise RuntimeError("this model has no vocabulary yet: call build_vocab() first")
        return self._vocabulary

    def _built_weights(self) -> Weights:
        """The weights, with the array in `wv.vectors` if the user has put another there."""
        if self._weights is None:
            raise RuntimeError("this model has no weights yet: call build_vocab() first")
        if "wv" in vars(self) and self.wv.vectors is not self._weights.syn0:
            if len(self.wv) != len(self._built_vocabulary()):
                raise ValueError(
                    "words were added to wv since build_vocab(), and have no output rows: train and save the model "
                    "first and add them then, for wv.save() to save, or have them in the corpus of a "
                    "build_vocab(update=True) instead"
                )
            if self.wv.index_to_key != list(self._built_vocabulary().words):
                raise ValueError(
                    "the keys of wv are in another order than those of the vocabulary, and so are their output rows: "
                    "sort wv when training is over"
                )
            self._weights.syn0 = self.wv.vectors = as_table(self.wv.vectors)
        return self._weights

    def _trainable_weights(self) -> Weights:
        """The weights in memory, if they were mapped from a file."""
        self._weights = self._built_weights().trainable()
        if "wv" in vars(self):
            self.wv.vectors = self._weights.syn0
        return self._weights

    def _forget_norms(self) -> None:
        """Let norms be computed anew, for the vectors have changed."""
        if "wv" in vars(self):
            self.wv.norms = None

    def _changed(self) -> None:
        """Let what was derived from vocabulary and weights follow them."""
        self.__dict__.pop("cum_table", None)
        if "wv" in self.__dict__ and self._vocabulary and self._weights:
            self.wv.show(self._vocabulary, self._weights.syn0, self.sample)
            if "code" in self.wv.expandos:
                self.create_binary_tree()

    def __getstate__(self) -> dict[str, Any]:
        if self._weights and "wv" in vars(self) and len(self.wv) == len(self._weights.syn0):
            self._built_weights()  # a copy takes the vectors from there
        left_behind = {"_in_use", "_source", "_scan", "_raw", "_progress", "_ranks", "cum_table"}
        return {name: value for name, value in vars(self).items() if name not in left_behind}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _in_use=RLock(), _progress=None)
        if "wv" in state and self._weights and len(self.wv) == len(self._weights.syn0):
            self.wv.vectors = self._weights.syn0  # shared again, after a copy or a pickle
