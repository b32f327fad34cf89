"""Names, defaults and behaviour that gensim's users rely on, against the installed gensim."""

from __future__ import annotations

import inspect

import gensim
import numpy as np
import pytest
from gensim.models.callbacks import CallbackAny2Vec
from gensim.models.word2vec import LineSentence
from gensim.test.utils import datapath

from w2v import Word2Vec

SENTENCES = list(LineSentence(datapath("lee_background.cor")))[:60]
DIFFERENT = "total_train_time", "raw_vocab", "min_alpha_yet_reached"
METHODS = sorted(name for name, _ in inspect.getmembers(gensim.models.Word2Vec, callable) if not name.startswith("_"))


def parameters(function) -> dict:
    """Names and defaults, without those that only catch others."""
    catching = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    found = inspect.signature(function).parameters.values()
    return {parameter.name: parameter.default for parameter in found if parameter.kind not in catching}


def trained(**settings) -> Word2Vec:
    return Word2Vec(SENTENCES, **{"vector_size": 8, "workers": 1, "epochs": 2, **settings})


@pytest.mark.parametrize("name", ["__init__", *METHODS])
def test_every_method_takes_gensims_arguments(name):
    theirs = parameters(getattr(gensim.models.Word2Vec, name))
    ours = parameters(getattr(Word2Vec, name))
    assert theirs.items() <= ours.items()
    assert list(ours)[: len(theirs)] == list(theirs) or name == "load"


def test_saving_takes_the_arguments_of_gensims_base_class():
    assert parameters(Word2Vec.save) == parameters(gensim.utils.SaveLoad.save)
    assert parameters(gensim.utils.SaveLoad.load).items() <= parameters(Word2Vec.load).items()


def test_attributes_are_gensims():
    theirs = gensim.models.Word2Vec(SENTENCES, vector_size=8, workers=1, epochs=2, hs=1)
    ours = trained(hs=1)
    for name, value in vars(theirs).items():
        mine = getattr(ours, name)
        if isinstance(value, (int, float, str, tuple, type(None))) and name not in DIFFERENT:
            assert mine == pytest.approx(value, rel=0.01) if isinstance(value, float) else mine == value, name
    np.testing.assert_array_equal(ours.cum_table, theirs.cum_table)
    assert ours.layer1_size == theirs.layer1_size
    assert ours.wv.index_to_key == theirs.wv.index_to_key
    for name in "count", "sample_int":
        np.testing.assert_array_equal(ours.wv.expandos[name], theirs.wv.expandos[name])


def test_the_tree_of_words_is_gensims():
    theirs = gensim.models.Word2Vec(SENTENCES, vector_size=1, hs=1, negative=0, epochs=1)
    ours = trained(hs=1, negative=0)
    ours.create_binary_tree()
    for word in theirs.wv.index_to_key:
        for name in "code", "point":
            mine, his = ours.wv.get_vecattr(word, name), theirs.wv.get_vecattr(word, name)
            np.testing.assert_array_equal(mine, his)
            assert mine.dtype == his.dtype


class Recorder(CallbackAny2Vec):
    def __init__(self):
        self.events = []

    def on_train_begin(self, model):
        self.events.append("train begins")

    def on_epoch_begin(self, model):
        self.events.append("epoch begins")
        model.wv.get_vector(0, norm=True)  # fills in norms that the epoch makes stale

    def on_epoch_end(self, model):
        norm = np.linalg.norm(model.wv.get_vector(0, norm=True))
        self.events.append((model.get_latest_training_loss(), norm))

    def on_train_end(self, model):
        self.events.append("train ends")


def test_callbacks_are_told_of_every_step_with_the_loss_and_fresh_norms():
    recorder = Recorder()
    model = trained(callbacks=[recorder], compute_loss=True, sg=1, epochs=3)
    begin, *epochs, end = recorder.events
    assert (begin, end, epochs[::2]) == ("train begins", "train ends", ["epoch begins"] * 3)
    losses, norms = zip(*epochs[1::2], strict=True)
    assert list(losses) == model.epoch_losses == sorted(losses, reverse=True)
    assert norms == pytest.approx([1, 1, 1])


def test_callbacks_save_the_model_and_look_at_it_while_it_trains(tmp_path):
    class Saver(CallbackAny2Vec):
        def on_epoch_end(self, model):
            model.save(tmp_path / "model")
            model.wv.most_similar("the")

    model = trained(callbacks=[Saver()])
    np.testing.assert_array_equal(Word2Vec.load(tmp_path / "model").wv.vectors, model.wv.vectors)


def test_an_error_in_a_callback_reaches_the_caller():
    class Failing(CallbackAny2Vec):
        def on_epoch_end(self, model):
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        trained(callbacks=[Failing()])


@pytest.mark.parametrize(
    "swap",
    [
        lambda model: setattr(model.wv, "vectors", model.wv.vectors.copy()),
        lambda model: model.build_vocab([["new"] * 5], update=True),
    ],
    ids=["other vectors", "other vocabulary"],
)
def test_a_callback_may_not_swap_what_is_trained(swap):
    class Swapping(CallbackAny2Vec):
        def on_epoch_end(self, model):
            swap(model)

    with pytest.raises(RuntimeError, match=r"change them where they are, as in model\.wv\.vectors\[:\] ="):
        trained(callbacks=[Swapping()])


def test_a_callback_without_a_method_is_refused_at_once():
    with pytest.raises(TypeError, match=r"has no on_train_begin\(\): derive it from gensim"):
        trained(callbacks=[object()])


