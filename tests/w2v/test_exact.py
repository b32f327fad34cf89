"""The exact trainer against gensim itself: same seed, one worker, same vectors, in every mode.

What may differ is the last bits of a dot product, which BLAS sums in an order of its own. The table of sigmoids, 83
points a unit, swallows that, unless the dot product falls just on the other side of a point: then a step is off by at
most alpha / 4 / 83 = 7.5e-5 times the other row, whose entries stay below 2 here. Such slips are rare and don't grow
by themselves, so the bounds are a few of them for the worst entry, a tenth of one for the mean, times the epochs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest
from gensim.models import Word2Vec
from gensim.models.word2vec import LineSentence
from gensim.test.utils import datapath

from w2v.corpus import EncodedCorpus
from w2v.driver import Summary, train
from w2v.params import Params
from w2v.tables import initial_syn0, new_table, padded
from w2v.trainers import Task
from w2v.trainers.exact import Exact, usable_isas
from w2v.weights import Weights

WORST_PER_EPOCH = 2e-4
MEAN_PER_EPOCH = 1e-5

NEWS, WIKIPEDIA = "lee_background.cor", "head500.noblanks.cor"
FEW_WORDS = "few words"

MODES = {
    f"{architecture}, {heads}": {**one, **other}
    for architecture, one in {
        "skip-gram": {"sg": 1},
        "CBOW of the mean": {"sg": 0, "cbow_mean": 1},
        "CBOW of the sum": {"sg": 0, "cbow_mean": 0},
    }.items()
    for heads, other in {
        "negative sampling": {},
        "hierarchical softmax": {"hs": 1, "negative": 0},
        "both heads": {"hs": 1},
    }.items()
}

SETTINGS = {
    "5 columns": {"vector_size": 5},
    "16 columns": {"vector_size": 16},
    "300 columns": {"vector_size": 300},
    "narrow window": {"window": 1},
    "wide window": {"window": 12},
    "full windows": {"shrink_windows": False},
    "1 negative": {"negative": 1},
    "20 negatives": {"negative": 20},
    "no subsampling": {"sample": 0.0},
    "strong subsampling": {"sample": 1e-5},
    "subsampling by count": {"sample": 100.0},
    "uniform noise": {"ns_exponent": 0.0},
    "rare words as noise": {"ns_exponent": -0.5},
    "noise of a few words": {"ns_exponent": 4.0},
    "all words": {"min_count": 1},
    "another seed": {"seed": 7},
    "neither noise nor subsampling": {"hs": 1, "negative": 0, "sample": 0.0},
}


@cache
def sentences(corpus: str) -> list[list[str]]:
    if corpus == FEW_WORDS:
        return [["a", "b", "a", "c", "b", "a", "a"] * 20, ["b"], ["c", "a"] * 50]
    return list(islice(LineSentence(datapath(corpus)), 100))


@cache
def encoded(corpus: str, min_count: int) -> EncodedCorpus:
    return EncodedCorpus.from_sentences(sentences(corpus), min_count)


@cache
def gensim_model(corpus: str, params: Params) -> tuple[Word2Vec, int]:
    """gensim's model after training, and the words that it kept."""
    model = Word2Vec(**{name: getattr(params, name) for name in Params.__dataclass_fields__})
    model.build_vocab(sentences(corpus))
    kept_words, _ = model.train(
        sentences(corpus),
        total_examples=model.corpus_count,
        epochs=model.epochs,
        compute_loss=params.compute_loss,
    )
    return model, kept_words


def task_for(corpus: str, params: Params) -> Task:
    encoding = encoded(corpus, params.min_count)
    return Task(encoding, params, **vars(Weights.initial(len(encoding.vocabulary), params)))


def exact_run(corpus: str, params: Params, isa: str | None = None) -> tuple[Task, Exact, Summary]:
    task = task_for(corpus, params)
    trainer = Exact(task, isa)
    return task, trainer, train(trainer, task)


def assert_same_weights(task: Task, model: Word2Vec) -> None:
    epochs = task.params.epochs
    for ours, theirs in (
        (task.syn0, model.wv.vectors),
        (task.syn1neg, getattr(model, "syn1neg", None)),
        (task.syn1, model.syn1[:-1] if task.params.hs else None),  # gensim's last row belongs to no node
    ):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            difference = np.abs(ours - theirs)
            assert difference.max() < WORST_PER_EPOCH * epochs
            assert np.sqrt(np.mean(difference**2, dtype=np.float64)) < MEAN_PER_EPOCH * epochs


@pytest.mark.parametrize(("epochs", "isa"), [(5, None), *((1, isa) for isa in usable_isas())])
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_every_mode_gives_gensims_vectors(mode: dict, epochs: int, isa: str | None) -> None:
    params = Params(workers=1, epochs=epochs, vector_size=40, **mode)
    model, kept_words = gensim_model(NEWS, params)
    task, _, summary = exact_run(NEWS, params, isa)
    assert summary.trained.kept_words == kept_words
    assert_same_weights(task, model)


