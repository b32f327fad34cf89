"""Word2Vec as a user of gensim calls it."""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Thread, active_count

import gensim
import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors
from gensim.models.callbacks import CallbackAny2Vec
from scipy.sparse import csr_array

from w2v import Word2Vec, encode


def two_topics(sentences: int = 200, length: int = 20) -> list[list[str]]:
    """Sentences of the words a0 to a9 and sentences of b0 to b9: a word's neighbours have its letter."""
    rng = np.random.default_rng(1)
    return [["ab"[i % 2] + str(word) for word in rng.integers(0, 10, length)] for i in range(sentences)]


def model(sentences=None, **settings) -> Word2Vec:
    small = {"sg": 1, "vector_size": 16, "min_count": 1, "workers": 1, "sample": 0.0, "alpha": 0.05, "epochs": 8}
    return Word2Vec(sentences, **{**small, **settings})


def neighbours_share_the_topic(vectors: KeyedVectors) -> bool:
    return all(near[0] == word[0] for word in vectors.index_to_key for near, _ in vectors.most_similar(word, topn=5))


@pytest.mark.parametrize(("trainer", "workers"), [("hogwild", 1), ("hogwild", 2), ("exact", 1), ("exact", 2)])
def test_words_of_a_topic_become_neighbours(trainer, workers):
    untrained = model(trainer=trainer)
    untrained.build_vocab(two_topics())
    assert not neighbours_share_the_topic(untrained.wv)
    assert neighbours_share_the_topic(model(two_topics(), trainer=trainer, workers=workers).wv)


def test_a_generator_is_read_once_for_all_epochs():
    generated = model(sentence for sentence in two_topics())
    np.testing.assert_array_equal(generated.wv.vectors, model(two_topics()).wv.vectors)


def test_a_file_gives_the_vectors_of_its_lines(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(map(" ".join, two_topics())))
    from_file = model(corpus_file=path)
    np.testing.assert_array_equal(from_file.wv.vectors, model(two_topics()).wv.vectors)


def test_integer_tokens_are_keys():
    sentences = [[int(token[1]) for token in sentence] for sentence in two_topics()]
    trained = model(sentences)
    assert sorted(trained.wv.index_to_key) == list(range(10))
    assert trained.wv[7].shape == (16,)


def test_the_vectors_are_gensims_and_survive_its_file(tmp_path):
    trained = model(two_topics())
    path = str(tmp_path / "vectors.txt")
    trained.wv.save_word2vec_format(path)
    loaded = KeyedVectors.load_word2vec_format(path)
    assert loaded.index_to_key == trained.wv.index_to_key
    np.testing.assert_array_equal(loaded.vectors, trained.wv.vectors)
    assert trained.wv.get_vecattr("a0", "count") == sum(sentence.count("a0") for sentence in two_topics())


def test_gensims_calls_train_the_same_model():
    sentences = two_topics()
    step_by_step = model()
    step_by_step.build_vocab(sentences)
    kept, raw = step_by_step.train(sentences, total_examples=step_by_step.corpus_count, epochs=step_by_step.epochs)
    assert kept == raw == 8 * 200 * 20  # sample=0 keeps every word
    np.testing.assert_array_equal(step_by_step.wv.vectors, model(sentences).wv.vectors)


def test_training_goes_on_from_the_present_weights():
    trained = model(two_topics())
    before = trained.wv.vectors.copy()
    trained.train(epochs=1, start_alpha=1e-6, end_alpha=1e-6)
    assert 0 < abs(trained.wv.vectors - before).max() < 0.01  # a fresh start is 0.5 away


def stop(done, *_):
    if done:
        raise KeyboardInterrupt


@pytest.mark.parametrize("progress", [None, stop], ids=["finished", "interrupted"])
def test_norms_are_those_of_the_present_weights(progress):
    trained = model(progress=progress)
    trained.build_vocab(two_topics())
    before = trained.wv.get_vector("a0", norm=True)
    try:
        trained.train()
    except KeyboardInterrupt:
        pass
    after = trained.wv.get_vector("a0", norm=True)
    assert not np.array_equal(before, after)
    assert np.linalg.norm(after) == pytest.approx(1)


