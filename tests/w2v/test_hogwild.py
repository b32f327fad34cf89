"""The window-mode kernel against the NumPy reference on the same samples, and the trainer's sampling against theory."""

from dataclasses import replace

import numpy as np
import pytest
from injected import assert_same_weights, samples, task, trained_by_reference

from w2v.corpus import EncodedCorpus
from w2v.driver import train
from w2v.params import Params
from w2v.trainers import Task
from w2v.trainers.exact import Exact
from w2v.trainers.grouping import MOST_IN_GROUP
from w2v.trainers.hogwild import Hogwild
from w2v.trainers.hogwild._hogwild import usable_isas
from w2v.trainers.reference import Windows
from w2v.weights import Weights

ISAS = usable_isas()
COPIED_BY_TWO = 1_050_000  # words until each of two threads has copies of all hot rows; of more threads fewer
HEADS = {"negative sampling": (0, 5), "hierarchical softmax": (1, 0), "both heads": (1, 5)}
MODES = {"skip-gram": {"sg": 1}, "CBOW of the mean": {"sg": 0}, "CBOW of the sum": {"sg": 0, "cbow_mean": 0}}


def assert_trains_like_the_reference(
    task: Task, isa: str, windows: Windows | None = None, group: int = MOST_IN_GROUP, words_before: int = 0
) -> None:
    windows = windows or samples(task, group=group)
    expected = trained_by_reference(task, windows, 0.05, group)
    worker = Hogwild(task, isa, group).worker(0)
    learn_nothing(worker, task, words_before)
    did = worker.train_windows(windows, 0.05)
    worker.finish()
    assert_same_weights(task, did, *expected)


def learn_nothing(worker, task: Task, words: int) -> None:
    """Train so many words at a learning rate of 0, in which a thread that is not alone comes to copy its hot rows."""
    if words:
        worker.train_windows(samples(task, words, MOST_IN_GROUP), 0.0)
        worker.finish()


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("hs, negative", HEADS.values(), ids=HEADS)
def test_kernel_gives_the_reference_weights_in_every_mode(hs, negative, mode, isa):
    assert_trains_like_the_reference(task(hs=hs, negative=negative, **mode), isa)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_updates_of_input_rows_are_multiplied_by_their_lock_factors(mode):
    locked = replace(task(hs=1, **mode), lockf=np.linspace(0, 1.5, 60, dtype=np.float32))
    tokens = np.arange(300, dtype=np.int32) * 7 % len(locked.syn0)
    distinct = samples(locked, group=MOST_IN_GROUP)._replace(tokens=tokens)
    assert_trains_like_the_reference(locked, ISAS[0], distinct)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("vector_size", [1, 16, 100, 300])
def test_kernel_gives_the_reference_weights_in_any_dimension(isa, vector_size):
    assert_trains_like_the_reference(task(vector_size=vector_size), isa)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("negative", [1, 2, 3, 4, 5, 6, 7, 9, 10, 13, 14, 20, 40])
def test_kernel_gives_the_reference_weights_for_any_number_of_negatives(isa, negative):
    assert_trains_like_the_reference(task(negative=negative), isa)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("window", [1, 2, 3, 8, 20])
def test_kernel_gives_the_reference_weights_for_any_window(isa, window):
    assert_trains_like_the_reference(task(window=window), isa)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("group", range(1, MOST_IN_GROUP + 1))
def test_groups_of_any_size_give_the_reference_weights(group, mode):
    assert_trains_like_the_reference(task(**mode), ISAS[0], group=group)


def test_samples_of_too_few_negatives_are_refused():
    few = task()
    with pytest.raises(ValueError, match="5 negatives a group, which draws 6"):
        Hogwild(few, group=2).worker(0).train_windows(samples(few), 0.05)


def test_repeated_negatives_of_a_tiny_vocabulary_are_all_counted():
    tiny = task(words=3)  # where rounding grows fast, as all share three rows
    assert_trains_like_the_reference(tiny, ISAS[0], samples(tiny, 200, MOST_IN_GROUP))


def test_paths_of_any_length_give_the_reference_weights():
    assert_trains_like_the_reference(task(words=2000, hs=1, negative=0), ISAS[0])


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_several_threads_share_hot_rows_through_merges(mode):
    shared = task(words=2000, workers=2, hs=1, **mode)
    assert_trains_like_the_reference(shared, ISAS[0], samples(shared, 12, MOST_IN_GROUP), words_before=COPIED_BY_TWO)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_hook_changes_is_trained_on(workers):
    changed = task(words=2000, workers=workers, hs=1)
    trainer = Hogwild(changed, group=MOST_IN_GROUP)
    worker = trainer.worker(0)
    learn_nothing(worker, changed, COPIED_BY_TWO)
    for table in changed.tables.values():
        table *= -0.5
    trainer.reload()
    windows = samples(changed, 12, MOST_IN_GROUP)
    expected = trained_by_reference(changed, windows, 0.05, MOST_IN_GROUP)
    did = worker.train_windows(windows, 0.05)
    worker.finish()
    assert_same_weights(changed, did, *expected)


def test_of_what_one_thread_of_four_learns_of_a_hot_row_a_quarter_or_more_is_kept():
    """All of it would overshoot where all four have learnt the same: at a high learning rate."""
    shared, alpha = task(words=2000, workers=4, negative=0, hs=1), 0.1
    start = shared.syn1.copy()
    expected, _ = trained_by_reference(shared, samples(shared, centres=200), alpha)
    worker = Hogwild(shared).worker(0)
    learn_nothing(worker, shared, COPIED_BY_TWO)
    worker.train_windows(samples(shared, centres=200), alpha)
    worker.finish()
    learnt, change = shared.syn1 - start, expected.syn1 - start
    share = (learnt * change).sum(axis=1) / (np.square(change).sum(axis=1) + 1e-12)
    assert 0.25 <= share[-1] < 0.3  # the root, on every path
    np.testing.assert_allclose(learnt, share[:, None] * change, rtol=2e-3, atol=1e-4)
    np.testing.assert_allclose(learnt[:-256], change[:-256], rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("head", [{"negative": 23}, {"negative": 0, "hs": 1}], ids=["negative", "hierarchical"])
def test_a_word_that_fills_its_windows_does_not_overshoot(head):
    def loss(trainer: type[Hogwild] | type[Exact]) -> float:
        words = np.random.default_rng(1).zipf(1.5, (30, 900)).clip(max=3000)  # two in five are the same word
        corpus = EncodedCorpus.from_arrays(words, min_count=1)
        params = Params(
            **{"sg": 1, "window": 20, "shrink_windows": False, "alpha": 0.05, "epochs": 3, "sample": 0.0, **head}
        )
        params = replace(params, workers=1, vector_size=32, compute_loss=True)
        running = Task(corpus, params, **vars(Weights.initial(len(corpus.vocabulary), params)))
        last = train(trainer(running), running).epochs[-1]
        return last.loss / last.examples

    assert loss(Hogwild) == pytest.approx(loss(Exact), rel=0.05)


def test_loss_is_only_computed_if_asked_for():
    silent = task(compute_loss=False)
    assert Hogwild(silent).worker(0).train_windows(samples(silent), 0.05) == (300, 0, 0)


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
