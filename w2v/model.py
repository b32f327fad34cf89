"""Word2Vec under gensim's names: corpus and weights in, vectors out, and no training arithmetic."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from threading import RLock
from typing import IO, Any, NoReturn

import numpy as np

from w2v import driver, inference, interchange, persistence
from w2v.building import Building
from w2v.callbacks import Callbacks, checked_callbacks
from w2v.checkpoint import CHECKPOINT_MINUTES, Checkpoint, resume
from w2v.checks import lock_factors
from w2v.corpus import EncodedCorpus, encode
from w2v.distributed.averaging import Averaging
from w2v.distributed.ranks import Ranks
from w2v.distributed.start import begin, observer_of_all
from w2v.estimate import Estimate, estimate, saying_what_is_needed
from w2v.params import Params, require_rates
from w2v.progress import Log, checked_progress, shown
from w2v.pruning import TrimRule
from w2v.renamed import OF_MODEL, refuse_arguments, refuse_attribute
from w2v.schedule import alpha_at
from w2v.source import Source
from w2v.state import in_one_thread, logger
from w2v.trainers import Task, check_trainer, trainer_class


class Word2Vec(Building):
    """word2vec by gensim's argument names: skip-gram or CBOW, negative sampling or hierarchical softmax, or both.

    Given a corpus, the constructor trains; without one, call `build_vocab` and `train`.

    Parameters
    ----------
    sentences : iterable of token lists, or integer arrays, optional
        Read once, so a generator will do. Tokens are str or int.
    corpus_file : path, optional
        A UTF-8 text, plain, gzip or zip, a sentence a line. Of `sentences` and `corpus_file` give one.
    trainer : {"hogwild", "exact", "numba", "cupy", "reference"}
        "hogwild" is the fastest: neighbouring windows share their negatives; "exact" repeats gensim's arithmetic and
        random numbers; "numba" and "cupy" are hogwild without a compiler and on a GPU; "reference" is the specification
        in NumPy.
    progress : True, or callable (raw words done, raw words in all, loss of the epoch or None), optional
        True shows a bar while training, or, where standard error is no terminal, lines there. A callable is called in
        this thread about five times a second. The lines are logged in any case: `logging`'s INFO, "w2v.progress".
    comm : mpi4py.MPI.Comm, optional
        The processes that train this model together, each of which makes it and calls its methods alike, on a part of
        the corpus: of a file each reads its own, any other corpus is the caller's own part. See docs/mpi.md.
    others
        gensim's, with its meaning and defaults. docs/gensim.md lists those that differ.

    Attributes
    ----------
    wv : WordVectors
        The vectors, a gensim KeyedVectors: queries, evaluation and files are gensim's own. Its `vectors_lockf`,
        float32 (1,) or (V,), is what each word's updates are multiplied by.
    syn1neg, syn1 : float32 (V, vector_size), (V - 1, vector_size), or None
        The output rows of negative sampling and of hierarchical softmax.
    epoch_losses : list of float
        Mean loss of each epoch of the latest `train`, if it was to compute it (see `get_latest_training_loss`).
    running_training_loss : float
        The sum of the loss over all examples of the latest `train`, as in gensim.
    params : Params
        The settings together.

    Raises
    ------
    ValueError, TypeError, OSError
        At once and in this thread, for a setting or a corpus that can't be trained on.
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
        max_vocab_size: int | None = None,
        sample: float = 1e-3,
        seed: int = 1,
        workers: int = 3,
        min_alpha: float = 0.0001,
        sg: int = 0,
        hs: int = 0,
        negative: int = 5,
        ns_exponent: float = 0.75,
        cbow_mean: int = 1,
        hashfxn: Callable[[Any], int] = hash,
        epochs: int = 5,
        null_word: int = 0,
        trim_rule: TrimRule | None = None,
        sorted_vocab: int = 1,
        batch_words: int = 10000,
        compute_loss: bool = False,
        callbacks: Iterable[Any] = (),
        comment: str | None = None,
        max_final_vocab: int | None = None,
        shrink_windows: bool = True,
        *,
        trainer: str = "hogwild",
        progress: driver.Progress | bool | None = None,
        comm: Any = None,
        **others: Any,
    ) -> None:
        self._in_use, self._ranks = RLock(), Ranks(comm)
        refuse_arguments(others, "Word2Vec()", Word2Vec.__init__)
        given = locals()
        params = Params(**{field.name: given[field.name] for field in dataclasses.fields(Params)})
        vars(self).update(dataclasses.asdict(params))
        check_trainer(trainer, params)
        callbacks = checked_callbacks(callbacks)
        if not callable(hashfxn):
            raise TypeError(f"hashfxn={hashfxn!r} can't be called with a string")
        self.trainer = trainer
        self.max_vocab_size, self.max_final_vocab = max_vocab_size, max_final_vocab
        self.sorted_vocab, self.null_word = sorted_vocab, null_word
        self.hashfxn, self.comment = hashfxn, comment
        self.random = np.random.RandomState([params.seed, self._ranks.rank] if self._ranks.rank else params.seed)
        self.lifecycle_events, self.epoch_losses = [], []
        self.min_alpha_yet_reached = params.alpha
        self._progress = checked_progress(progress)
        self._pruning(trim_rule, params)
        self.add_lifecycle_event("created", params=repr(self))
        if sentences is not None or corpus_file is not None:
            self.build_vocab(sentences, corpus_file, trim_rule=trim_rule)
            self.train(callbacks=callbacks)
        elif callbacks or trim_rule:
            name = "callbacks" if callbacks else "trim_rule"
            method = "train()" if callbacks else "build_vocab()"
            logger.warning("%s are not kept by a model without a corpus: pass them to %s", name, method)

    @in_one_thread
    def train(
        self,
        corpus_iterable: Iterable[Any] | None = None,
        corpus_file: str | os.PathLike[str] | None = None,
        total_examples: int | None = None,
        total_words: int | None = None,
        epochs: int | None = None,
        start_alpha: float | None = None,
        end_alpha: float | None = None,
        word_count: int = 0,
        queue_factor: int = 2,
        report_delay: float = 1.0,
        compute_loss: bool = False,
        callbacks: Iterable[Any] = (),
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_minutes: float = CHECKPOINT_MINUTES,
        **others: Any,
    ) -> tuple[int, int]:
        """Train; return (words kept after subsampling, raw words), both times epochs.

        Parameters
        ----------
        corpus_iterable, corpus_file
            Without them, or with what `build_vocab` was given, its corpus, which is not read again. Another corpus, or
            that one with other sentences (docs/gensim.md: what is noticed), is encoded with the vocabulary there is.
        total_examples, total_words : int, optional
            Known here: the learning rate follows the corpus itself. A different number is warned about.
        epochs : int, optional
            Sets `epochs`.
        start_alpha, end_alpha : float, optional
            Learning rates of this call in place of `alpha` and `min_alpha`.
        compute_loss : bool
            Compute the loss, if the constructor wasn't told to.
        callbacks : iterable of gensim.models.callbacks.CallbackAny2Vec
            Called in this thread while nothing trains.
        word_count, queue_factor, report_delay
            gensim's, without effect there or without meaning here.
        checkpoint : path, optional
            A file to save weights and position in: every `checkpoint_minutes`, at the end of each epoch, and before
            Ctrl-C or SIGTERM end the run; of several ranks, at the end of each epoch alone. If it is there, and of this
            very run, the run goes on from it. It stays when the run is done: the same program, run again, loads the
            result and trains no more.
        """
        refuse_arguments(others, "train()", Word2Vec.train)
        callbacks = checked_callbacks(callbacks)
        corpus = self._corpus_to_train(corpus_iterable, corpus_file)
        self._warn_of_other_totals(corpus, total_examples, total_words)
        given: dict[str, Any] = {
            "epochs": epochs,
            "alpha": start_alpha,
            "min_alpha": end_alpha,
            "compute_loss": compute_loss or None,
        }
        own = self.params
        start_rate = {"alpha": own.alpha} if start_alpha is None else {"start_alpha": start_alpha}
        end_rate = {"min_alpha": own.min_alpha} if end_alpha is None else {"end_alpha": end_alpha}
        require_rates(**start_rate, **end_rate)
        params = dataclasses.replace(own, **{name: value for name, value in given.items() if value is not None})
        self.epochs = params.epochs
        task = self._task(corpus, params)
        reported = Callbacks(self, callbacks, params.compute_loss)
        hooks: list[driver.Hook] = [reported]
        start = driver.Position()
        ranks = self._ranks
        saver: AbstractContextManager = nullcontext()
        with ranks.together():
            if checkpoint is not None and ranks.rank == 0:
                saver = Checkpoint(checkpoint, self.trainer, task, checkpoint_minutes)
                hooks.append(saver)
                start = resume(checkpoint, self.trainer, task) if os.path.exists(checkpoint) else start
        if start.epoch == params.epochs:
            logger.warning("all %d epochs are trained already: remove %s to train anew", params.epochs, checkpoint)
        if checkpoint is not None and self.train_count and ranks.rank == 0:
            logger.warning(
                "this model has been trained before: %s is a checkpoint of %d more epochs alone. For one of the whole, "
                "make the model without a corpus, and call build_vocab() and train(checkpoint=)",
                checkpoint,
                params.epochs,
            )
        if len(corpus.vocabulary) == 1 and ranks.rank == 0:
            logger.warning(
                "%r is the only word, with none to tell it from: do blanks divide words?%s",
                corpus.vocabulary.words[0],
                f" is min_count={self.min_count} too high?" if self.min_count > 1 else "",
            )
        start = begin(ranks, self.trainer, task, start)
        with ranks.together(), saying_what_is_needed(task):
            trainer = trainer_class(self.trainer)(task)
        if ranks.size > 1:
            hooks.insert(0, Averaging(ranks, task, len(driver.bounds_of_chunks(trainer, task)) - 1))
        reported.on_train_begin(start)
        try:
            shown_here = self._progress if ranks.rank == 0 else None
            with shown(shown_here) as progress, saver, saying_what_is_needed(task):
                observe = observer_of_all(ranks, task, Log(params, progress))
                summary = driver.train(trainer, task, observe, hooks, start)
        finally:  # after Ctrl-C, too, the norms are of other vectors
            self._forget_norms()
        trained = summary.trained
        idle = not trained.kept_words or (params.compute_loss and not trained.examples)
        if idle and len(corpus.vocabulary) > 1 and ranks.rank == 0:
            logger.warning(
                "nothing was trained: no word had a neighbour left; raise sample=%s (0 keeps all) if the text is "
                "small, and see that sentences have several words of the vocabulary",
                params.sample,
            )
        self.train_count += 1  # not after Ctrl-C: the same call goes on from its checkpoint
        self.total_train_time += summary.seconds
        self.min_alpha_yet_reached = min(alpha_at(1, params), self.min_alpha_yet_reached)
        self.add_lifecycle_event("train", words=summary.raw_words, seconds=summary.seconds)
        reported.on_train_end()
        return trained.kept_words, ranks.total(summary.raw_words)

    def estimate_run(self) -> Estimate:
        """What `train` on the corpus of `build_vocab` will take in memory and time (see `w2v.estimate.estimate`)."""
        return estimate(self.trainer, self._task(self._corpus_to_train(None, None), self.params))

    def get_latest_training_loss(self) -> float:
        """The mean loss of the latest epoch, in nats an example: a pair in skip-gram, a centre in CBOW.

        0.0 before the first epoch has ended, or without compute_loss. gensim's running sum, which makes a loss seem to
        rise, is `running_training_loss`.
        """
        return self.epoch_losses[-1] if self.epoch_losses else 0.0

    def predict_output_word(self, context_words_list: Iterable[Any], topn: int = 10) -> list[tuple[Any, float]] | None:
        """The `topn` likeliest words amid some context words, with their probabilities; None if it knows none of those.

        By the softmax over negative sampling's output rows of the mean (cbow_mean=1) or sum of the contexts' vectors,
        whatever the model was trained for.
        """
        return inference.predict_output_word(self, context_words_list, topn)

    def score(
        self,
        sentences: Iterable[Iterable[Any]],
        total_sentences: int = 1_000_000,
        chunksize: int = 100,
        queue_factor: int = 2,
        report_delay: float = 1,
    ) -> np.ndarray:
        """float64 (S,): the log-likelihood of each of at most `total_sentences` token lists, under hs=1.

        That of all its words given those in the whole window around them (Taddy 2015, "Document Classification by
        Inversion of Distributed Language Representations", arXiv:1504.07295). The rest are gensim's, without meaning.
        """
        return inference.score(self, self.trainer, sentences, total_sentences)

    def save(
        self,
        fname_or_handle: str | os.PathLike[str] | IO[bytes],
        separately: Any = None,
        sep_limit: int = 10 * 1024**2,
        ignore: Iterable[str] = frozenset(),
        pickle_protocol: int = 4,
    ) -> None:
        """Save all that training goes on from, in one file that is whole or not there (see `w2v.persistence`).

        The corpus is not in it. `separately`, `sep_limit` and `pickle_protocol` have no meaning for its format.

        Raises
        ------
        ValueError
            If there is something to `ignore`, or words were added to `wv`, which have no output rows.
        RuntimeError
            If the weights are still to be made, or those of other words.
        w2v.Diverged
            If a weight is not finite.
        OSError
            If the file can't be written; what was there before stays.
        """
        if ignore:
            raise ValueError(f"ignore={ignore!r}: all of a model is saved; for the vectors alone, wv.save()")
        persistence.save(self, fname_or_handle)

    @classmethod
    def load(
        cls, fname: str | os.PathLike[str] | IO[bytes], mmap: str | None = None, *, rethrow: bool = False
    ) -> Word2Vec:
        """A model that `save` saved.

        mmap: "r" or "c" maps the weights from the file rather than reading them: at once there, and shared between
        processes. `train`, `score` and `build_vocab` copy them first.

        Raises
        ------
        ValueError
            If the file is damaged, or is gensim's own: `from_gensim` takes a model that gensim has loaded.
        """
        return persistence.load(cls, fname, mmap)

    @classmethod
    def from_gensim(cls, model: Any, **ours: Any) -> Word2Vec:
        """A copy of a gensim.models.Word2Vec, to train on here; `ours` are `trainer` and `progress`."""
        return interchange.from_gensim(cls, model, **ours)

    def to_gensim(self) -> Any:
        """A copy that is a gensim.models.Word2Vec, to train on there, or to save in gensim's format."""
        return interchange.to_gensim(self)

    def init_sims(self, replace: bool = False) -> None:
        """Deprecated, as in gensim: norms are always fresh. With `replace`, vectors become their unit vectors."""
        self.wv.init_sims(replace=replace)

    def seeded_vector(self, seed_string: str, vector_size: int) -> np.ndarray:
        """Deprecated, as in gensim: a random vector that `hashfxn` of a string decides."""
        from gensim.models.keyedvectors import pseudorandom_weak_vector

        return pseudorandom_weak_vector(vector_size, seed_string=seed_string, hashfxn=self.hashfxn)

    def _corpus_to_train(
        self, corpus_iterable: Iterable[Any] | None, corpus_file: str | os.PathLike[str] | None
    ) -> EncodedCorpus:
        vocabulary = self._built_vocabulary()
        if corpus_iterable is None and corpus_file is None:
            if self._corpus is None:
                raise RuntimeError("this model has no corpus of its own (any more): pass one to train()")
            return self._corpus
        source = Source(corpus_iterable, corpus_file)
        own = self._corpus if self._source and source.is_unchanged(self._source) else None
        changed = self._ranks.total(own is None)  # if one rank reads its corpus anew, all do, together
        if own is not None and not changed:
            return own
        if isinstance(corpus_iterable, EncodedCorpus) and corpus_iterable.vocabulary.words == vocabulary.words:
            with self._ranks.together():
                corpus_iterable.require_words()
            return dataclasses.replace(corpus_iterable, vocabulary=vocabulary)
        return encode(source.given, workers=self.params.workers, vocabulary=vocabulary, ranks=self._ranks)

    def _task(self, corpus: EncodedCorpus, params: Params) -> Task:
        weights = self._trainable_weights().used(params)
        weights.check(len(corpus.vocabulary), params)
        rank, ranks = self._ranks.share
        task = Task(corpus, params, **vars(weights), lockf=self._lockf(), run=self.train_count, random=self.random)
        return dataclasses.replace(task, rank=rank, ranks=ranks, device=self._ranks.device)

    def _warn_of_other_totals(self, corpus: EncodedCorpus, total_examples: int | None, total_words: int | None) -> None:
        words, sentences = self._totals(corpus.raw_lengths)
        for name, total, real in ("total_examples", total_examples, sentences), ("total_words", total_words, words):
            if total not in (None, real):
                logger.warning("%s=%s but it is %s: the learning rate follows the corpus", name, total, real)

    def _lockf(self) -> np.ndarray | None:
        """`wv.vectors_lockf`, one factor a word; None where all are 1."""
        if "wv" not in vars(self):
            return None
        factors = lock_factors(self.wv.vectors_lockf, len(self.wv))
        return None if (factors == 1).all() else factors

    def __getattr__(self, name: str) -> NoReturn:
        refuse_attribute(self, name, OF_MODEL)

    def __getitem__(self, key: Any) -> NoReturn:
        raise TypeError("a Word2Vec has no items: its vectors are those of model.wv[...]")

    def __repr__(self) -> str:
        words = len(self._vocabulary or ())
        return f"{type(self).__name__}<vocab={words}, vector_size={self.vector_size}, alpha={self.alpha}>"
