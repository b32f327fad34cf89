"""`model.wv`: a gensim KeyedVectors, right where that goes wrong."""

from __future__ import annotations

import errno
import gzip
import inspect
import os
import pickle
import subprocess
import sys

import gensim
import numpy as np
import pytest
from gensim.models import KeyedVectors

from w2v import Word2Vec
from w2v.vectors import WordVectors


def vectors(keys: list, size: int = 3) -> WordVectors:
    made = WordVectors(size)
    made.add_vectors(keys, np.random.default_rng(0).normal(size=(len(keys), size)).astype(np.float32))
    return made


def trained(words: list) -> WordVectors:
    return Word2Vec([words * 3] * 5, min_count=1, vector_size=3, workers=1, epochs=1).wv


def norms_are_fresh(wv: WordVectors) -> bool:
    return np.allclose(wv.get_normed_vectors(), wv.vectors / np.linalg.norm(wv.vectors, axis=1, keepdims=True))


@pytest.mark.parametrize("copied", [lambda wv: wv, lambda wv: pickle.loads(pickle.dumps(wv))], ids=["itself", "a copy"])
@pytest.mark.parametrize("make", [vectors, trained])
def test_integers_are_keys_where_keys_are_integers(make, copied):
    wv = copied(make([7, 0, 5]))
    for key in 7, 0, 5:
        np.testing.assert_array_equal(wv[key], wv.vectors[wv.key_to_index[key]])
        np.testing.assert_array_equal(wv[np.int32(key)], wv[key])
    for unknown in 1, 2, -1:
        assert unknown not in wv
        with pytest.raises(KeyError, match=f"Key {unknown} not present"):
            wv[unknown]
    assert wv.get_index(1, 99) == 99
    assert {key for key, _ in wv.most_similar(7, topn=5)} == {0, 5}


def test_integers_are_positions_among_words_as_in_gensim():
    wv = vectors(["a", "b"])
    np.testing.assert_array_equal(wv[1], wv["b"])
    with pytest.raises(KeyError):
        wv[2]


@pytest.mark.parametrize("save", [WordVectors.save, KeyedVectors.save], ids=["ours", "gensim's"])
def test_saved_integer_keys_come_back(tmp_path, save):
    saved = trained([7, 0, 5])
    save(saved, str(tmp_path / "wv"))
    loaded = WordVectors.load(tmp_path / "wv")
    assert (type(loaded), loaded.index_to_key) == (WordVectors, saved.index_to_key)
    np.testing.assert_array_equal(loaded.vectors, saved.vectors)
    with pytest.raises(KeyError):
        loaded[1]


