"""From a corpus to a vocabulary and start weights, by gensim's steps."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from w2v import estimate
from w2v.checks import count, switch
from w2v.corpus import EncodedCorpus, scan_source
from w2v.params import Params
from w2v.pruning import Pruning, RawVocabulary, TrimRule
from w2v.renamed import refuse_arguments
from w2v.source import Source
from w2v.state import State, in_one_thread, logger
from w2v.vocabulary import Vocabulary
from w2v.weights import Weights


class Building(State):
    """What a Word2Vec does before training."""

    @in_one_thread
    def build_vocab(
        self,
        corpus_iterable: Iterable[Any] | None = None,
        corpus_file: str | os.PathLike[str] | None = None,
        update: bool = False,
        progress_per: int = 10000,
        keep_raw_vocab: bool = False,
        trim_rule: TrimRule | None = None,
        **kwargs: Any,
    ) -> None:
        """Read, count and encode a corpus, once for all epochs, and make the weights.

        An EncodedCorpus is taken as it is: its vocabulary becomes the model's, and pruning plays no part but in an
        update, when it is one corpus among others.

        update: keep the words and weights there are, add to their counts, and append the new words. kwargs: for
        `prepare_vocab`. progress_per: without effect, for reading is not logged.
        """
        refuse_arguments(kwargs.keys() - {"min_count", "sample"}, "build_vocab()", Building.build_vocab)
        if update:
            self._require_updatable()
        if isinstance(corpus_iterable, EncodedCorpus) and corpus_file is None and not update:
            own = {name: getattr(self, name) for name in ("max_vocab_size", "max_final_vocab", "null_word")}
            given = [*kwargs, *(name for name, value in {"trim_rule": trim_rule, **own}.items() if value)]
            if given:
                raise ValueError(
                    f"an EncodedCorpus is taken with all its words: {', '.join(given)} would have no effect"
                )
            self._take_over(corpus_iterable)
        else:
            self.scan_vocab(corpus_iterable, corpus_file)
            self.prepare_vocab(update, keep_raw_vocab, trim_rule, **kwargs)
        self.prepare_weights(update)
        self.add_lifecycle_event("build_vocab", update=update, words=len(self._built_vocabulary()))

    @in_one_thread
    def build_vocab_from_freq(
        self,
        word_freq: Mapping[Hashable, int],
        keep_raw_vocab: bool = False,
        corpus_count: int | None = None,
        trim_rule: TrimRule | None = None,
        update: bool = False,
    ) -> None:
        """Make vocabulary and weights from known counts; `train` then needs to be given the corpus."""
        if update:
            self._require_updatable()
        sentences = 0 if corpus_count is None else count("corpus_count", corpus_count, 0)
        self._raw, self._scan = RawVocabulary.from_counts(word_freq), None
        self.prepare_vocab(update, keep_raw_vocab, trim_rule)
        self.corpus_count = sentences
        self.prepare_weights(update)

    def scan_vocab(
        self,
        corpus_iterable: Iterable[Any] | None = None,
        corpus_file: str | os.PathLike[str] | None = None,
        progress_per: int = 10000,
        workers: int | None = None,
        trim_rule: TrimRule | None = None,
    ) -> tuple[int, int]:
        """Read a corpus and count its words, the first step of `build_vocab`; return (words, sentences).

        The pruning all comes with the second step, from exact counts, so `trim_rule` plays no part here.
        """
        source = Source(corpus_iterable, corpus_file)
        ranks, params = self._ranks, self.params
        threads = params.workers if workers is None else replace(params, workers=workers).workers
        scan = scan_source(source.given, threads, ranks=ranks)
        self._scan, self._raw = (source, scan), ranks.merged(RawVocabulary(scan.counts(), scan.words))
        return self._totals(scan.lengths)

    @in_one_thread
    def prepare_vocab(
        self,
        update: bool = False,
        keep_raw_vocab: bool = False,
        trim_rule: TrimRule | None = None,
        min_count: int | None = None,
        sample: float | None = None,
        dry_run: bool = False,
    ) -> dict[str, int]:
        """Choose the words from those counted, the second step of `build_vocab`; `dry_run` only says what would be.

        Returns
        -------
        dict
            drop_unique: types of this corpus that are dropped. num_retained_words, retain_total: the words of the
            vocabulary and all their occurrences. downsample_unique, downsample_total: the words that `sample` thins
            out, and the occurrences that leaves.
        """
        if self._raw is None:
            raise RuntimeError("no words are counted yet: call build_vocab(), scan_vocab() or build_vocab_from_freq()")
        if update:
            self._require_updatable()
        given: dict[str, Any] = {"min_count": min_count, "sample": sample}
        settings = replace(self.params, **{name: value for name, value in given.items() if value is not None})
        pruning = self._pruning(trim_rule, settings)
        vocabulary, types = self._chosen(self._raw, pruning, update)
        keep = vocabulary.keep_probabilities(settings.sample)
        kept = len(types) if types is not None else sum(word in vocabulary.index for word in self._raw.all_words())
        report = {
            "drop_unique": len(self._raw) - kept,
            "retain_total": int(vocabulary.counts.sum()),
            "downsample_unique": int((keep < 1).sum()),
            "downsample_total": int((keep * vocabulary.counts).sum()),
            "num_retained_words": len(vocabulary),
        }
        if not dry_run:
            self._adopt(vocabulary, types, update)
            self.min_count, self.sample = settings.min_count, settings.sample
            self.effective_min_count = pruning.effective_min_count(self._raw.counts)
            self._raw = self._raw if keep_raw_vocab else None
        return report

    def prepare_weights(self, update: bool = False) -> None:
        """Make the start weights, the third step of `build_vocab`; with `update`, for the new words alone."""
        if update:
            self.update_weights()
        else:
            self.init_weights()

    @in_one_thread
    def init_weights(self) -> None:
        """Set all weights to their start values, drawn with the seed; the vocabulary stays."""
        self._weights = Weights.initial(len(self._built_vocabulary()), self.params)
        self._changed()

    @in_one_thread
    def update_weights(self) -> None:
        """Keep all weights, and add start values for the words that have none yet."""
        self._weights = self._built_weights().enlarged(len(self._built_vocabulary()), self.params)
        self._changed()

    @in_one_thread
    def add_null_word(self) -> None:
        """Add the word "\\0" of count 1 to the vocabulary; `prepare_vocab` does if null_word=1."""
        self._vocabulary = self._built_vocabulary().with_null_word(in_order=False)

    @in_one_thread
    def reset_from(self, other_model: Building) -> None:
        """Take over another model's vocabulary and encoded corpus, and set all weights to their start values."""
        if not isinstance(other_model, Building):
            raise TypeError(f"{other_model!r} is no w2v.Word2Vec: of gensim's model, from_gensim() makes one")
        self._vocabulary = other_model._built_vocabulary()
        self._corpus, self._source = other_model._corpus, other_model._source
        self.corpus_count = other_model.corpus_count
        self.corpus_total_words = other_model.corpus_total_words
        self.init_weights()

    def estimate_memory(self, vocab_size: int | None = None, report: dict[str, int] | None = None) -> dict[str, int]:
        """Bytes that the model takes, by part and in "total", for its own vocabulary or one of `vocab_size` words.

        Without what threads keep to themselves while they train (see `w2v.estimate.memory`).

        report: bytes of something else, to be added in.
        """
        corpus = self._corpus if vocab_size is None else None
        words = len(self._vocabulary or ()) if vocab_size is None else count("vocab_size", vocab_size, 0)
        parts = {**(report or {}), **estimate.memory(words, self.params, corpus)}
        return {**parts, "total": parts["total"] + sum((report or {}).values())}

    def _require_updatable(self) -> None:
        if self._vocabulary is None:
            raise RuntimeError("there is no vocabulary to update yet: call build_vocab() without update=True first")
        if self._weights:
            self._built_weights()  # refuses, or takes over, what was done to `wv`, before anything changes

    def _pruning(self, trim_rule: TrimRule | None, settings: Params) -> Pruning:
        """What decides which words are kept; an error where an attribute was set to what can't be."""
        switch("null_word", self.null_word)
        return Pruning(
            min_count=settings.min_count,
            max_vocab_size=self.max_vocab_size,
            max_final_vocab=self.max_final_vocab,
            trim_rule=trim_rule,
            sorted_vocab=switch("sorted_vocab", self.sorted_vocab),
        )

    def _chosen(self, raw: RawVocabulary, pruning: Pruning, update: bool) -> tuple[Vocabulary, np.ndarray | None]:
        """The vocabulary, and the types of its words in the corpus where nothing else is among them."""
        if update:
            return self._built_vocabulary().updated(raw, pruning), None
        types = pruning.kept_types(raw)
        vocabulary = Vocabulary(raw.words(types), raw.counts[types])
        if self.null_word:
            return vocabulary.with_null_word(in_order=pruning.sorted_vocab), None
        return vocabulary, types if self._ranks.size == 1 else None

    def _take_over(self, corpus: EncodedCorpus) -> None:
        with self._ranks.together():
            corpus.require_words()
        self._source, self._vocabulary, self._corpus = Source(corpus, None), corpus.vocabulary, corpus
        self.effective_min_count = int(corpus.vocabulary.counts.min())
        if self.effective_min_count < self.min_count:
            logger.warning(
                "min_count=%d has no effect on an EncodedCorpus, which is taken with all words: some occur %d times",
                self.min_count,
                self.effective_min_count,
            )
        self.corpus_total_words, self.corpus_count = self._totals(corpus.raw_lengths)

    def _adopt(self, vocabulary: Vocabulary, types: np.ndarray | None, update: bool) -> None:
        """Make it the model's vocabulary, and the corpus that was scanned, encoded with it, the model's corpus."""
        no_word_to_train = update and vocabulary.counts.sum() == self._built_vocabulary().counts.sum()
        source, scan = self._scan or (None, None)
        self._scan, corpus = None, None
        if scan is not None and not no_word_to_train:
            with self._ranks.together():
                corpus = EncodedCorpus.from_scan(scan, vocabulary, types)
        self._vocabulary, self._corpus, self._source = vocabulary, corpus, source
        if scan is not None:
            self.corpus_total_words, self.corpus_count = self._totals(scan.lengths)

    def _totals(self, lengths: np.ndarray) -> tuple[int, int]:
        """(words, sentences) of the corpus whose part here has sentences of these lengths."""
        return self._ranks.total(int(lengths.sum(dtype=np.int64))), self._ranks.total(len(lengths))