def test_another_vocabulary_starts_anew():
    trained = model(two_topics())
    assert "c" not in trained.wv
    trained.build_vocab([["c", "d"]])
    assert trained.wv.index_to_key == ["d", "c"]
    assert len(trained.syn1neg) == 2


MODES = {
    "skip-gram": {"sg": 1},
    "cbow": {"sg": 0},
    "skip-gram hs": {"sg": 1, "hs": 1, "negative": 0},
    "cbow hs": {"sg": 0, "hs": 1, "negative": 0},
    "both heads": {"sg": 1, "hs": 1, "negative": 5},
}


@pytest.mark.parametrize("trainer", ["hogwild", "exact"])
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_every_mode_learns_the_topics(mode, trainer):
    trained = model(two_topics(), trainer=trainer, epochs=20, **mode)
    assert neighbours_share_the_topic(trained.wv)
    assert (trained.syn1 is None, trained.syn1neg is None) == (not trained.hs, not trained.negative)


def test_another_corpus_is_trained_with_the_vocabulary_there_is(tmp_path):
    other = [*two_topics()[:50], ["never", "seen"]]
    path = tmp_path / "other.txt"
    path.write_text("\n".join(map(" ".join, other)))
    from_list, from_file = model(two_topics()), model(two_topics())
    kept, raw = from_list.train(other, total_examples=51, epochs=2)
    assert (kept, raw) == (2 * 50 * 20, 2 * (50 * 20 + 2))
    from_file.train(corpus_file=path, total_words=50 * 20 + 2, epochs=2)
    np.testing.assert_array_equal(from_list.wv.vectors, from_file.wv.vectors)
    assert "never" not in from_list.wv


def test_a_corpus_that_has_changed_since_build_vocab_is_read_again(tmp_path):
    sentences, path = two_topics(), tmp_path / "corpus.txt"
    path.write_text("a0 a1\n")
    of_list, of_file, of_folder = model(sentences), model(corpus_file=path), model(corpus_file=tmp_path)
    sentences.append(["a1"] * 7)
    path.write_text("a0 a1 a1\n")
    assert of_list.train(sentences, epochs=1)[1] == 200 * 20 + 7
    assert of_file.train(corpus_file=path, epochs=1)[1] == 3
    assert of_folder.train(corpus_file=tmp_path, epochs=1)[1] == 3


def test_a_corpus_whose_words_are_not_taken_does_not_pass_for_the_models_own():
    built, other = model(two_topics(), min_count=2), [["a0", "new"]]
    built.scan_vocab(other)
    built.prepare_vocab(min_count=1, dry_run=True)
    with pytest.raises(ValueError, match="highest count 1 < min_count 2"):
        built.build_vocab(other)
    assert built.train(other, epochs=1) == (1, 2)
    assert built.corpus_count == 200
    assert built.train(epochs=1) == (4000, 4000)


def swap(corpus):
    corpus[0], corpus[1] = corpus[1], corpus[0]


@pytest.mark.parametrize(
    ("kind", "change"),
    [(list, random.Random(2).shuffle), (list, swap), (pd.Series, swap)],
    ids=["shuffled list", "list", "column"],
)
def test_sentences_exchanged_in_place_since_build_vocab_are_trained(kind, change):
    sentences = kind(two_topics())
    trained, expected = model(), model()
    trained.build_vocab(sentences)
    expected.build_vocab(list(sentences))
    for _ in range(2):
        change(sentences)
        trained.train(sentences, total_examples=len(sentences), epochs=1)
        expected.train(list(sentences), epochs=1)
    np.testing.assert_array_equal(trained.wv.vectors, expected.wv.vectors)


def test_the_only_sentence_is_seen_to_be_another_in_the_memory_of_the_last():
    sentences = [["a0", "a1"]]
    trained = model(sentences)
    sentences.clear()
    sentences.append(["a0", "a1", "a1"])
    assert trained.train(sentences, epochs=1)[1] == 3


@pytest.mark.parametrize(
    "form",
    [
        lambda numbers: numbers,
        list,
        lambda numbers: (numbers.ravel(), np.arange(0, 401, 2)),
        lambda numbers: csr_array((np.ones(numbers.size), numbers.ravel(), np.arange(0, 401, 2, np.int32))),
    ],
    ids=["array", "arrays", "values and offsets", "sparse"],
)
def test_numbers_changed_in_place_since_build_vocab_are_trained(form):
    numbers = np.arange(400, dtype=np.int32).reshape(200, 2) % 20
    sentences = form(numbers)
    trained, expected = model(sentences), model(numbers.copy())
    numbers[:] = numbers[::-1, ::-1] // 2
    trained.train(sentences, epochs=1)
    expected.train(numbers, epochs=1)
    np.testing.assert_array_equal(trained.wv.vectors, expected.wv.vectors)


