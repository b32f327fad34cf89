"""Small tasks, and samples to inject into a trainer and into the reference, which must then agree."""

from dataclasses import replace

import numpy as np

from w2v.corpus import EncodedCorpus
from w2v.params import Params
from w2v.tables import as_table
from w2v.trainers import Task, Trained
from w2v.trainers.grouping import negatives_of_group
from w2v.trainers.reference import Windows, train_windows


def task(words: int = 60, sentences: int = 50, length: int = 24, locked: bool = False, **params) -> Task:
    """Zipf-like text and weights of a trained size, so that sigmoids leave their linear part."""
    rng = np.random.default_rng(5)
    corpus = EncodedCorpus.from_arrays((words * rng.random((sentences, length)) ** 3).astype(int), min_count=1)
    settings = Params(**{"sg": 1, "workers": 1, "min_count": 1, "vector_size": 20, "compute_loss": True, **params})
    words = len(corpus.vocabulary)
    syn0, syn1neg, syn1 = (as_table(rng.normal(0, 0.4, (n, settings.vector_size))) for n in (words, words, words - 1))
    lockf = np.linspace(0, 1, words, dtype=np.float32) if locked else None
    return Task(corpus, settings, syn0, syn1neg if settings.negative else None, syn1 if settings.hs else None, lockf)


def samples(task: Task, centres: int = 300, group: int = 1) -> Windows:
    """Windows of every reach in short sentences; words repeat in a window, noise repeats and hits the centre.

    group: how many centres share negatives, and so how many they draw.
    """
    rng = np.random.default_rng(6)
    position, words = np.arange(centres), len(task.corpus.vocabulary)
    reach = rng.integers(1, task.params.window, centres, endpoint=True)
    sentence = position // 29 * 29
    tokens = (words * rng.random(centres) ** 2).astype(np.int32)
    first = np.maximum(position - reach, sentence).astype(np.int32)
    last = np.minimum(position + reach + 1, np.minimum(sentence + 29, centres)).astype(np.int32)
    drawn, _ = negatives_of_group(0 if task.syn1neg is None else task.params.negative, group)
    noise = rng.integers(0, words, (centres, drawn), dtype=np.int32)
    noise[::7, :1] = tokens[::7, None]
    return Windows(tokens, first, last, noise)


def trained_by_reference(task: Task, windows: Windows, alpha: float, group: int = 1) -> tuple[Task, Trained]:
    """The task as the reference leaves it, its tables in float64, and what it did; `task` itself stays as it is."""
    copy = replace(task, **{name: table.astype(np.float64) for name, table in task.tables.items()})
    return copy, train_windows(copy, windows, alpha, group)


def assert_same_weights(trained: Task, did: Trained, expected: Task, expected_did: Trained) -> None:
    """A float32 trainer did what the reference did, but for rounding."""
    for name, table in trained.tables.items():
        np.testing.assert_allclose(table, expected.tables[name], rtol=2e-4, atol=2e-5, err_msg=name)
    assert (did.kept_words, did.examples) == (expected_did.kept_words, expected_did.examples)
    np.testing.assert_allclose(did.loss, expected_did.loss, rtol=1e-5)
