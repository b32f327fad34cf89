"""Token lists and integer arrays, encoded."""

from dataclasses import replace

import numpy as np
import pytest
from corpora import assert_same, sentences_of
from gensim.models.word2vec import LineSentence
from hypothesis import given
from hypothesis import strategies as st

from w2v import Word2Vec
from w2v.corpus import EncodedCorpus, encode
from w2v.scan import MAX_SENTENCE
from w2v.vocabulary import Vocabulary


def test_rare_words_are_dropped_and_sentences_kept():
    corpus = EncodedCorpus.from_sentences([["a", "b", "a"], [], ["c", "b", "a"], ["d"]], min_count=2)
    assert sentences_of(corpus) == [["a", "b", "a"], [], ["b", "a"], []]
    assert corpus.raw_lengths.tolist() == [3, 0, 3, 1]
    assert corpus.raw_words == 7
    assert (corpus.ids.dtype, corpus.offsets.dtype, corpus.raw_lengths.dtype) == (np.int32, np.int64, np.int32)


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), min_size=1), st.integers(1, 3))
def test_kept_tokens_stay_in_their_sentences(sentences, min_count):
    counts = {word: sum(sentence.count(word) for sentence in sentences) for word in "abcdefgh"}
    expected = [[word for word in sentence if counts[word] >= min_count] for sentence in sentences]
    if any(expected):
        corpus = EncodedCorpus.from_sentences(sentences, min_count)
        assert sentences_of(corpus) == expected
        assert corpus.raw_lengths.tolist() == [len(sentence) for sentence in sentences]


def test_a_generator_of_iterators_is_read_in_one_pass():
    corpus = EncodedCorpus.from_sentences((iter(line.split()) for line in ["a b", "b"]), min_count=1)
    assert sentences_of(corpus) == [["a", "b"], ["b"]]


def test_integer_tokens_become_python_ints():
    corpus = EncodedCorpus.from_sentences([[7, np.int64(3)], [3]], min_count=1)
    assert corpus.vocabulary.words == [3, 7]
    assert {type(word) for word in corpus.vocabulary.words} == {int}


@pytest.mark.parametrize("length", [MAX_SENTENCE, MAX_SENTENCE + 1, 3 * MAX_SENTENCE, 3 * MAX_SENTENCE + 5])
def test_a_long_sentence_is_cut_into_pieces(length):
    tokens = ["a", "b", "rare", *["a"] * (length - 3)]
    corpus = EncodedCorpus.from_sentences([["b"], tokens, ["b"]], min_count=2)
    pieces = [tokens[i : i + MAX_SENTENCE] for i in range(0, length, MAX_SENTENCE)]
    assert corpus.raw_lengths.tolist() == [1, *map(len, pieces), 1]
    pieces[0].remove("rare")
    assert sentences_of(corpus) == [["b"], *pieces, ["b"]]


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ("the cat sat", r"the source is the string 'the cat sat', not a list of token lists: split it"),
        (b"the cat sat", r"the source is b'the cat sat', not a list of token lists: decode and split it"),
        (5, r"the source is 5 of type int"),
        ({"a": 1}, r"the source is \{'a': 1\} of type dict"),
        ([["a"], "the cat"], r"sentence 1 is the string 'the cat', not a list of tokens: split it"),
        ([["a"], b"the cat"], r"sentence 1 is b'the cat'"),
        ([["a"], 5], r"sentence 1 is 5 of type int"),
        ([["a"], {"b": 1}], r"sentence 1 is \{'b': 1\} of type dict"),
        ([["a"], {"b"}], r"sentence 1 is \{'b'\} of type set"),
        ([["a"], ["b", ["c"]]], r"token 1 of sentence 1 is \['c'\] of type list: tokens are str or int"),
        ([["a"], [(["b"],)]], r"token 0 of sentence 1 is \(\['b'\],\) of type tuple: tokens are str or int"),
        ([["a"], [], ["a", 1.5]], r"token 1 of sentence 2 is 1.5 of type float: tokens are str or int"),
        ([[None]], r"token 0 of sentence 0 is None"),
    ],
)
def test_what_is_not_a_token_list_is_named(sentences, message):
    with pytest.raises(TypeError, match=message):
        EncodedCorpus.from_sentences(sentences)


@pytest.mark.parametrize("error", [RuntimeError("disk on fire"), TypeError("not mine")])
def test_an_error_of_the_iterable_passes_unchanged(error):
    def sentences():
        yield ["a"]
        yield (fail() for _ in range(1))

    def fail():
        raise error

    with pytest.raises(type(error)) as raised:
        EncodedCorpus.from_sentences(sentences())
    assert raised.value is error


@pytest.mark.parametrize(
    "source",
    [
        [np.array([7, 3, 7]), np.array([9, 3, 5])],
        np.array([[7, 3, 7], [9, 3, 5]], dtype=np.uint16),
        (np.array([7, 3, 7, 9, 3, 5]), np.array([0, 3, 6])),
    ],
    ids=["list", "2-D", "offsets"],
)
def test_every_form_of_arrays_is_read_like_lists_of_ints(source):
    assert_same(
        EncodedCorpus.from_arrays(source, min_count=1),
        EncodedCorpus.from_sentences([[7, 3, 7], [9, 3, 5]], min_count=1),
    )


@pytest.mark.parametrize("dtype", [np.int16, np.uint64])
def test_empty_sentences_among_arrays_are_of_any_type(dtype):
    corpus = EncodedCorpus.from_arrays([np.array([7, 3], dtype), [], np.array([])], min_count=1)
    assert sentences_of(corpus) == [[7, 3], [], []]