@pytest.mark.parametrize("kind", [list, tuple, pd.Series, iter], ids=["list", "tuple", "column", "iterator"])
def test_an_unchanged_corpus_is_not_read_again(kind, monkeypatch):
    sentences = kind(two_topics())
    trained = model(sentences)
    monkeypatch.setattr("w2v.model.encode", lambda *_, **__: pytest.fail("the corpus was read again"))
    trained.train(sentences)


@pytest.mark.parametrize(
    "use",
    [
        Word2Vec.train,
        lambda used: used.build_vocab(two_topics()),
        lambda used: used.build_vocab_from_freq({"a": 9}),
        Word2Vec.init_weights,
        lambda used: used.reset_from(model(two_topics())),
    ],
    ids=["train", "build_vocab", "build_vocab_from_freq", "init_weights", "reset_from"],
)
def test_a_model_that_is_being_trained_is_refused_to_other_threads(use):
    class Using(CallbackAny2Vec):
        def on_epoch_end(self, trained):
            with ThreadPoolExecutor(1) as other:
                with pytest.raises(RuntimeError, match="is being trained, or its vocabulary built, in another thread"):
                    other.submit(use, trained).result()
                other.submit(use, copy.deepcopy(trained)).result()  # which nobody trains

    trained = model(two_topics(), callbacks=[Using()], epochs=1)
    with pytest.raises(TypeError):
        trained.train("a string")
    with ThreadPoolExecutor(1) as other:
        other.submit(use, trained).result()


def test_a_callback_may_train_the_model_that_calls_it():
    class Training(CallbackAny2Vec):
        def on_train_end(self, trained):
            trained.train(epochs=2)

    assert model(two_topics(), callbacks=[Training()]).train_count == 2


def test_an_error_of_a_later_corpus_reaches_the_caller_of_train_and_no_thread_stays():
    def breaks_off():
        yield ["a1", "a2"]
        raise RuntimeError("disk on fire")

    trained = model(two_topics(), workers=2)
    threads = active_count()
    with pytest.raises(RuntimeError, match="disk on fire"):
        trained.train(breaks_off())
    with pytest.raises(TypeError, match=r"token 1 of sentence 0 is \['a2'\] of type list"):
        trained.train([["a1", ["a2"]]])
    assert active_count() == threads


def test_an_encoded_corpus_is_taken_as_it_is():
    corpus = encode([*two_topics(), ["rare", "a0"]], min_count=2)
    built = model(corpus)
    assert (built.corpus_total_words, len(built.wv)) == (200 * 20 + 2, 20)
    np.testing.assert_array_equal(built.wv.vectors, model([*two_topics(), ["rare", "a0"]], min_count=2).wv.vectors)
    assert built.train(encode(two_topics()[:7], vocabulary=corpus.vocabulary), epochs=1) == (140, 140)
    assert built.train(encode([["a0", "new"] * 5]), epochs=1) == (5, 10)


def test_an_encoded_corpus_updates_a_model_as_its_sentences_do():
    sentences = [["a0", "new"] * 5]
    of_lists, of_ids = model(two_topics()), model(two_topics())
    of_lists.build_vocab(sentences, update=True)
    of_ids.build_vocab(encode(sentences, min_count=1), update=True)
    assert of_ids.wv.index_to_key == of_lists.wv.index_to_key
    np.testing.assert_array_equal(of_ids.wv.vectors, of_lists.wv.vectors)
    assert of_ids.train() == of_lists.train()


def test_a_part_without_words_of_an_encoded_corpus_is_refused_as_sentences_without_any_are():
    corpus, trained = encode(two_topics()), model(two_topics())
    for part in corpus.sentences(1, 1), encode([["a0"], ["new"] * 5], min_count=1).sentences(1, 2):
        with pytest.raises(ValueError, match="no word of the corpus is in the vocabulary"):
            trained.train(part)
    with pytest.raises(ValueError, match="no word of the corpus is in the vocabulary"):
        model().build_vocab(corpus.sentences(1, 1))


