"""Saved models: whole, or what was there before, and the same when they come back."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import gensim
import numpy as np
import pytest

from w2v import Diverged, Word2Vec

SENTENCES = [["a", "b", "c", "a"] * 5, ["b", "d"] * 7] * 10


def model(sentences=SENTENCES, **settings) -> Word2Vec:
    return Word2Vec(sentences, **{"vector_size": 20, "min_count": 1, "workers": 1, "epochs": 2, **settings})


@pytest.fixture
def saved(tmp_path):
    trained = model(hs=1, comment="mine", compute_loss=True, max_final_vocab=50)
    trained.save(tmp_path / "model")
    return trained, tmp_path / "model"


def weights(model: Word2Vec) -> list[np.ndarray]:
    return [model.wv.vectors, model.syn1neg, model.syn1]


@pytest.mark.parametrize("mmap", [None, "r", "c"])
def test_a_model_comes_back_as_it_was_and_trains_on_as_it_would_have(saved, mmap):
    trained, path = saved
    loaded = Word2Vec.load(path, mmap=mmap)
    assert (loaded.params, loaded.comment, loaded.max_final_vocab) == (trained.params, "mine", 50)
    for name in "corpus_count", "train_count", "total_train_time", "epoch_losses", "lifecycle_events":
        assert getattr(loaded, name) == getattr(trained, name)
    assert loaded.wv.index_to_key == trained.wv.index_to_key
    for ours, theirs in zip(weights(loaded), weights(trained), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for one in loaded, trained:
        one.train(SENTENCES)
    for ours, theirs in zip(weights(loaded), weights(trained), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_gensims_random_stream_goes_on_after_loading(tmp_path):
    trained = model(trainer="exact")
    trained.save(tmp_path / "model")
    loaded = Word2Vec.load(tmp_path / "model")
    for one in loaded, trained:
        one.train(SENTENCES)
    np.testing.assert_array_equal(loaded.wv.vectors, trained.wv.vectors)


def test_mapped_weights_lie_in_the_file_until_they_are_trained(saved):
    _, path = saved
    loaded = Word2Vec.load(path, mmap="r")
    assert isinstance(loaded.wv.vectors, np.memmap)
    assert loaded.wv.vectors.offset % 64 == 0
    before = path.read_bytes()
    loaded.build_vocab([["new"] * 9], update=True)
    loaded.train()
    assert path.read_bytes() == before


def test_numpy_can_open_the_file(saved):
    trained, path = saved
    with np.load(path) as arrays:
        np.testing.assert_array_equal(arrays["syn0"], trained.wv.vectors)


@pytest.mark.parametrize(
    "words",
    [["a b", "", "\n", "x" * 10**6, "日本", "\ud800", "\0"], [3, -7, 2**62], [1, "1"]],
    ids=["str", "int", "both"],
)
def test_any_words_survive(tmp_path, words):
    model([words * 3]).save(tmp_path / "model")
    loaded = Word2Vec.load(tmp_path / "model")
    assert set(loaded.wv.index_to_key) == set(words)
    assert all(type(key) in map(type, words) for key in loaded.wv.index_to_key)


def test_what_the_user_adds_to_wv_is_saved(tmp_path):
    trained = model()
    trained.wv.vectors_lockf = np.array([0, 1, 0.5, 1], np.float32)
    trained.wv.set_vecattr("a", "mark", 5)
    trained.create_binary_tree()
    trained.save(tmp_path / "model")
    loaded = Word2Vec.load(tmp_path / "model")
    assert loaded.wv.vectors_lockf.tolist() == [0, 1, 0.5, 1]
    assert loaded.wv.get_vecattr("a", "mark") == 5
    trained.wv.expandos["thing"] = np.array([{}] * 4)
    with pytest.raises(ValueError, match="'thing' holds objects, which aren't saved"):
        trained.save(tmp_path / "model")


def test_a_vocabulary_without_its_weights_is_not_saved(tmp_path):
    trained = model()
    trained.scan_vocab([["new"] * 9])
    trained.prepare_vocab(update=True)
    with pytest.raises(RuntimeError, match=r"call prepare_weights\(\) first"):
        trained.save(tmp_path / "model")
    trained.prepare_weights(update=True)
    trained.save(tmp_path / "model")
    assert "new" in Word2Vec.load(tmp_path / "model").wv


def test_lock_factors_may_be_a_list(tmp_path):
    trained = model()
    trained.wv.vectors_lockf = [0, 1, 0.5, 1]
    trained.save(tmp_path / "model")
    assert Word2Vec.load(tmp_path / "model").wv.vectors_lockf.tolist() == [0, 1, 0.5, 1]


@pytest.mark.parametrize("factors", [np.ones(1, np.float32), np.ones(4, np.float32)], ids=["one", "one a word"])
def test_lock_factors_that_lock_nothing_keep_their_number(tmp_path, factors):
    trained = model()
    trained.wv.vectors_lockf = factors
    trained.save(tmp_path / "model")
    np.testing.assert_array_equal(Word2Vec.load(tmp_path / "model").wv.vectors_lockf, factors, strict=True)


def test_numpys_numbers_come_back_as_numbers_and_what_a_callback_notes_as_its_words(tmp_path):
    trained = model(max_vocab_size=np.int64(100), max_final_vocab=np.int32(50), null_word=np.bool_(False))
    trained.add_lifecycle_event("noted", score=np.float64(0.5), where=tmp_path)
    trained.save(tmp_path / "model")
    loaded = Word2Vec.load(tmp_path / "model")
    assert (loaded.max_vocab_size, loaded.max_final_vocab, loaded.null_word) == (100, 50, False)
    assert loaded.lifecycle_events[-1]["score"] == 0.5
    assert loaded.lifecycle_events[-1]["where"] == str(tmp_path)


@pytest.mark.parametrize(("name", "value"), [("max_vocab_size", "100"), ("sorted_vocab", "no"), ("window", 0)])
def test_a_setting_that_could_not_come_back_is_not_saved(saved, name, value):
    trained, path = saved
    before = path.read_bytes()
    setattr(trained, name, value)
    with pytest.raises(ValueError, match=f"{name}={value!r}"):
        trained.save(path)
    assert path.read_bytes() == before


def test_an_open_file_will_do():
    buffer = io.BytesIO()
    trained = model()
    trained.save(buffer)
    buffer.seek(0)
    np.testing.assert_array_equal(Word2Vec.load(buffer).wv.vectors, trained.wv.vectors)
    with pytest.raises(ValueError, match="an open file can't be memory-mapped"):
        Word2Vec.load(buffer, mmap="r")


def test_weights_that_are_not_finite_are_not_saved(saved):
    trained, path = saved
    before = path.read_bytes()
    trained.wv.vectors[0, 0] = np.nan
    with pytest.raises(Diverged, match="syn0 holds weights that are not finite: nothing is saved"):
        trained.save(path)
    assert path.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="file size limits are POSIX's")
def test_a_disk_that_fills_up_leaves_the_old_file(saved):
    _, path = saved
    before = path.read_bytes()
    script = f"""if True:
        import resource, signal
        from w2v import Word2Vec
        model = Word2Vec.load({str(path)!r})
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            model.save({str(path)!r})
        except OSError as error:
            print("refused:", error)
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("refused:")
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["model"]


