"""Sources other than files and plain lists, and corpora kept on disk."""

import os

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse
from corpora import assert_same, sentences_of

import w2v.corpus
from w2v import Word2Vec
from w2v.corpus import EncodedCorpus, encode
from w2v.vocabulary import Vocabulary

TEXT = [["the", "cat"], ["sat"], ["the", "dog", "sat"]]
ITEMS = [[7, 3], [], [7, 9, 3]]

COLUMNS = {
    "pandas": pandas.Series,
    "polars": polars.Series,
    "arrow": pyarrow.array,
    "arrow, large": lambda lists: pyarrow.array(lists, pyarrow.large_list(pyarrow.array(lists[0]).type)),
    "arrow, sliced": lambda lists: pyarrow.array([lists[0], *lists])[1:],
    "arrow, chunks": lambda lists: pyarrow.chunked_array([lists[:1], lists[1:]]),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("lists", [TEXT, ITEMS], ids=["words", "integers"])
def test_a_column_of_token_lists_is_read_like_the_lists(column, lists):
    assert_same(encode(column(lists), 1), EncodedCorpus.from_sentences(lists, 1))


def test_integers_of_arrow_columns_make_no_python_objects(monkeypatch):
    monkeypatch.setattr(w2v.corpus, "scan_sentences", lambda source: pytest.fail("read as objects"))
    encode(pyarrow.array(ITEMS), 1)


@pytest.mark.parametrize("lists", [[["a"], None], [["a", None]], [[1], None], [[1, None]]])
def test_nulls_are_refused(lists):
    with pytest.raises(ValueError, match="the column has 1 nulls: drop them first"):
        encode(pyarrow.array(lists), 1)


@pytest.mark.parametrize("table", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_a_whole_table_is_refused(table):
    with pytest.raises(TypeError, match=r"the source is a whole \w+ \w+: pass the column"):
        encode(table({"tokens": TEXT}), 1)


def test_the_rows_of_a_csr_array_are_sentences():
    matrix = scipy.sparse.csr_array(np.array([[0, 1, 0, 1], [0, 0, 0, 0], [1, 1, 0, 0]]))
    assert sentences_of(encode(matrix, 1)) == [[1, 3], [], [0, 1]]
    with pytest.raises(TypeError, match=r"a SciPy array in CSC form: pass source.tocsr\(\)"):
        encode(matrix.tocsc(), min_count=1)
    with pytest.raises(TypeError, match="the CSR array has values other than 1"):
        encode(2 * matrix, 1)


def test_integer_keys_are_trained_looked_up_and_missed():
    model = Word2Vec(scipy.sparse.csr_array(np.ones((20, 6), int)), vector_size=8, min_count=1, workers=1)
    assert model.wv[3].shape == (8,)
    with pytest.raises(KeyError):
        model.wv[77]


def test_a_corpus_is_saved_and_mapped_back(tmp_path):
    for sentences in TEXT, ITEMS, [[2**64 - 1, "\ud800"]]:
        corpus = EncodedCorpus.from_sentences(sentences, 1)
        corpus.save(tmp_path / "corpus")
        loaded = EncodedCorpus.load(tmp_path / "corpus")
        assert_same(loaded, corpus)
        assert loaded.checksum == corpus.checksum
        assert not loaded.ids.flags.writeable


def test_a_damaged_or_foreign_file_is_refused(tmp_path):
    path = tmp_path / "corpus"
    EncodedCorpus.from_sentences(TEXT, 1).save(path)
    for content in path.read_bytes()[:-64], b"the cat sat", b"":
        path.write_bytes(content)
        with pytest.raises(ValueError, match="corpus is no encoded corpus, or damaged"):
            EncodedCorpus.load(path)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text"
    path.write_text("the cat sat\non the mat\n")
    return path


def test_a_cache_is_read_in_place_of_an_unchanged_text(text, tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    first = EncodedCorpus.from_file(text, 1, cache=cache)
    assert_same(first, EncodedCorpus.from_file(text, 1))
    assert sorted(os.listdir(tmp_path)) == ["cache", "text"]
    monkeypatch.setattr(w2v.corpus, "scan_file", lambda *_: pytest.fail("the text was read again"))
    assert_same(EncodedCorpus.from_file(text, 1, cache=cache), first)


@pytest.mark.parametrize("change", ["text", "time", "settings"])
def test_a_cache_of_something_else_is_made_anew(text, tmp_path, change):
    min_count = 1
    EncodedCorpus.from_file(text, min_count, cache=tmp_path / "cache")
    if change == "text":
        text.write_text("the dog sat\n" * 3)
    elif change == "time":
        os.utime(text, (0, 0))
    else:
        min_count = 2
    corpus = EncodedCorpus.from_file(text, min_count, cache=tmp_path / "cache")
    assert_same(corpus, EncodedCorpus.from_file(text, min_count))
    assert corpus.source == EncodedCorpus.load(tmp_path / "cache").source


def test_a_text_without_words_is_an_error_with_a_cache_too(text, tmp_path):
    text.write_text(" \n")
    with pytest.raises(ValueError, match="the corpus holds no words"):
        EncodedCorpus.from_file(text, 1, cache=tmp_path / "cache")
    assert os.listdir(tmp_path) == ["text"]


def test_a_model_trains_on_an_encoded_corpus_as_on_its_text(text, tmp_path):
    text.write_text("the cat sat on the mat\n" * 100)
    settings = {"vector_size": 8, "workers": 1}
    mapped = Word2Vec(EncodedCorpus.from_file(text, cache=tmp_path / "cache"), **settings)
    np.testing.assert_array_equal(mapped.wv.vectors, Word2Vec(corpus_file=text, **settings).wv.vectors)
    other = EncodedCorpus.from_sentences([["cat", "new", "mat"]], 1)
    assert sentences_of(encode(other, vocabulary=Vocabulary(["mat", "cat"], [1, 1]))) == [["cat", "mat"]]


def test_a_cache_that_cannot_be_written_is_refused_before_the_text_is_read(tmp_path):
    (tmp_path / "text").write_bytes(b"\xff")  # which reading would complain of
    with pytest.raises(OSError, match=r"there is no folder .*absent: make it"):
        EncodedCorpus.from_file(tmp_path / "text", cache=tmp_path / "absent" / "cache")
    with pytest.raises(TypeError, match="5 is no path: name a file"):
        EncodedCorpus.from_file(tmp_path / "text", cache=5)
    with pytest.raises(ValueError, match="cache would be read with the corpus next time: write to another folder"):
        EncodedCorpus.from_file(tmp_path, cache=tmp_path / "cache")