@pytest.mark.parametrize(("name", "value"), [("min_count", 3), ("sample", 0.1), ("trim_rule", lambda *_: 1)])
def test_what_has_no_effect_on_an_encoded_corpus_is_refused(name, value):
    with pytest.raises(ValueError, match=f"taken with all its words: {name} would have no effect"):
        model().build_vocab(encode(two_topics()), **{name: value})


def test_settings_of_the_words_of_an_encoded_corpus_are_refused_and_a_min_count_above_theirs_is_warned_about(caplog):
    corpus = encode(two_topics())
    for setting in "max_vocab_size", "max_final_vocab", "null_word":
        with pytest.raises(ValueError, match=f"{setting} would have no effect"):
            model(corpus, **{setting: 1})
    assert len(model(corpus, min_count=10_000).wv) == 20
    assert any("min_count=10000 has no effect on an EncodedCorpus" in message for message in caplog.messages)


@pytest.mark.parametrize("trainer", ["hogwild", "exact", "reference"])
def test_a_vocabulary_of_one_word_has_an_empty_tree(trainer):
    trained = model([["a"] * 9] * 9, trainer=trainer, hs=1, negative=0)
    assert trained.syn1.shape == (0, trained.vector_size)


def test_totals_that_are_not_the_corpus_s_are_warned_about(caplog):
    trained = model(two_topics())
    trained.train(total_examples=200, total_words=4000, epochs=1)
    assert not caplog.messages
    trained.train(total_examples=7, epochs=1)
    assert caplog.messages == ["total_examples=7 but it is 200: the learning rate follows the corpus"]


@pytest.mark.parametrize("trainer", ["hogwild", "exact", "reference"])
def test_every_train_call_draws_samples_of_its_own(trainer):
    trained = model(trainer=trainer)
    trained.build_vocab(two_topics(10))
    learnt = []
    for _ in range(2):
        trained.init_weights()
        trained.train(epochs=1)
        learnt.append(trained.wv.vectors.copy())
    assert not np.array_equal(*learnt)


def test_the_seed_alone_decides_whatever_pythonhashseed():
    script = (
        "import sys; from w2v import Word2Vec; s = [[f'w{i * i % 37}' for i in range(j, j + 20)] for j in range(50)];"
        "print(Word2Vec(s, min_count=1, vector_size=8, workers=1).syn1neg.tobytes().hex());"
        "assert 'gensim' not in sys.modules"  # which takes a second to import, and isn't needed to train
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1] != b""


def test_two_models_train_at_once_in_two_threads():
    alone = model(two_topics())
    together = [model() for _ in range(2)]
    threads = [Thread(target=lambda one=one: (one.build_vocab(two_topics()), one.train())) for one in together]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in together:
        np.testing.assert_array_equal(one.wv.vectors, alone.wv.vectors)


def test_settings_are_attributes_that_the_next_step_goes_by():
    trained = model(two_topics())
    for _ in range(2):
        trained.alpha -= 0.01
        trained.min_alpha = trained.alpha
        trained.train(epochs=1)
    assert trained.params.alpha == pytest.approx(0.03)
    trained.workers = 0
    with pytest.raises(ValueError, match="workers=0"):
        trained.train()


def test_rates_of_a_call_are_of_that_call_alone():
    trained = model(two_topics())
    trained.train(epochs=3, start_alpha=0.01, end_alpha=0.001)
    assert (trained.alpha, trained.min_alpha, trained.epochs) == (0.05, 0.0001, 3)


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ({"start_alpha": 0}, "start_alpha=0.0 must be above 0"),
        ({"start_alpha": "x"}, "start_alpha='x' is not a finite number"),
        ({"start_alpha": 0.005}, "min_alpha=0.01 must be from 0 to 0.005, which is start_alpha"),
        ({"end_alpha": 0.06}, "end_alpha=0.06 must be from 0 to 0.05, which is alpha"),
        ({"start_alpha": 0.02, "end_alpha": 0.03}, "end_alpha=0.03 must be from 0 to 0.02, which is start_alpha"),
    ],
)
def test_rates_of_a_call_are_refused_by_the_names_that_they_have_there(rates, message):
    trained = model(two_topics(), min_alpha=0.01)
    with pytest.raises(ValueError, match=f"^{message}$"):
        trained.train(**rates)


