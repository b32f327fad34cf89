"""Models from gensim and to it, with training continued on either side."""

from __future__ import annotations

import gensim
import numpy as np
import pytest
from gensim.models.word2vec import LineSentence
from gensim.test.utils import datapath

from w2v import Word2Vec

SENTENCES = list(LineSentence(datapath("lee_background.cor")))[:60]
SMALL = {"vector_size": 20, "workers": 1, "epochs": 1}
MODES = [{"sg": sg, "hs": hs, "negative": 0 if hs else 5} for sg in (0, 1) for hs in (0, 1)]


def weights(model) -> dict[str, np.ndarray]:
    tables = {
        "syn0": model.wv.vectors,
        "syn1neg": getattr(model, "syn1neg", None),
        "syn1": getattr(model, "syn1", None),
    }
    return {name: table for name, table in tables.items() if table is not None}


def assert_same_weights(ours: Word2Vec, theirs: gensim.models.Word2Vec, **tolerance: float) -> None:
    assert weights(ours).keys() == weights(theirs).keys()
    for name, table in weights(ours).items():
        np.testing.assert_allclose(table, weights(theirs)[name][: len(table)], rtol=0, **tolerance)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_gensims_training_goes_on_here_as_there(mode):
    theirs = gensim.models.Word2Vec(SENTENCES, **SMALL, **mode)
    ours = Word2Vec.from_gensim(theirs, trainer="exact")
    assert_same_weights(ours, theirs, atol=0)
    for one in ours, theirs:
        one.train(SENTENCES, total_examples=60, epochs=1)
    assert_same_weights(ours, theirs, atol=1e-3)
    assert ours.train_count == theirs.train_count == 2


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_our_training_goes_on_there_as_here(mode):
    ours = Word2Vec(SENTENCES, **SMALL, **mode, trainer="exact")
    theirs = ours.to_gensim()
    assert type(theirs) is gensim.models.Word2Vec
    assert_same_weights(ours, theirs, atol=0)
    for one in ours, theirs:
        one.train(SENTENCES, total_examples=60, epochs=1)
    assert_same_weights(ours, theirs, atol=1e-3)


def test_a_copy_shares_nothing():
    ours = Word2Vec(SENTENCES, **SMALL)
    theirs = ours.to_gensim()
    before = ours.wv.vectors.copy()
    theirs.wv.vectors[:] = 7
    theirs.wv.set_vecattr("the", "count", 1)
    theirs.random.rand()
    np.testing.assert_array_equal(ours.wv.vectors, before)
    assert ours.wv.get_vecattr("the", "count") > 1
    back = Word2Vec.from_gensim(theirs)
    theirs.wv.vectors[:] = 8
    assert (back.wv.vectors == 7).all()


def test_settings_counts_and_locks_go_along(tmp_path):
    ours = Word2Vec(SENTENCES, **SMALL, window=3, cbow_mean=0, ns_exponent=0.5, comment="mine", max_final_vocab=90)
    ours.wv.vectors_lockf = np.linspace(0, 1, len(ours.wv), dtype=np.float32)
    theirs = ours.to_gensim()
    theirs.save(str(tmp_path / "theirs"))
    back = Word2Vec.from_gensim(gensim.models.Word2Vec.load(str(tmp_path / "theirs")))
    assert (back.params, back.comment, back.max_final_vocab) == (ours.params, "mine", 90)
    np.testing.assert_array_equal(back.wv.vectors_lockf, ours.wv.vectors_lockf)
    np.testing.assert_array_equal(back.wv.expandos["count"], ours.wv.expandos["count"])
    np.testing.assert_array_equal(theirs.wv.expandos["sample_int"], ours.wv.expandos["sample_int"])
    np.testing.assert_array_equal(theirs.cum_table, ours.cum_table)


def test_words_that_are_numpys_integers_can_be_saved_here(tmp_path):
    theirs = gensim.models.Word2Vec([list(np.array([3, 1, 3]))] * 9, **SMALL)
    Word2Vec.from_gensim(theirs).save(tmp_path / "model")
    assert Word2Vec.load(tmp_path / "model").wv.index_to_key == [3, 1]


def test_a_vocabulary_grows_on_either_side():
    theirs = Word2Vec(SENTENCES, **SMALL).to_gensim()
    theirs.build_vocab([["neologism"] * 9], update=True)
    ours = Word2Vec.from_gensim(theirs)
    ours.build_vocab([["hapax"] * 9], update=True)
    assert ours.wv.index_to_key[-2:] == ["neologism", "hapax"]


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (gensim.models.FastText(), TypeError, r"FastText is no gensim\.models\.Word2Vec"),
        (gensim.models.Word2Vec(), ValueError, r"has no vocabulary yet: call its build_vocab\(\) first"),
    ],
)
def test_other_models_are_refused(model, error, message):
    with pytest.raises(error, match=message):
        Word2Vec.from_gensim(model)
