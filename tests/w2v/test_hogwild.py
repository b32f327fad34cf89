"""The window-mode kernel against the NumPy reference on the same samples, and the trainer's sampling against theory."""

import dataclasses

import numpy as np
import pytest

from w2v.corpus import EncodedCorpus
from w2v.params import Params
from w2v.tables import initial_syn0, new_table
from w2v.trainers import Task
from w2v.trainers.hogwild import Hogwild
from w2v.trainers.hogwild._hogwild import usable_isas
from w2v.trainers.reference import Windows, train_windows

ISAS = usable_isas()


def task(words: int = 50, sentences: int = 40, length: int = 30, **params) -> Task:
    rng = np.random.default_rng(7)
    values = (words * rng.random((sentences, length)) ** 2).astype(np.int64)  # frequent words repeat within windows
    corpus = EncodedCorpus.from_arrays(values, min_count=1)
    settings = Params(**{"sg": 1, "workers": 1, "min_count": 1, "vector_size": 20, **params})
    syn0 = initial_syn0(len(corpus.vocabulary), settings.vector_size, seed=3)
    syn1neg = new_table(*syn0.shape)
    syn0 *= 8  # weights of a trained size, so that sigmoids leave their linear part
    syn1neg[:] = rng.normal(0, 0.5, syn1neg.shape)
    return Task(corpus, settings, syn0, syn1neg)


def samples(task: Task, centres: int = 600, seed: int = 0) -> Windows:
    rng = np.random.default_rng(seed)
    words = len(task.corpus.vocabulary)
    position = np.arange(centres)
    reach = rng.integers(1, task.params.window, centres, endpoint=True)
    sentence = position // 37 * 37  # the last sentence is short, and windows of one word have no context
    return Windows(
        (words * rng.random(centres) ** 2).astype(np.int32),
        np.maximum(position - reach, sentence).astype(np.int32),
        np.minimum(position + reach + 1, np.minimum(sentence + 37, centres)).astype(np.int32),
        rng.integers(0, words, (centres, task.params.negative), dtype=np.int32),
    )


def assert_same_weights(task: Task, isa: str) -> None:
    windows = samples(task)
    syn0, syn1neg = task.syn0.astype(np.float64), task.syn1neg.astype(np.float64)
    train_windows(dataclasses.replace(task, syn0=syn0, syn1neg=syn1neg), windows, alpha=0.05)
    worker = Hogwild(task, isa).worker(0)
    worker.train_windows(windows, alpha=0.05)
    worker.finish()
    np.testing.assert_allclose(task.syn0, syn0, rtol=2e-4, atol=2e-5)
    np.testing.assert_allclose(task.syn1neg, syn1neg, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("vector_size", [1, 16, 100, 300])
def test_kernel_gives_the_reference_weights_in_any_dimension(isa, vector_size):
    assert_same_weights(task(vector_size=vector_size), isa)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("negative", [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 13, 20, 40])
def test_kernel_gives_the_reference_weights_for_any_number_of_negatives(isa, negative):
    assert_same_weights(task(negative=negative), isa)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("window", [1, 2, 3, 8, 20])
def test_kernel_gives_the_reference_weights_for_any_window(isa, window):
    assert_same_weights(task(window=window), isa)


def test_repeated_negatives_of_a_tiny_vocabulary_are_all_counted():
    assert_same_weights(task(words=3), ISAS[0])


def test_several_threads_share_hot_rows_through_merges():
    assert_same_weights(task(workers=2), ISAS[0])


def test_row_padding_stays_zero():
    trained = task(vector_size=20)
    Hogwild(trained).worker(0).train_windows(samples(trained), alpha=0.05)
    assert not trained.syn0.base.reshape(-1, 32)[:, 20:].any()
    assert not trained.syn1neg.base.reshape(-1, 32)[:, 20:].any()


def test_one_thread_and_one_seed_are_bit_reproducible():
    first, second = task(), task()
    for each in (first, second):
        Hogwild(each).worker(0).train_chunk(0, 40, 0.05, 11)
    np.testing.assert_array_equal(first.syn0, second.syn0)
    other = task()
    Hogwild(other).worker(0).train_chunk(0, 40, 0.05, 12)
    assert not np.array_equal(first.syn0, other.syn0)


def test_subsampling_keeps_the_expected_share_of_words():
    subsampled = task(words=200, sentences=500, length=100, sample=1e-3)
    vocabulary = subsampled.corpus.vocabulary
    expected = vocabulary.counts @ vocabulary.keep_probabilities(1e-3)
    kept = Hogwild(subsampled).worker(0).train_chunk(0, 500, 0.025, 5).kept_words
    assert abs(kept - expected) < 5 * np.sqrt(expected)


def test_an_unusable_instruction_set_is_refused_by_name():
    with pytest.raises(ValueError, match="isa='mmx' can't run on this processor: choose from"):
        Hogwild(task(), "mmx")