def test_gensim_alone_loads_what_is_saved(tmp_path):
    path = str(tmp_path / "wv")
    saved = trained(["a", "b"])
    saved.save(path, sep_limit=0)  # arrays in files of their own, as those of large vocabularies
    script = f"""if True:
        import sys
        sys.modules["w2v"] = None
        from gensim.models import KeyedVectors
        wv = KeyedVectors.load({path!r}, mmap="r")
        print(type(wv) is KeyedVectors, wv.index_to_key, wv.get_vecattr("a", "count"), wv["a"].tolist())
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"True {saved.index_to_key} 15 {saved['a'].tolist()}\n"


@pytest.mark.parametrize("sep_limit", [0, 10**7], ids=["arrays beside", "one file"])
def test_a_save_that_fails_leaves_the_old_files_and_names_theirs(tmp_path, monkeypatch, sep_limit):
    saved, path = trained(["a", "b"]), tmp_path / "wv"
    saved.save(path, sep_limit=sep_limit)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    def fill(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fill)
    saved["a"] = np.zeros(saved.vector_size)
    with pytest.raises(OSError, match=f"No space left on device: '{path}'"):
        saved.save(path, sep_limit=sep_limit)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_what_is_no_path_is_refused():
    for call in WordVectors.load, vectors(["a"]).save:
        with pytest.raises(TypeError, match="5 is no path: name a file"):
            call(5)


def test_a_file_of_something_else_is_refused(tmp_path):
    path = str(tmp_path / "model")
    gensim.models.Word2Vec([["a"]], vector_size=3, min_count=1).save(path)
    with pytest.raises(TypeError, match=f"{path} holds a Word2Vec, not a KeyedVectors"):
        WordVectors.load(path)


@pytest.mark.parametrize(
    "edit",
    [
        lambda wv: wv.__setitem__("a", np.ones(3)),
        lambda wv: wv.__setitem__(["a", "new"], np.ones((2, 3))),
        lambda wv: wv.add_vectors(["a", "new"], np.full((2, 3), 9.0)),
        lambda wv: wv.add_vectors(["b"], np.ones((1, 3)), replace=True),
        lambda wv: setattr(wv, "vectors", np.full((2, 3), 9.0)),
        lambda wv: wv.sort_by_descending_frequency(),
    ],
    ids=["one", "several", "new only", "replace", "another array", "sort"],
)
def test_edits_leave_no_stale_norms(edit):
    wv = vectors(["a", "b"])
    wv.set_vecattr("b", "count", 2)
    assert norms_are_fresh(wv)
    edit(wv)
    assert norms_are_fresh(wv)


def test_known_keys_change_in_place_and_only_if_replaced():
    wv = vectors(["a", "b"])
    table, a = wv.vectors, wv["a"].copy()
    wv.add_vectors(["a"], np.ones((1, 3)))
    np.testing.assert_array_equal(wv["a"], a)
    wv["a"] = np.full(3, 5.0)
    assert wv.vectors is table
    assert wv["a"].tolist() == [5, 5, 5]


def test_extra_attributes_come_with_new_keys():
    wv = vectors(["a"])
    wv.add_vectors(["b", "c"], np.ones((2, 3)), extras={"count": np.array([3, 4])})
    assert wv.expandos["count"].tolist() == [0, 3, 4]


def test_vectors_of_another_size_are_refused():
    wv = vectors(["a"])
    with pytest.raises(ValueError, match=r"1 keys need vectors of shape \(1, 3\), not \(1, 4\)"):
        wv.add_vectors(["b"], np.ones((1, 4)))
    assert "b" not in wv


@pytest.mark.parametrize("do", ["save", "load", "intersect"])
def test_writing_and_reading_take_gensims_arguments(do):
    ours, theirs = (
        inspect.signature(getattr(cls, f"{do}_word2vec_format")).parameters for cls in (WordVectors, KeyedVectors)
    )
    assert [(p.name, p.default) for p in ours.values()] == [(p.name, p.default) for p in theirs.values()]


@pytest.mark.parametrize("name", ["vectors", "vectors.gz"])
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("keys", [["a", "", "日本", "x" * 10**6], [0, 1, 9]], ids=["str", "int"])
def test_gensim_reads_what_is_written(tmp_path, keys, binary, name):
    wv, path = trained(keys), str(tmp_path / name)
    wv.save_word2vec_format(path, fvocab=path + ".counts", binary=binary)
    loaded = KeyedVectors.load_word2vec_format(path, binary=binary)
    assert loaded.index_to_key == [str(key) for key in wv.index_to_key]
    np.testing.assert_array_equal(loaded.vectors, wv.vectors)


def test_the_header_the_prefix_and_the_mode_are_gensims(tmp_path):
    wv, ours, theirs = trained(["a", "b"]), tmp_path / "ours", tmp_path / "theirs"
    wv.vectors[:] = [[1, 2, 3], [0.5, -4, 0]]
    for options in {"prefix": "*"}, {"append": True, "write_header": False}, {"append": True, "total_vec": 9}:
        wv.save_word2vec_format(ours, fvocab=tmp_path / "our counts", binary=True, **options)
        KeyedVectors.save_word2vec_format(wv, theirs, fvocab=tmp_path / "their counts", binary=True, **options)
    assert ours.read_bytes() == theirs.read_bytes()
    assert (tmp_path / "our counts").read_bytes() == (tmp_path / "their counts").read_bytes()


@pytest.mark.parametrize("word", ["two words", "two\nlines"])
def test_a_word_that_could_not_be_read_back_is_refused_and_the_old_file_stays(tmp_path, word):
    path = tmp_path / "vectors"
    path.write_text("old")
    with pytest.raises(ValueError, match="has a blank or a newline in it, and could not be read back"):
        vectors(["a", word]).save_word2vec_format(path)
    assert (path.read_text(), os.listdir(tmp_path)) == ("old", ["vectors"])


def test_words_that_read_the_same_are_refused(tmp_path):
    wv = vectors([3, "1", 1])
    with pytest.raises(ValueError, match="the words 1 and '1' are the same in word2vec's format"):
        wv.save_word2vec_format(tmp_path / "vectors")
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("limit", [-1, 2.5, "3"])
def test_a_limit_that_is_none_is_refused(tmp_path, limit):
    with pytest.raises(ValueError, match=f"limit={limit!r} must be a whole number from 0"):
        WordVectors.load_word2vec_format(tmp_path / "absent", limit=limit)


@pytest.mark.parametrize("name", ["vectors", "vectors.gz"])
@pytest.mark.parametrize("binary", [False, True])
def test_files_are_read_as_gensim_reads_them(tmp_path, binary, name, monkeypatch):
    monkeypatch.setattr("w2v.wordfile.BLOCK_BYTES", 1000)
    path = str(tmp_path / name)
    wv = trained(["a", "b", "日本", "x" * 10_000])
    wv.save_word2vec_format(path, fvocab=path + ".counts", binary=binary)
    for options in {}, {"fvocab": path + ".counts"}, {"limit": 2, "datatype": np.float16}:
        ours = WordVectors.load_word2vec_format(path, binary=binary, **options)
        theirs = KeyedVectors.load_word2vec_format(path, binary=binary, **options)
        assert ours.key_to_index == theirs.key_to_index
        np.testing.assert_array_equal(ours.vectors, theirs.vectors)
        np.testing.assert_array_equal(ours.expandos["count"], theirs.expandos["count"])
        assert ours.vectors.dtype == theirs.vectors.dtype
        assert ours.most_similar(ours.index_to_key[0]) == theirs.most_similar(theirs.index_to_key[0])


def test_of_a_word_that_repeats_the_first_vector_is_read_and_a_header_may_be_missing(tmp_path):
    (tmp_path / "glove").write_text("a 1 2\nb 3 4\na 5 6")
    wv = WordVectors.load_word2vec_format(tmp_path / "glove", no_header=True)
    assert (wv.index_to_key, wv.vectors.tolist()) == (["a", "b"], [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("content", "binary", "error", "message"),
    [
        (b"2 2\na 1 2\nb 3\n", False, ValueError, "record 2: 1 values where 2 belong"),
        (b"2 2\na 1 2\nb 3 x\n", False, ValueError, "record 2: could not convert string to float: b'x'"),
        (b"2 2\na 1 2\n\xff 3 4\n", False, ValueError, "record 2: 'utf-8' codec can't decode"),
        (b"2 2\na 1 2\n", False, EOFError, "record 2: the file ends before this one of 2 is whole"),
        (b"2 2\na 12345678b 1234", True, EOFError, "record 2: the file ends before this one of 2 is whole"),
        (b"2 2\na12345678", True, EOFError, "record 1: the file ends before this one of 2 is whole"),
        (b"a 1 2\n", False, ValueError, r"record 1: before it stands b'a 1 2\\n', not the number of words"),
        (b"", False, ValueError, r"record 1: before it stands b'', not the number of words"),
        (gzip.compress(b"1 1\na 1\n")[:-9], False, EOFError, "record 1: Compressed file ended"),
    ],
)
def test_a_damaged_file_is_an_error_that_names_the_record(tmp_path, content, binary, error, message):
    path = tmp_path / ("vectors.gz" if content.startswith(b"\x1f") else "vectors")
    path.write_bytes(content)
    with pytest.raises(error, match=f"{path}: {message}"):
        WordVectors.load_word2vec_format(path, binary=binary)


def test_a_word_without_a_count_is_named(tmp_path):
    (tmp_path / "vectors").write_text("2 1\na 1\nb 2\n")
    (tmp_path / "counts").write_text("a 5\n")
    with pytest.raises(ValueError, match="counts has no count of the word 'b'"):
        WordVectors.load_word2vec_format(tmp_path / "vectors", fvocab=tmp_path / "counts")


@pytest.mark.parametrize("binary", [False, True])
def test_vectors_of_a_file_are_taken_for_the_words_that_are_here_and_locked(tmp_path, binary):
    vectors(["elsewhere", "b", "a"]).save_word2vec_format(tmp_path / "file", binary=binary)
    pretrained = KeyedVectors.load_word2vec_format(tmp_path / "file", binary=binary)
    model = Word2Vec(vector_size=3, min_count=1, sample=0)
    model.build_vocab([["a", "b", "c"]] * 50)
    own = model.wv.get_normed_vectors().copy()
    model.wv.intersect_word2vec_format(tmp_path / "file", binary=binary)
    assert norms_are_fresh(model.wv)
    model.train()
    for word in "a", "b":
        np.testing.assert_array_equal(model.wv[word], pretrained[word])
    assert "elsewhere" not in model.wv
    assert not np.array_equal(model.wv.get_vector("c", norm=True), own[model.wv.get_index("c")])
    model.wv.intersect_word2vec_format(tmp_path / "file", lockf=1.0, binary=binary)
    assert model.wv.vectors_lockf.tolist() == [1, 1, 1]


def test_vectors_of_a_file_must_be_of_the_size_of_those_that_are_here(tmp_path):
    vectors(["a"], size=4).save_word2vec_format(tmp_path / "file")
    wv = vectors(["a"])
    with pytest.raises(ValueError, match="file has vectors of 4 numbers, where vector_size=3"):
        wv.intersect_word2vec_format(tmp_path / "file")
