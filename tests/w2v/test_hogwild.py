"""The window-mode kernel against the NumPy reference on the same samples, and the trainer's sampling against theory."""


from dataclasses import replace

import numpy as np
import pytest

from w2v.corpus import EncodedCorpus
from w2v.params import Params
from w2v.tables import as_table, initial_syn0
from w2v.trainers import Task
from w2v.trainers.hogwild import Hogwild
from w2v.trainers.hogwild._hogwild import GROUP_CENTRES, usable_isas
from w2v.trainers.reference import Windows, train_windows

ISAS = usable_isas()


HEADS = {"negative sampling": (0, 5), "hierarchical softmax": (1, 0), "both heads": (1, 5)}
MODES = {"skip-gram": {"sg": 1}, "CBOW of the mean": {"sg": 0}, "CBOW of the sum": {"sg": 0, "cbow_mean": 0}}


def task(words: int = 50, sentences: int = 40, length: int = 30, **params) -> Task:
    rng = np.random.default_rng(7)
    values = (words * rng.random((sentences, length)) ** 2).astype(np.int64)  # frequent words repeat within windows
    corpus = EncodedCorpus.from_arrays(values, min_count=1)
    settings = Params(**{"sg": 1, "workers": 1, "min_count": 1, "vector_size": 20, "compute_loss": True, **params})
    syn0 = initial_syn0(len(corpus.vocabulary), settings.vector_size, seed=3)
    syn0 *= 8  # weights of a trained size, so that sigmoids leave their linear part
    syn1neg, syn1 = (as_table(rng.normal(0, 0.5, (len(syn0) - fewer, settings.vector_size))) for fewer in (0, 1))
    return Task(corpus, settings, syn0, syn1neg if settings.negative else None, syn1 if settings.hs else None)


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


def assert_same_weights(task: Task, isa: str, windows: Windows | None = None) -> None:
    windows = windows or samples(task)
    tables = {name: getattr(task, name) for name in ("syn0", "syn1neg", "syn1") if getattr(task, name) is not None}
    expected = replace(task, **{name: table.astype(np.float64) for name, table in tables.items()})
    told = train_windows(expected, windows, 0.05, GROUP_CENTRES)
    worker = Hogwild(task, isa).worker(0)
    trained = worker.train_windows(windows, 0.05)
    worker.finish()
    for name, table in tables.items():
        np.testing.assert_allclose(table, getattr(expected, name), rtol=2e-4, atol=2e-5, err_msg=name)
    assert (trained.kept_words, trained.examples) == (told.kept_words, told.examples)
    assert trained.loss == pytest.approx(told.loss, rel=1e-5)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("hs, negative", HEADS.values(), ids=HEADS)
def test_kernel_gives_the_reference_weights_in_every_mode(hs, negative, mode, isa):
    assert_same_weights(task(hs=hs, negative=negative, **mode), isa)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_updates_of_input_rows_are_multiplied_by_their_lock_factors(mode):
    locked = replace(task(hs=1, **mode), lockf=np.tile(np.float32([0, 0.5, 1, 1.5]), 13)[:50])
    distinct = samples(locked)._replace(tokens=np.arange(600, dtype=np.int32) * 7 % 50)
    assert_same_weights(locked, ISAS[0], distinct)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("vector_size", [1, 16, 100, 300])
def test_kernel_gives_the_reference_weights_in_any_dimension(isa, vector_size):
    assert_same_weights(task(vector_size=vector_size), isa)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("negative", [1, 2, 3, 4, 5, 6, 7, 9, 10, 13, 14, 20, 40])
def test_kernel_gives_the_reference_weights_for_any_number_of_negatives(isa, negative):
    assert_same_weights(task(negative=negative), isa)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("window", [1, 2, 3, 8, 20])
def test_kernel_gives_the_reference_weights_for_any_window(isa, window):
    assert_same_weights(task(window=window), isa)


def test_repeated_negatives_of_a_tiny_vocabulary_are_all_counted():
    tiny = task(words=3)
    assert_same_weights(tiny, ISAS[0], samples(tiny, centres=300))  # rounding grows fast where all share three rows


def test_paths_of_any_length_give_the_reference_weights():
    assert_same_weights(task(words=2000, hs=1, negative=0), ISAS[0])


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_several_threads_share_hot_rows_through_merges(mode):
    assert_same_weights(task(words=2000, workers=2, hs=1, **mode), ISAS[0])


def test_loss_is_only_computed_if_asked_for():
    silent = task(compute_loss=False)
    assert Hogwild(silent).worker(0).train_windows(samples(silent), 0.05) == (600, 0, 0)


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