def test_an_update_keeps_old_rows_and_starts_new_ones():
    trained = model(two_topics(), hs=1)
    old = trained.wv.vectors.copy(), trained.syn1neg.copy()
    trained.build_vocab([["c0", "a0", "c0"]], update=True)
    assert trained.wv.index_to_key[20:] == ["c0"]
    np.testing.assert_array_equal(trained.wv.vectors[:20], old[0])
    np.testing.assert_array_equal(trained.syn1neg[:20], old[1])
    assert trained.wv.vectors[20].any() and not trained.syn1neg[20].any()
    assert trained.syn1.shape == (20, 16)
    assert trained.train(epochs=1) == (3, 3)
    assert not np.array_equal(trained.wv.vectors[:20], old[0])


def test_subsampling_after_an_update_goes_by_all_counts():
    trained = model(two_topics())
    before = trained.wv.get_vecattr("a0", "count")
    trained.build_vocab([["a0"] * 5, ["x"]], update=True)
    assert trained.wv.get_vecattr("a0", "count") == before + 5
    np.testing.assert_array_equal(
        trained.wv.expandos["sample_int"], trained._vocabulary.keep_thresholds(trained.sample)
    )


def test_an_update_keeps_the_vectors_that_the_user_put_in():
    trained = model(two_topics())
    trained.wv.vectors = np.full((20, 16), 0.5, np.float32)
    trained.build_vocab([["new"] * 5], update=True)
    np.testing.assert_array_equal(trained.wv.vectors[:20], 0.5)


def test_an_update_that_is_refused_changes_nothing():
    trained = model(two_topics())
    trained.wv.add_vectors(["mine"], np.ones((1, 16), np.float32))
    for update in (
        lambda: trained.build_vocab([["new"] * 5], update=True),
        lambda: trained.build_vocab_from_freq({"new": 5}, update=True),
    ):
        with pytest.raises(ValueError, match=r"have them in the corpus of a build_vocab\(update=True\) instead"):
            update()
        assert (trained.corpus_count, trained.raw_vocab, len(trained.wv)) == (200, None, 21)


def test_updates_without_a_word_to_keep_leave_the_model_as_it_is():
    trained = model(two_topics(), min_count=2)
    before = trained.wv.vectors.copy()
    trained.build_vocab([["rare"]], update=True)
    np.testing.assert_array_equal(trained.wv.vectors, before)
    with pytest.raises(ValueError, match="no word of the corpus is in the vocabulary"):
        trained.train([["rare"]])


def test_a_vocabulary_from_counts_trains_on_a_corpus():
    trained = model()
    trained.build_vocab_from_freq({"a": 5, "b": 7}, corpus_count=3)
    assert (trained.wv.index_to_key, trained.corpus_count) == (["b", "a"], 3)
    with pytest.raises(RuntimeError, match=r"no corpus of its own \(any more\): pass one to train"):
        trained.train()
    assert trained.train([["a", "b", "c"]], epochs=1) == (2, 3)


def test_vocabulary_steps_can_be_taken_one_by_one():
    trained = model()
    assert trained.scan_vocab([["a", "b", "a"], ["c"]]) == (4, 2)
    assert trained.raw_vocab == {"a": 2, "b": 1, "c": 1}
    report = trained.prepare_vocab(dry_run=True, min_count=2)
    assert (report["num_retained_words"], report["retain_total"], report["drop_unique"]) == (1, 2, 2)
    assert (len(trained.wv), trained.min_count) == (0, 1)
    trained.prepare_vocab(keep_raw_vocab=True)
    trained.prepare_weights()
    assert (len(trained.wv), trained.raw_vocab["a"]) == (3, 2)
    trained.prepare_vocab(min_count=2)
    trained.prepare_weights()
    assert (trained.wv.index_to_key, trained.raw_vocab) == (["a"], None)


def test_a_model_reset_from_another_shares_its_words_and_corpus():
    one, other = model(two_topics()), model(vector_size=4)
    other.reset_from(one)
    assert other.wv.index_to_key == one.wv.index_to_key
    assert other.wv.vectors.shape == (20, 4)
    other.train()
    assert neighbours_share_the_topic(other.wv)


