"""Which types become words, against gensim's choice."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from gensim.models import Word2Vec
from gensim.models.word2vec import LineSentence
from gensim.test.utils import datapath
from gensim.utils import RULE_DEFAULT, RULE_DISCARD, RULE_KEEP

from w2v.pruning import Pruning, RawVocabulary
from w2v.vocabulary import Vocabulary

SENTENCES = list(LineSentence(datapath("lee_background.cor")))
COUNTS = Counter(chain.from_iterable(SENTENCES))


def by_first_letter(word: str, count: int, min_count: int) -> int:
    return {"a": RULE_KEEP, "t": RULE_DISCARD}.get(word[0], RULE_DEFAULT)


def kept(counts: dict, **settings) -> list:
    raw = RawVocabulary.from_counts(counts)
    return raw.words(Pruning(**settings).kept_types(raw))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"min_count": 1},
        {"sorted_vocab": 0},
        {"max_final_vocab": 100},
        {"max_final_vocab": 100, "min_count": 40},
        {"max_final_vocab": 10**6, "min_count": 2},
        {"trim_rule": by_first_letter},
        {"trim_rule": by_first_letter, "max_final_vocab": 300, "sorted_vocab": 0},
    ],
    ids=str,
)
def test_words_and_their_order_are_gensims(settings):
    rule = settings.get("trim_rule")
    model = Word2Vec(vector_size=1, **{k: v for k, v in settings.items() if k != "trim_rule"})
    model.build_vocab(SENTENCES, trim_rule=rule)
    assert kept(COUNTS, **settings) == model.wv.index_to_key
    assert Pruning(**settings).effective_min_count(np.array(list(COUNTS.values()))) == model.effective_min_count


def test_max_vocab_size_is_a_cap_that_equal_counts_do_not_break():
    assert kept({"a": 2, "b": 5, "c": 2, "d": 2}, min_count=1, max_vocab_size=3) == ["b", "d", "c"]


def test_a_word_that_a_rule_keeps_is_the_last_to_fall_to_the_cap():
    def rule(word, count, min_count):
        return RULE_KEEP if word == "rare" else RULE_DEFAULT

    assert kept({"a": 9, "rare": 1, "b": 8}, max_vocab_size=2, trim_rule=rule) == ["a", "rare"]


def test_an_update_adds_counts_and_appends_new_words():
    old = Vocabulary(["b", "a"], [5, 3])
    new = old.updated(RawVocabulary.from_counts({"x": 1, "c": 4, "a": 1, "d": 7}), Pruning(min_count=2))
    assert (new.words, new.counts.tolist()) == (["b", "a", "c", "d"], [5, 4, 4, 7])


def test_an_update_stays_within_the_cap():
    old = Vocabulary(["b", "a"], [5, 3])
    raw = RawVocabulary.from_counts({"c": 4, "d": 7})
    assert old.updated(raw, Pruning(min_count=2, max_vocab_size=3)).words == ["b", "a", "d"]
    assert old.updated(raw, Pruning(min_count=2, max_vocab_size=1)).words == ["b", "a"]


@pytest.mark.parametrize("counts", [{}, {"x": 1}, {"a": 9}])
def test_an_update_without_new_words_is_none(counts):
    assert Vocabulary(["a"], [3]).updated(RawVocabulary.from_counts(counts), Pruning()).words == ["a"]


@pytest.mark.parametrize("sorted_vocab", [0, 1])
def test_the_null_word_takes_gensims_place(sorted_vocab):
    model = Word2Vec(vector_size=1, min_count=1, null_word=1, sorted_vocab=sorted_vocab)
    model.build_vocab(SENTENCES[:5])
    raw = RawVocabulary.from_counts(Counter(chain.from_iterable(SENTENCES[:5])))
    types = Pruning(min_count=1, sorted_vocab=sorted_vocab).kept_types(raw)
    vocabulary = Vocabulary(raw.words(types), raw.counts[types]).with_null_word(in_order=bool(sorted_vocab))
    assert vocabulary.words == model.wv.index_to_key
    assert vocabulary.with_null_word(in_order=True) is vocabulary


@pytest.mark.parametrize(
    ("settings", "counts", "message"),
    [
        ({}, {}, "the corpus holds no words"),
        ({}, {"a": 1, "b": 3}, r"2 distinct words seen, highest count 3 < min_count 5: lower min_count or give "),
        ({"trim_rule": lambda *_: RULE_DISCARD}, {"a": 9}, "trim_rule leaves none of 1 distinct word"),
        ({"max_final_vocab": 1}, {"a": 9, "b": 9}, r"=1 leaves none of 2 distinct words.* set max_vocab_size"),
        ({"max_final_vocab": 0}, {"a": 9}, "max_final_vocab=0 must be a whole number from 1"),
        ({"max_vocab_size": 2.5}, {"a": 9}, r"max_vocab_size=2\.5 must be a whole number from 1"),
        ({}, {"a": 0.5}, r"the count of 'a' is 0\.5: give a whole number from 1"),
        ({}, {"a": 2**63}, r"the count of 'a' is 9223372036854775808: give a whole number from 1 to 2\*\*63 - 1"),
    ],
)
def test_what_leaves_no_vocabulary_is_refused_with_the_cure(settings, counts, message):
    with pytest.raises(ValueError, match=message):
        kept(counts, **settings)


def test_the_words_of_counts_are_plain_and_nothing_else_will_do():
    words = kept(dict(zip(*np.unique([3, 7, 7], return_counts=True), strict=True)), min_count=1)
    assert words == [7, 3]
    assert {type(word) for word in words} == {int}
    with pytest.raises(TypeError, match=r"the word \('a', 'b'\) is of type tuple: words are str or int"):
        kept({("a", "b"): 9})


def test_a_rule_that_is_no_function_is_refused():
    with pytest.raises(TypeError, match="trim_rule=5 can't be called"):
        Pruning(trim_rule=5)
