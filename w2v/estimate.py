"""What a run will take: memory by the sizes of its arrays, time by training on the beginning of its corpus."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from w2v import driver
from w2v.corpus import EncodedCorpus
from w2v.params import Params
from w2v.tables import table_bytes
from w2v.trainers import Task, trainer_class
from w2v.weights import Weights

FIRST_TRIAL_WORDS = 50_000
TRIAL_SECONDS = 1.0


@dataclass(frozen=True)
class Estimate:
    """memory: bytes by part, with their "total". seconds, words_per_second: of training, in raw words."""

    memory: dict[str, int]
    seconds: float
    words_per_second: float


def memory(words: int, params: Params, corpus: EncodedCorpus | None) -> dict[str, int]:
    """Bytes by part, under gensim's names: the weight tables, the words, and the corpus, if any, as it is encoded.

    For words and their lookup it takes gensim's rule, 500 bytes each, 700 with a tree. What a trainer's threads keep to
    themselves is left out: of hogwild's, copies of frequent rows, as much of each table as 8,192 rows, or 512 a thread.
    """
    parts = {"vocab": words * (700 if params.hs else 500), "vectors": table_bytes(words, params.vector_size)}
    if params.hs:
        parts["syn1"] = table_bytes(words, params.vector_size)
    if params.negative:
        parts["syn1neg"] = table_bytes(words, params.vector_size)
    if corpus:
        parts["corpus"] = corpus.ids.nbytes + corpus.offsets.nbytes + corpus.raw_lengths.nbytes
    return {**parts, "total": sum(parts.values())}


@contextmanager
def saying_what_is_needed(task: Task) -> Iterator[None]:
    """Let a MemoryError while training tell how much that takes, and the cure."""
    try:
        yield
    except MemoryError as error:
        needed = memory(len(task.corpus.vocabulary), task.params, task.corpus)["total"]
        raise MemoryError(
            f"memory is used up: words, weights and corpus take about {needed / 1e9:,.1f} GB, and each of "
            f"{task.params.workers} threads some more: take a smaller vector_size, a larger min_count or fewer workers"
        ) from error


def estimate(trainer: str, task: Task) -> Estimate:
    """Estimate a run by one over the first part of its corpus, long enough to be timed, on tables that are thrown away.

    Takes some seconds, and for that time the memory of other tables.
    """
    corpus, params = task.corpus, task.params
    tables = Weights.initial(len(corpus.vocabulary), params)
    trial_params = replace(params, epochs=1)

    def trial(length: int) -> float:
        part = _beginning(corpus, length)
        trial_task = Task(part, trial_params, **vars(tables), lockf=task.lockf)
        return part.raw_words / driver.train(trainer_class(trainer)(trial_task), trial_task).seconds

    length = min(FIRST_TRIAL_WORDS, corpus.raw_words)
    trial(length)  # the first run also pays for what is done once, such as compiling and memory's first touch
    speed = trial(length)
    if (longer := min(int(speed * TRIAL_SECONDS), corpus.raw_words)) > length:
        speed = trial(longer)
    parts = memory(len(corpus.vocabulary), params, corpus)
    return Estimate(parts, corpus.raw_words * params.epochs / speed, speed)


def _beginning(corpus: EncodedCorpus, words: int) -> EncodedCorpus:
    """The first sentences, of so many raw words together or a few more."""
    sentences = int(np.searchsorted(np.cumsum(corpus.raw_lengths, dtype=np.int64), words)) + 1
    return corpus.sentences(0, sentences)