@pytest.mark.parametrize("mode", ["skip-gram", "cbow hs"])
@pytest.mark.parametrize("trainer", ["hogwild", "exact"])
def test_locked_words_do_not_move(mode, trainer):
    trained = model(trainer=trainer, **MODES[mode])
    trained.build_vocab(two_topics())
    before = trained.wv.vectors.copy()
    trained.wv.vectors_lockf = np.ones(20, np.float32)
    trained.wv.vectors_lockf[3] = 0
    trained.train()
    moved = (trained.wv.vectors != before).any(axis=1)
    assert moved.tolist() == [row != 3 for row in range(20)]
    trained.build_vocab([["new"]], update=True)
    with pytest.raises(ValueError, match=r"vectors_lockf has shape \(20,\): give one factor, or one for each of 21"):
        trained.train()


def test_vectors_that_the_user_puts_in_are_trained_on():
    trained = model()
    trained.build_vocab(two_topics())
    mine = np.full((20, 16), 0.5, np.float32)
    trained.wv.vectors = mine
    trained.train(epochs=1, start_alpha=1e-6, end_alpha=1e-6)
    np.testing.assert_allclose(trained.wv.vectors, mine, atol=1e-3)
    trained.wv["a0"] = np.full(16, 2.0)
    trained.syn1neg = np.zeros((20, 16))
    trained.train(epochs=1, start_alpha=1e-6, end_alpha=1e-6)
    np.testing.assert_allclose(trained.wv["a0"], 2, atol=1e-3)


def test_tables_that_do_not_fit_the_settings_are_refused():
    trained = model(two_topics())
    trained.hs = 1
    with pytest.raises(ValueError, match=r"syn1 is missing where hs=1.* call init_weights\(\) to start anew"):
        trained.train()
    trained.init_weights()
    trained.train()
    trained.vector_size = 8
    with pytest.raises(ValueError, match=r"syn0 is of shape \(20, 16\) where .*vector_size=8 need \(20, 8\)"):
        trained.train()


def test_a_model_without_words_is_empty():
    untrained = model()
    assert len(untrained.wv) == untrained.corpus_count == 0
    assert untrained.syn1neg is untrained.cum_table is untrained.raw_vocab is None
    assert untrained.epoch_losses == []
    assert str(untrained) == "Word2Vec<vocab=0, vector_size=16, alpha=0.05>"
    assert str(type("Mine", (Word2Vec,), {})()) == "Mine<vocab=0, vector_size=100, alpha=0.025>"


