"""The whole trainer through the driver: chunks, streaming, what comes back, and what is refused."""

import sys

import numpy as np
import pytest
from injected import task

from w2v import Word2Vec, driver
from w2v.trainers import cuda, trainer_class
from w2v.trainers.cuda import Cupy
from w2v.trainers.cuda.device import DeviceError
from w2v.trainers.cuda.plan import HOT_ROW_IN_FLIGHT, Plan
from w2v.trainers.reference import Reference


def loss_after(trainer, task):
    trained = driver.train(trainer, task).epochs[-1]
    return trained.loss / trained.examples


@pytest.mark.parametrize("mode", [{}, {"sg": 0}, {"hs": 1, "negative": 0}], ids=str)
def test_it_learns_what_the_reference_learns(device, mode):
    ours, theirs = (task(sentences=150, epochs=2, alpha=0.05, workers=2, **mode) for _ in range(2))
    assert loss_after(Cupy(ours, device), ours) == pytest.approx(loss_after(Reference(theirs), theirs), rel=0.02)


def test_kept_words_and_examples_are_counted(device):
    counted = task(sentences=100, sample=0)
    trained = driver.train(Cupy(counted, device), counted).trained
    assert trained.kept_words == 5 * counted.corpus.raw_words
    assert 2 * trained.kept_words < trained.examples < 6 * trained.kept_words


def test_a_corpus_that_does_not_fit_is_streamed_with_the_same_result(emulate):
    resident, streamed = task(workers=2), task(workers=2)
    driver.train(Cupy(resident, emulate()), resident)
    model = Cupy(streamed, emulate(free_bytes=100))
    assert model.ids is streamed.corpus.ids
    driver.train(model, streamed)
    for name, table in streamed.tables.items():
        np.testing.assert_array_equal(table, resident.tables[name])


@pytest.mark.parametrize("copied_bytes", [1, 1000])
def test_tables_and_text_are_copied_in_pieces(emulate, monkeypatch, copied_bytes):
    monkeypatch.setattr(cuda, "COPIED_BYTES", copied_bytes)
    whole = task()
    start = whole.syn0.copy()
    model = Cupy(whole, emulate())
    np.testing.assert_array_equal(model.syn0[:, : start.shape[1]], start)
    np.testing.assert_array_equal(model.syn0[:, start.shape[1] :], 0)
    np.testing.assert_array_equal(model.ids, whole.corpus.ids)
    assert model.ids is not whole.corpus.ids


def test_the_tables_are_on_the_device_before_a_worker_begins(emulate):
    # The streams of workers wait for no other.
    device, waited = emulate(), []
    stream = device.stream()
    stream.synchronize = lambda: waited.append("for the copies")
    device.stream = lambda: stream
    Cupy(task(), device)
    assert waited == ["for the copies"]


def test_chunks_of_no_words_train_nothing(device):
    model = Cupy(task(), device)
    model.task.corpus.offsets[:] = 0
    assert model.worker(0).train_chunk(0, 50, 0.05, 1).kept_words == 0


def test_the_tables_come_back_when_the_last_worker_finishes(device):
    trained = task()
    start = trained.syn0.copy()
    model = Cupy(trained, device)
    workers = [model.worker(index) for index in range(2)]
    for worker in workers:
        worker.train_chunk(0, 25, 0.05, 1)
    workers[0].finish()
    np.testing.assert_array_equal(trained.syn0, start)
    workers[1].finish()
    assert not np.array_equal(trained.syn0, start)


@pytest.mark.parametrize(
    ("words", "share"), [(10**9, 2_000_000), (10**7, 500_000), (10**5, 10_000)], ids=["large", "medium", "small"]
)
def test_chunks_are_large_but_many(device, words, share):
    model = Cupy(task(epochs=5), device)
    model.task.corpus.raw_lengths[:] = words // 50
    assert model.chunk_words == share


def test_fewer_warps_run_the_more_of_the_text_is_one_word():
    even, skewed = Plan(task(words=1000, sentences=800)), Plan(task(words=1000, sentences=800, sample=0))
    shares = even._task.corpus.vocabulary.counts / even._task.corpus.ids.size
    assert skewed.most_warps() == int(HOT_ROW_IN_FLIGHT / (11 * shares.max()))
    assert even.most_warps() > 1.5 * skewed.most_warps()


def test_every_path_of_a_tree_begins_at_one_row():
    assert Plan(task(words=1000, sentences=800, hs=1)).most_warps() <= HOT_ROW_IN_FLIGHT


def test_more_negatives_than_a_warp_holds_are_refused(device):
    with pytest.raises(ValueError, match='negative=64: trainer="cupy" takes at most 63'):
        Cupy(task(negative=64), device)


def test_what_cannot_train_is_refused_before_anything_is_read(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(DeviceError, match="cupy not installed"):
        Word2Vec(trainer="cupy")
    with pytest.raises(ValueError, match='negative=64: trainer="cupy" takes at most 63'):
        Word2Vec(trainer="cupy", negative=64)


def test_a_window_beyond_the_shared_memory_is_refused():
    with pytest.raises(ValueError, match=r"window=200 with vector_size=20 needs .* of shared memory .* has 101,376"):
        Plan(task(window=200)).block_warps(99 * 1024)


def test_blocks_have_fewer_warps_where_rows_are_long():
    assert [Plan(task(vector_size=size)).block_warps(99 * 1024) for size in (100, 500, 700)] == [4, 2, 1]


def test_the_trainer_is_found_by_name():
    assert trainer_class("cupy") is Cupy