def test_callbacks_for_a_model_without_a_corpus_are_warned_about(caplog):
    Word2Vec(callbacks=[Recorder()])
    assert caplog.messages == ["callbacks are not kept by a model without a corpus: pass them to train()"]


@pytest.mark.parametrize("mode", [{"sg": 1}, {"sg": 0}, {"sg": 1, "hs": 1, "negative": 0}])
@pytest.mark.parametrize("trainer", ["hogwild", "exact"])
def test_the_loss_is_a_mean_that_workers_do_not_change(mode, trainer):
    alone, *others = (
        trained(compute_loss=True, trainer=trainer, workers=workers, **mode).epoch_losses for workers in (1, 4, 16)
    )
    assert all(isinstance(loss, float) for loss in alone)
    for losses in others:
        assert losses == pytest.approx(alone, rel=0.05)


def test_the_running_loss_is_gensims_sum():
    theirs = gensim.models.Word2Vec(SENTENCES, vector_size=8, workers=1, epochs=2, sg=1, compute_loss=True)
    ours = trained(sg=1, compute_loss=True, trainer="exact")
    assert ours.running_training_loss == pytest.approx(theirs.get_latest_training_loss(), rel=0.05)


def test_a_later_run_has_a_loss_of_its_own_and_one_without_has_none():
    model = trained(sg=1)
    assert (model.get_latest_training_loss(), model.epoch_losses) == (0.0, [])
    model.train(epochs=2, compute_loss=True)
    first = model.running_training_loss
    model.train(epochs=2, compute_loss=True)
    assert len(model.epoch_losses) == 2
    assert 0 < model.running_training_loss < first


def test_a_call_may_have_a_smaller_rate_than_min_alphas_default():
    model = trained()
    model.train(start_alpha=1e-5)
    assert (model.min_alpha, model.min_alpha_yet_reached) == (0.0001, 1e-5)


def test_an_epoch_that_trains_nothing_has_a_loss_all_the_same():
    model = Word2Vec([["a"]] * 3, min_count=1, vector_size=8, workers=1, epochs=3, compute_loss=True)
    assert len(model.epoch_losses) == 3
    assert np.isnan(model.epoch_losses).all()


@pytest.mark.parametrize(("old", "new"), [("size", "vector_size"), ("iter", "epochs")])
def test_arguments_of_gensim_3_are_refused_with_the_new_name(old, new):
    with pytest.raises(TypeError, match=rf"{old}= is called {new}= here"):
        Word2Vec(**{old: 5})


@pytest.mark.parametrize("method", ["build_vocab", "train"])
def test_sentences_is_the_constructors_name_alone(method):
    with pytest.raises(TypeError, match=r"\(\): sentences= is called corpus_iterable= here"):
        getattr(trained(), method)(sentences=SENTENCES)
    with pytest.raises(TypeError, match=r"Word2Vec\(\): corpus_iterable= is called sentences= here"):
        Word2Vec(corpus_iterable=SENTENCES)


@pytest.mark.parametrize("name", ["size", "iter"])
def test_no_name_is_hinted_at_that_the_method_lacks(name):
    with pytest.raises(TypeError, match=rf"build_vocab\(\) has no argument {name}=$"):
        Word2Vec().build_vocab(SENTENCES, **{name: 5})


@pytest.mark.parametrize(
    ("attribute", "new"),
    [
        ("iter", "epochs"),
        ("most_similar", r"wv\.most_similar"),
        ("syn0", r"wv\.vectors"),
        ("wv.vocab", "key_to_index"),
        ("wv.index2word", "index_to_key"),
        ("wv.syn0", "vectors"),
        ("wv.syn0norm", "get_normed_vectors"),
    ],
)
def test_attributes_of_gensim_3_are_refused_with_the_new_name(attribute, new):
    found = model = trained(epochs=1)
    *path, last = attribute.split(".")
    for name in path:
        found = getattr(found, name)
    with pytest.raises(AttributeError, match=rf"{last} was gensim 3's name: it is {new}"):
        getattr(found, last)
    assert not hasattr(model, "nonsense")


def test_a_model_has_no_items():
    with pytest.raises(TypeError, match=r"model\.wv\[\.\.\.\]"):
        trained(epochs=1)["the"]


def test_deprecated_methods_still_work():
    model = trained(epochs=1)
    with pytest.warns(DeprecationWarning):
        model.init_sims(replace=True)
    np.testing.assert_allclose(np.linalg.norm(model.wv.vectors, axis=1), 1, rtol=1e-6)
    assert model.seeded_vector("word", 7).shape == (7,)


def test_memory_is_estimated_under_gensims_names():
    theirs = gensim.models.Word2Vec(vector_size=32, hs=1).estimate_memory(vocab_size=1000)
    ours = Word2Vec(vector_size=32, hs=1).estimate_memory(vocab_size=1000)
    assert theirs.keys() <= ours.keys()
    assert ours["total"] == sum(bytes_ for name, bytes_ in ours.items() if name != "total")
    assert ours["vectors"] == theirs["vectors"]


def test_events_are_noted_unless_told_not_to():
    model = trained(epochs=1)
    assert [event["event"] for event in model.lifecycle_events] == ["created", "build_vocab", "train"]
    model.lifecycle_events = None
    model.add_lifecycle_event("mine", remark="not kept")
    assert model.lifecycle_events is None