def test_the_corpus_of_a_model_may_be_a_one_shot_generator_that_it_forgets_when_copied():
    trained = model(sentence for sentence in two_topics())
    pickle.loads(pickle.dumps(trained)).train(epochs=1)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"hs": 0, "negative": 0}, ValueError, r"negative=0 must be 1 or more, or hs=1"),
        ({"max_vocab_size": 0}, ValueError, r"max_vocab_size=0 must be a whole number from 1"),
        ({"trim_rule": "x"}, TypeError, r"trim_rule='x' can't be called"),
        ({"sizes": 3}, TypeError, r"Word2Vec\(\) has no argument sizes="),
        ({"vectorsize": 3}, TypeError, r"no argument vectorsize=: did you mean vector_size=\?"),
        ({"trainer": "hogwld"}, ValueError, r"no trainer is called 'hogwld': did you mean 'hogwild'\?"),
        ({"trainer": "xyz"}, ValueError, r"'xyz': choose from hogwild, .*reference"),
        ({"trainer": None}, ValueError, r"no trainer is called None: choose from"),
        ({"sorted_vocab": "no"}, ValueError, r"sorted_vocab='no' is neither True nor False"),
        ({"null_word": 2}, ValueError, r"null_word=2 is neither True nor False"),
        ({"hashfxn": 5}, TypeError, r"hashfxn=5 can't be called with a string"),
        ({"callbacks": 5}, TypeError, r"callbacks=5 must be a list of objects like gensim's CallbackAny2Vec"),
        ({"callbacks": "mine"}, TypeError, r"callbacks='mine' must be a list"),
        (
            {"callbacks": [5], "corpus_file": "absent.txt"},
            TypeError,
            r"the callback 5 has no on_train_begin\(\): derive",
        ),
        ({"comm": 4}, TypeError, r"comm=4 is no communicator: pass mpi4py\.MPI\.COMM_WORLD"),
        ({"corpus_file": [["a"]]}, TypeError, r"corpus_file=\[\['a'\]\] is no path: token lists are passed without"),
        ({"workers": 0}, ValueError, r"workers=0 must be from 1"),
        ({"sentences": "text8"}, TypeError, r"the corpus is the string 'text8': for a file, pass corpus_file="),
        ({"sentences": ["the cat"]}, TypeError, r"sentence 0 is the string 'the cat', not a list of tokens"),
        ({"sentences": [["a"]], "corpus_file": "b"}, TypeError, r"one of the two"),
        ({"sentences": [["a"]], "min_count": 2}, ValueError, r"1 distinct word seen, highest count 1 < min_count 2"),
        ({"corpus_file": "absent.txt"}, FileNotFoundError, r"no such file: 'absent\.txt'"),
    ],
)
def test_what_cannot_be_trained_is_refused_with_the_cure(arguments, error, message):
    with pytest.raises(error, match=message):
        model(**arguments)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda one: one.build_vocab_from_freq([("a", 5)]), TypeError, r"the counts are \[\('a', 5\)\], not a dict"),
        (
            lambda one: one.build_vocab_from_freq({"a": 5}, corpus_count=-1),
            ValueError,
            r"corpus_count=-1 must be a whole",
        ),
        (lambda one: one.scan_vocab(two_topics(), workers=0), ValueError, r"workers=0 must be from 1"),
        (lambda one: one.estimate_memory(2.5), ValueError, r"vocab_size=2\.5 must be a whole number from 0"),
        (lambda one: one.make_cum_table(0), ValueError, r"domain=0 must be a whole number from 1"),
        (lambda one: one.reset_from(gensim.models.Word2Vec()), TypeError, r"is no w2v\.Word2Vec: of gensim's model"),
        (lambda one: setattr(one, "syn1neg", [1, 2]), ValueError, r"weights of shape \(2,\) are no rows of numbers"),
        (lambda one: one.train(checkpoint=5), TypeError, r"5 is no path: name a file"),
        (lambda one: one.train(callbacks=Interrupting()), TypeError, r"callbacks=<.*> must be a list of objects like"),
    ],
)
def test_a_methods_bad_argument_is_named(call, error, message):
    built = model()
    built.build_vocab(two_topics())
    with pytest.raises(error, match=message):
        call(built)


def test_a_text_of_a_single_word_is_trained_and_warned_about(caplog):
    Word2Vec([["a"] * 9, ["b"]], min_count=5, vector_size=4, workers=1)
    (message,) = caplog.messages
    assert message.startswith("'a' is the only word, with none to tell it from: do blanks divide words?")


def test_a_model_without_a_corpus_says_what_to_do():
    with pytest.raises(RuntimeError, match=r"call build_vocab\(\) first"):
        model().train()


def test_wide_windows_stay_stable():
    letters = [[chr(97 + code) for code in np.random.default_rng(0).integers(0, 26, 2000)]]
    model = Word2Vec(letters, sg=1, vector_size=16, window=200, min_count=1, workers=1)
    assert np.abs(model.wv.vectors).max() < 10


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_trains_on_its_own(copied):
    model = Word2Vec([["a", "b", "c"] * 5] * 20, sg=1, vector_size=20, min_count=1, workers=1)
    vectors = model.wv.vectors.copy()
    other = copied(model)
    other.train()
    np.testing.assert_array_equal(model.wv.vectors, vectors)
    assert not np.array_equal(other.wv.vectors, vectors)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_has_the_vectors_that_the_user_put_in(copied):
    trained = model(two_topics())
    trained.wv.vectors = np.full((20, 16), 0.5, np.float32)
    other = copied(trained)
    np.testing.assert_array_equal(other.wv.vectors, 0.5)
    trained.wv.vectors = np.zeros((20, 16), np.float32)
    other.train()
    np.testing.assert_array_equal(trained.wv.vectors, 0)