@pytest.mark.parametrize("damage", [lambda data: data[:-100], lambda data: data[:2000] + b"?" + data[2001:]])
def test_a_damaged_file_is_refused(saved, damage):
    _, path = saved
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match="is no model that w2v saved, or damaged"):
        Word2Vec.load(path)


def test_gensims_file_is_refused_with_the_cure(tmp_path):
    path = str(tmp_path / "theirs")
    gensim.models.Word2Vec(SENTENCES, vector_size=4, min_count=1).save(path)
    with pytest.raises(ValueError, match=r"if gensim saved it, use Word2Vec\.from_gensim\("):
        Word2Vec.load(path)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda one, path: one.save(path, ignore=["syn1neg"]), ValueError, "all of a model is saved"),
        (lambda one, path: Word2Vec.load(path, mmap="r+"), ValueError, r"mmap='r\+' must be None, 'r' or 'c'"),
        (lambda one, path: Word2Vec.load(str(path) + "x"), FileNotFoundError, "no such file"),
        (lambda one, path: Word2Vec.load(path.parent), IsADirectoryError, "is a folder: name the file in it"),
        (lambda one, path: Word2Vec.load(5), TypeError, "5 is no path: name a file"),
        (lambda one, path: one.save(None), TypeError, "None is no path: name a file"),
        (lambda one, path: one.save(""), ValueError, "the path is empty: name a file"),
        (lambda one, path: Word2Vec().save(path), RuntimeError, r"call build_vocab\(\) first"),
    ],
)
def test_what_cannot_be_is_refused(saved, call, error, message):
    with pytest.raises(error, match=message):
        call(*saved)
