"""Estimates before a run."""

import numpy as np
import pytest

from w2v import Word2Vec
from w2v.estimate import memory
from w2v.params import Params


@pytest.fixture(scope="module")
def model() -> Word2Vec:
    built = Word2Vec(vector_size=20, min_count=1, workers=1, epochs=7, hs=1)
    built.build_vocab(np.random.default_rng(0).integers(0, 50, (3000, 40)))
    return built


def test_memory_counts_the_very_bytes_of_tables_and_corpus(model):
    parts = model.estimate_memory()
    assert parts["vectors"] == parts["syn1neg"] == parts["syn1"] == 50 * 32 * 4  # rows of whole cache lines
    assert parts["corpus"] == 3000 * 40 * 4 + 3001 * 8 + 3000 * 4
    assert parts["vocab"] == 50 * 700
    assert parts["total"] == sum(size for name, size in parts.items() if name != "total")
    assert model.estimate_memory(report={"mine": 3})["total"] == parts["total"] + 3


def test_a_lack_of_memory_tells_what_is_needed_and_the_cure(model, monkeypatch):
    def exhausted(*given):
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr("w2v.driver.train", exhausted)
    with pytest.raises(MemoryError, match=r"words, weights and corpus take about 0\.0 GB, .* take a smaller vector"):
        model.train()


def test_tables_that_are_not_needed_take_nothing():
    assert memory(10, Params(negative=0, hs=1), None).keys() == {"vocab", "vectors", "syn1", "total"}
    assert memory(10, Params(), None).keys() == {"vocab", "vectors", "syn1neg", "total"}


def test_time_is_that_of_all_epochs_and_the_model_stays_untrained(model):
    before = model.wv.vectors.copy()
    found = model.estimate_run()
    assert found.seconds == pytest.approx(7 * 3000 * 40 / found.words_per_second)
    assert found.memory == model.estimate_memory()
    np.testing.assert_array_equal(model.wv.vectors, before)
    assert (model.train_count, model.syn1neg.any()) == (0, False)


def test_a_corpus_of_a_word_can_be_estimated():
    tiny = Word2Vec(min_count=1, workers=2)
    tiny.build_vocab([["a"]])
    assert tiny.estimate_run().seconds > 0
