"""Word2Vec as a user of gensim calls it."""

import copy
import pickle

import numpy as np
import pytest
from gensim.models import KeyedVectors

from w2v import Word2Vec


def two_topics(sentences: int = 200, length: int = 20) -> list[list[str]]:
    """Sentences of the words a0 to a9 and sentences of b0 to b9: a word's neighbours have its letter."""
    rng = np.random.default_rng(1)
    return [["ab"[i % 2] + str(word) for word in rng.integers(0, 10, length)] for i in range(sentences)]


def model(sentences=None, **settings) -> Word2Vec:
    small = {"sg": 1, "vector_size": 16, "min_count": 1, "workers": 1, "sample": 0.0, "alpha": 0.05, "epochs": 8}
    return Word2Vec(sentences, **{**small, **settings})


def neighbours_share_the_topic(vectors: KeyedVectors) -> bool:
    return all(near[0] == word[0] for word in vectors.index_to_key for near, _ in vectors.most_similar(word, topn=5))


@pytest.mark.parametrize(
    ("trainer", "workers"), [("hogwild", 1), ("hogwild", 2), ("exact", 1), ("exact", 2), ("reference", 1)]
)
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


def stop(*_):
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


@pytest.mark.parametrize("corpus", [two_topics(), np.zeros((3, 4), int)], ids=["lists", "array"])
def test_training_on_another_corpus_is_refused(corpus):
    trained = model(corpus)
    for other in {"corpus_iterable": [["x"]]}, {"corpus_file": "other.txt"}:
        with pytest.raises(ValueError, match=r"another corpus than build_vocab\(\): build a model for that one"):
            trained.train(**other)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"sg": 0}, ValueError, r"sg=0: only skip-gram is trained here, pass sg=1"),
        ({"trainer": "hogwld"}, ValueError, r"no trainer is called 'hogwld': did you mean 'hogwild'\?"),
        ({"trainer": "xyz"}, ValueError, r"'xyz': choose from hogwild, exact, reference"),
        ({"workers": 0}, ValueError, r"workers=0 must be from 1"),
        ({"sentences": "text8"}, TypeError, r"the corpus is the string 'text8': for a file, pass corpus_file="),
        ({"sentences": ["the cat"]}, TypeError, r"sentence 0 is the string 'the cat', not a list of tokens"),
        ({"sentences": [["a"]], "corpus_file": "b"}, ValueError, r"one of the two"),
        ({"sentences": [["a"]], "min_count": 2}, ValueError, r"1 type seen, highest count 1 < min_count 2"),
        ({"corpus_file": "absent.txt"}, FileNotFoundError, r"no such file: 'absent\.txt'"),
    ],
)
def test_what_cannot_be_trained_is_refused_with_the_cure(arguments, error, message):
    with pytest.raises(error, match=message):
        model(**arguments)


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


def test_training_that_would_not_reach_the_vectors_is_refused():
    model = Word2Vec([["a", "b", "c"] * 5] * 20, sg=1, vector_size=20, min_count=1, workers=1)
    model.wv.add_vectors(["d"], np.ones((1, 20), np.float32))
    with pytest.raises(ValueError, match="train first"):
        model.train()


def test_an_argument_of_gensims_that_is_not_here_is_refused_by_name():
    with pytest.raises(TypeError, match="not among this Word2Vec's arguments yet: hs"):
        Word2Vec(sg=1, hs=1)