@pytest.mark.parametrize("copied", [copy.deepcopy, pickle.dumps])
def test_a_copy_never_gives_words_the_vectors_of_others(copied):
    unsorted = Word2Vec([["a"], ["b", "b"], ["c"] * 3], min_count=1, sorted_vocab=0, vector_size=4, workers=1)
    unsorted.wv.sort_by_descending_frequency()
    with pytest.raises(ValueError, match="in another order than those of the vocabulary"):
        copied(unsorted)


@pytest.mark.parametrize("trainer", ["hogwild", "exact", "numba", "reference"])
@pytest.mark.parametrize(("off", "still"), [("hs", "syn1"), ("negative", "syn1neg")])
def test_a_head_that_is_switched_off_trains_no_more(trainer, off, still):
    trained = model(two_topics(), hs=1, epochs=1, trainer=trainer)
    vectors, rows = trained.wv.vectors.copy(), getattr(trained, still).copy()
    setattr(trained, off, 0)
    trained.train()
    np.testing.assert_array_equal(getattr(trained, still), rows)
    assert not np.array_equal(trained.wv.vectors, vectors)


def test_words_without_output_rows_are_neither_trained_nor_saved_with_the_model(tmp_path):
    model = Word2Vec([["a", "b", "c"] * 5] * 20, sg=1, vector_size=20, min_count=1, workers=1)
    model.wv.add_vectors(["d"], np.ones((1, 20), np.float32))
    for refused in model.train, lambda: model.save(tmp_path / "model"):
        with pytest.raises(ValueError, match=r"train and save the model first and add them then, for wv\.save\(\)"):
            refused()


def test_keys_that_were_sorted_after_building_are_not_trained_on():
    model = Word2Vec([["a"], ["b", "b"], ["c"] * 3], min_count=1, sorted_vocab=0, vector_size=4, workers=1)
    model.wv.sort_by_descending_frequency()
    with pytest.raises(ValueError, match="in another order than those of the vocabulary"):
        model.train()


class Interrupting(CallbackAny2Vec):
    """Ctrl-C at the end of the second epoch."""

    epochs = 0

    def on_epoch_end(self, model):
        self.epochs += 1
        if self.epochs == 2:
            raise KeyboardInterrupt


def test_the_same_call_goes_on_after_ctrl_c_with_the_losses_so_far(tmp_path, caplog):
    trained, straight = model(compute_loss=True), model(two_topics(), compute_loss=True)
    trained.build_vocab(two_topics())
    with pytest.raises(KeyboardInterrupt):
        trained.train(checkpoint=tmp_path / "run", callbacks=[Interrupting()])
    trained.train(checkpoint=tmp_path / "run")
    assert not caplog.messages
    np.testing.assert_array_equal(trained.wv.vectors, straight.wv.vectors)
    assert trained.epoch_losses == straight.epoch_losses
    assert trained.train_count == 1


def test_a_finished_run_comes_back_with_its_losses_and_a_warning(tmp_path, caplog):
    first, second = model(compute_loss=True), model(compute_loss=True)
    for each in first, second:
        assert not caplog.messages
        each.build_vocab(two_topics())
        each.train(checkpoint=tmp_path / "run")
    assert caplog.messages == [f"all 8 epochs are trained already: remove {tmp_path / 'run'} to train anew"]
    assert second.epoch_losses == first.epoch_losses
    assert second.get_latest_training_loss() == first.get_latest_training_loss() > 0
    assert second.running_training_loss == first.running_training_loss


def test_norms_follow_the_weights_of_a_checkpoint_before_any_callback(tmp_path):
    class Looking(CallbackAny2Vec):
        def on_train_begin(self, model):
            assert np.linalg.norm(model.wv.get_vector("a0", norm=True)) == pytest.approx(1)

    for _ in range(2):
        trained = model(epochs=1)
        trained.build_vocab(two_topics())
        trained.wv.fill_norms()  # of the start weights
        trained.train(checkpoint=tmp_path / "run", callbacks=[Looking()])


def test_a_checkpoint_of_later_epochs_alone_is_warned_about(tmp_path, caplog):
    trained = model()
    trained.build_vocab(two_topics())
    trained.train(checkpoint=tmp_path / "first")
    assert not caplog.messages
    trained.train(checkpoint=tmp_path / "second", epochs=2)
    (message,) = caplog.messages
    assert message.startswith(f"this model has been trained before: {tmp_path / 'second'} is a checkpoint of 2 more")