def test_integers_of_all_sizes_survive():
    corpus = EncodedCorpus.from_arrays([np.array([2**64 - 1, 0, 2**63], np.uint64)], min_count=1)
    assert sentences_of(corpus) == [[2**64 - 1, 0, 2**63]]


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (np.array([1, 2]), ValueError, r"shape \(2,\) is not \(sentences, tokens\): for one sentence pass \[array\]"),
        (np.ones((2, 2)), TypeError, "the array: float64 of shape"),
        ([np.array([1]), np.array([[1]])], TypeError, "sentence 1: int64 of shape"),
        ([np.array([1]), np.array([1.0])], TypeError, "sentence 1: float64"),
        ([np.array([1], np.int64), np.array([1], np.uint64)], TypeError, "the sentences together: float64"),
        ((np.array([1, 2]), np.array([0, 1])), ValueError, "offsets must rise from 0 to the number of values, 2"),
        ((np.array([1, 2]), np.array([0, 2, 1, 2])), ValueError, "offsets must rise"),
        ([], ValueError, "the corpus holds no words"),
    ],
)
def test_other_arrays_are_refused(source, error, message):
    with pytest.raises(error, match=message):
        EncodedCorpus.from_arrays(source)


@pytest.mark.parametrize(
    "source", [["a b c d e f g".split()], [np.arange(7)], np.arange(7).reshape(1, 7)], ids=["lists", "arrays", "2-D"]
)
def test_no_frequent_word_is_an_error_from_every_source(source):
    with pytest.raises(ValueError, match=r"^7 distinct words seen, highest count 1 < min_count 5: lower min_count"):
        encode(source)


def test_encode_chooses_by_type(tmp_path):
    path = tmp_path / "text"
    path.write_text("7 3 7")
    expected = EncodedCorpus.from_sentences([["7", "3", "7"]], 1)
    assert_same(encode(path, 1), expected)
    assert_same(encode(str(path), 1), expected)
    assert_same(encode(LineSentence(str(path)), 1), expected)
    assert_same(encode([np.array(["7", "3", "7"])], 1), expected)
    integers = EncodedCorpus.from_sentences([[7, 3, 7]], 1)
    assert_same(encode([np.array([7, 3, 7])], 1), integers)
    assert_same(encode((np.array([7, 3, 7]), np.array([0, 3])), 1), integers)


@pytest.mark.parametrize(
    "source", [[["x", "b"], [], ["c", "a", "b"]], [np.array([9, 2]), np.array([], int), np.array([8, 1, 2])]]
)
def test_another_corpus_is_encoded_with_a_vocabulary_it_did_not_make(source):
    words = ["a", "b"] if isinstance(source[0], list) else [1, 2]
    vocabulary = Vocabulary(words, [3, 2])
    corpus = encode(source, vocabulary=vocabulary)
    assert corpus.vocabulary is vocabulary
    assert corpus.ids.tolist() == [1, 0, 1]
    assert corpus.offsets.tolist() == [0, 1, 1, 3]
    assert corpus.raw_lengths.tolist() == [2, 0, 3]


def test_words_alone_are_no_vocabulary():
    with pytest.raises(
        TypeError, match=r"vocabulary=\['a', 'b'\] is no w2v\.Vocabulary: make one of words and their cou"
    ):
        encode([["a"]], vocabulary=["a", "b"])


def test_a_corpus_with_no_word_of_the_vocabulary_is_an_error():
    with pytest.raises(ValueError, match="no word of the corpus is in the vocabulary"):
        encode([["1", "2"]], vocabulary=Vocabulary([1, 2], [1, 1]))


@pytest.mark.parametrize(
    ("array", "index", "value"),
    [
        ("ids", 3, 2),
        ("ids", 3, -1),
        ("offsets", 1, -1),
        ("offsets", 1, 7),
        ("offsets", 1, 4),
        ("raw_lengths", 1, -1),
        ("raw_lengths", 1, 2**30),
    ],
)
def test_damage_is_found_before_it_is_trained_on(array, index, value):
    corpus = EncodedCorpus.from_sentences([["a", "b", "a"], ["b", "a"], ["a"]], min_count=1)
    for sentence in range(3):
        corpus.check(sentence, sentence + 1)
    corpus.check(0, 3)
    getattr(corpus, array)[index] = value
    with pytest.raises(ValueError, match=r"the encoded corpus is damaged in sentences 0 to 3: .* remove that"):
        corpus.check(0, 3)
    with pytest.raises(ValueError, match="the encoded corpus is damaged"):
        Word2Vec(corpus, vector_size=4, workers=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ids": np.zeros(3)}, r"ids: float64 of shape \(3,\) where 1-D int32 belongs"),
        ({"offsets": np.array([[0, 3]])}, r"offsets: int64 of shape \(1, 2\) where 1-D int64 belongs"),
        ({"offsets": np.array([1, 3])}, "1 sentences of 3 words together need one offset more, from 0 to the number"),
        ({"offsets": np.array([0, 2])}, "1 sentences of 3 words"),
        ({"raw_lengths": np.ones(2, np.int32)}, "2 sentences of 3 words"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(change, message):
    corpus = EncodedCorpus.from_sentences([["a", "b", "a"]], min_count=1)
    with pytest.raises(ValueError, match=message):
        replace(corpus, **change)