@pytest.mark.parametrize("isa", usable_isas())
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_every_setting_gives_gensims_vectors(settings: dict, isa: str) -> None:
    params = Params(workers=1, **{"epochs": 1, "sg": 1, **settings})
    model, kept_words = gensim_model(NEWS, params)
    task, _, summary = exact_run(NEWS, params, isa)
    assert task.corpus.vocabulary.words == model.wv.index_to_key
    assert summary.trained.kept_words == kept_words
    assert_same_weights(task, model)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_lock_factors_are_gensims(mode: dict) -> None:
    params = Params(workers=1, epochs=1, vector_size=20, **mode)
    model = Word2Vec(**{name: getattr(params, name) for name in Params.__dataclass_fields__})
    model.build_vocab(sentences(NEWS))
    model.wv.vectors_lockf = np.random.default_rng(1).choice([0, 0.5, 1], len(model.wv)).astype(np.float32)
    model.train(sentences(NEWS), total_examples=model.corpus_count, epochs=1)
    task = replace(task_for(NEWS, params), lockf=model.wv.vectors_lockf)
    train(Exact(task), task)
    assert_same_weights(task, model)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_loss_is_near_gensims_and_of_every_example(mode: dict) -> None:
    # gensim's table of losses is coarse: it takes each score a little too low, and those beyond 6 not at all.
    params = Params(workers=1, epochs=1, compute_loss=True, **mode)
    model, _ = gensim_model(NEWS, params)
    _, _, summary = exact_run(NEWS, params)
    assert summary.trained.loss == pytest.approx(model.running_training_loss, rel=0.03)
    contexts = {1: 2 * 0.5 * (1 + params.window), 0: 1}[params.sg]
    assert summary.trained.examples == pytest.approx(contexts * summary.trained.kept_words, rel=0.05)


@pytest.mark.parametrize("isa", usable_isas())
def test_longer_sentences_of_another_corpus_give_gensims_vectors(isa: str) -> None:
    params = Params(workers=1, epochs=1)
    model, _ = gensim_model(WIKIPEDIA, params)
    task, _, _ = exact_run(WIKIPEDIA, params, isa)
    assert_same_weights(task, model)


@pytest.mark.parametrize("isa", usable_isas())
@pytest.mark.parametrize("negative", [1, 5, 20])
def test_negatives_that_repeat_are_trained_one_after_the_other(negative: int, isa: str) -> None:
    params = Params(sg=1, workers=1, epochs=1, negative=negative, vector_size=20, min_count=1, sample=0)
    model, _ = gensim_model(FEW_WORDS, params)
    task, _, _ = exact_run(FEW_WORDS, params, isa)
    assert_same_weights(task, model)


def test_the_bounds_tell_another_seed_apart() -> None:
    model, _ = gensim_model(NEWS, Params(workers=1, epochs=1))
    task, _, _ = exact_run(NEWS, Params(workers=1, epochs=1, seed=2))
    with pytest.raises(AssertionError):
        assert_same_weights(task, model)


@pytest.mark.parametrize("settings", [{"sg": 1}, {"sg": 0}, {"hs": 1, "negative": 0, "sample": 0.0}])
def test_the_random_stream_ends_where_gensims_does(settings: dict) -> None:
    params = Params(workers=1, epochs=2, vector_size=20, **settings)
    model, _ = gensim_model(NEWS, params)
    _, trainer, _ = exact_run(NEWS, params)
    np.testing.assert_equal(trainer._random.get_state(), model.random.get_state())


def test_the_padding_of_the_rows_stays_zero() -> None:
    task, _, _ = exact_run(NEWS, Params(workers=1, epochs=1, vector_size=20, hs=1))
    for table in task.syn0, task.syn1neg, task.syn1:
        assert padded(table).shape[1] == 32
        assert not padded(table)[:, 20:].any()


def test_a_chunk_whose_words_are_all_dropped_trains_nothing() -> None:
    encoding = EncodedCorpus.from_sentences([["a", "a"], [], ["b"], ["rare"]], min_count=2)
    task = Task(encoding, Params(workers=1), initial_syn0(1, 100, 1), new_table(1, 100))
    assert Exact(task).train_chunk(1, 4, alpha=0.025, seed=0) == (0, 0, 0)
    assert not task.syn1neg.any()


def test_several_workers_train_every_word_and_as_well() -> None:
    alone, _, _ = exact_run(NEWS, Params(sg=1, workers=1, sample=0))
    together, _, summary = exact_run(NEWS, Params(sg=1, workers=4, sample=0))
    assert summary.trained.kept_words == together.params.epochs * len(together.corpus.ids)
    untrained = initial_syn0(len(together.syn0), 100, together.params.seed)
    assert (together.syn0 != untrained).any(axis=1).all()
    assert loss(together) == pytest.approx(loss(alone), rel=0.03)


def loss(task: Task) -> float:
    """Mean negative-sampling loss of neighbouring words, against as many random words."""
    ids, rng = task.corpus.ids, np.random.default_rng(0)
    noise = rng.choice(len(task.syn0), len(ids) - 1, p=task.corpus.vocabulary.noise_probabilities(0.75))
    positive = np.einsum("nd,nd->n", task.syn0[ids[1:]], task.syn1neg[ids[:-1]], dtype=np.float64)
    negative = np.einsum("nd,nd->n", task.syn0[ids[1:]], task.syn1neg[noise], dtype=np.float64)
    return float(np.mean(np.logaddexp(0, -positive) + np.logaddexp(0, negative)))


def test_an_instruction_set_that_cannot_run_is_refused_with_the_choice() -> None:
    task = Task(encoded(NEWS, 5), Params(), new_table(1, 1), new_table(1, 1))
    with pytest.raises(ValueError, match=r"isa='sse9' can't run on this processor: choose from .*baseline"):
        Exact(task, isa="sse9")
