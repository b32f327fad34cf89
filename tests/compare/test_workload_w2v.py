from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from compare import workloads
from compare.cell import Cell
from compare.workloads.w2v import Trial
from w2v import Diverged

HYPER = {"epochs": 2, "window": 3, "negative": 4, "sample": 1e-3, "min_count": 5}


def trial(backend: str, corpus: Path) -> Trial:
    return Trial(Cell("w2v", backend, shape={"dim": 8}, options=HYPER, files={"corpus": str(corpus)}), seed=3)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("the quick brown fox jumps over the lazy dog\n" * 200)
    return path


@pytest.mark.parametrize("backend", ["gensim", "gensim-file"])
def test_gensim_rows_train_every_epoch_with_the_given_hyper_parameters(backend, corpus):
    row = trial(backend, corpus)
    row.load()
    row.prepare()
    row.step()
    model = row.model
    assert (model.vector_size, model.sg, model.seed, model.workers) == (8, 1, 3, 1)
    assert {name: getattr(model, name) for name in HYPER} == HYPER
    assert model.corpus_total_words == 1800
    quality = row.quality()
    assert 0 < quality["loss"] < 5 * 0.7
    facts = row.facts()
    assert facts["vocabulary"] == 8
    assert facts["spectrum"][0] == [400.0, 1] and sum(count * words for count, words in facts["spectrum"]) == 1800


def test_weights_that_are_not_finite_are_a_divergence(corpus):
    def train(**arguments):
        raise Diverged("syn0 holds NaN after epoch 1")

    row = trial("hogwild", corpus)
    row.model = SimpleNamespace(train=train, corpus_count=200, epochs=2)
    with pytest.raises(workloads.Diverged, match="after epoch 1"):
        row.step()


def test_vectors_are_read_back_once_there_are_any():
    read = []

    class Vectors:
        def __getitem__(self, place: tuple[int, int]) -> float:
            read.append(place)
            return 0.5

    row = trial("gensim", Path("corpus.txt"))
    row.load()
    row.model = SimpleNamespace(train=lambda **arguments: None, corpus_count=200, epochs=2)
    row.finish()
    row.model.wv = SimpleNamespace(vectors=Vectors())
    row.step()
    row.finish()
    assert read == [(0, 0)]


def test_what_ours_have_in_memory_is_not_read_through_gensim():
    row = trial("hogwild", Path("corpus.txt"))
    row.load()
    row.model = SimpleNamespace(train=lambda **arguments: None, corpus_count=200, epochs=2)  # no wv
    row.step()
    row.finish()
