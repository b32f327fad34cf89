"""The Numba loops against the NumPy reference on the same samples, and their sampling against theory."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from injected import assert_same_weights, samples, task, trained_by_reference

import w2v
from w2v import Word2Vec
from w2v.driver import train
from w2v.trainers import Task
from w2v.trainers.alias import alias_slots
from w2v.trainers.grouping import MOST_IN_GROUP
from w2v.trainers.numba_ import Numba
from w2v.trainers.numba_.sampler import draw_negatives, draw_windows

ARCHITECTURES = {"skip-gram": {"sg": 1}, "CBOW of the mean": {"sg": 0}, "CBOW of the sum": {"sg": 0, "cbow_mean": 0}}
HEADS = {"negative": {}, "hierarchical": {"hs": 1, "negative": 0}, "both": {"hs": 1}}


def assert_trains_like_the_reference(task: Task, group: int = MOST_IN_GROUP) -> None:
    windows = samples(task, group=group)
    expected = trained_by_reference(task, windows, 0.05, group)
    did = Numba(task, group).worker(0).train_windows(windows, 0.05)
    assert_same_weights(task, did, *expected)


@pytest.mark.parametrize("heads", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("architecture", ARCHITECTURES.values(), ids=ARCHITECTURES)
def test_every_mode_gives_the_reference_weights_and_loss(architecture, heads):
    assert_trains_like_the_reference(task(**architecture, **heads))


@pytest.mark.parametrize("sg", [0, 1])
@pytest.mark.parametrize(
    "settings",
    [
        {"vector_size": 1},
        {"vector_size": 100},
        {"negative": 1},
        {"negative": 13},
        {"window": 1},
        {"window": 20},
        {"words": 3},
    ],
    ids=str,
)
def test_every_shape_gives_the_reference_weights(settings, sg):
    assert_trains_like_the_reference(task(sg=sg, **settings))


@pytest.mark.parametrize("sg", [0, 1])
def test_lock_factors_give_the_reference_weights(sg):
    free = task(sg=sg)
    factors = np.random.default_rng(1).choice([0, 0.5, 1], len(free.syn0)).astype(np.float32)
    assert_trains_like_the_reference(replace(free, lockf=factors))


@pytest.mark.parametrize("architecture", ARCHITECTURES.values(), ids=ARCHITECTURES)
@pytest.mark.parametrize("group", range(1, MOST_IN_GROUP + 1))
def test_groups_of_any_size_give_the_reference_weights(group, architecture):
    assert_trains_like_the_reference(task(**architecture), group)


def test_samples_of_too_few_negatives_are_refused():
    few = task()
    with pytest.raises(ValueError, match="5 negatives a group, which draws 6"):
        Numba(few, group=2).worker(0).train_windows(samples(few), 0.05)


def test_row_padding_stays_zero():
    trained = task(hs=1)
    Numba(trained).worker(0).train_windows(samples(trained), alpha=0.05)
    for table in trained.syn0, trained.syn1neg, trained.syn1:
        assert not table.base.reshape(-1, 32)[:, 20:].any()


def test_one_thread_and_one_seed_are_bit_reproducible():
    def trained(seed: int) -> np.ndarray:
        fresh = task()
        Numba(fresh).worker(0).train_chunk(0, 40, 0.05, seed)
        return fresh.syn0

    np.testing.assert_array_equal(trained(11), trained(11))
    assert not np.array_equal(trained(11), trained(12))


def test_subsampling_keeps_the_expected_share_of_words():
    subsampled = task(words=200, sentences=500, length=100, sample=1e-3)
    vocabulary = subsampled.corpus.vocabulary
    expected = vocabulary.counts @ vocabulary.keep_probabilities(1e-3)
    kept = Numba(subsampled).worker(0).train_chunk(0, 500, 0.025, 5).kept_words
    assert abs(kept - expected) < 5 * np.sqrt(expected)


def test_noise_words_are_drawn_with_their_chances():
    expected = task(words=20).corpus.vocabulary.noise_probabilities(0.75)
    negatives = np.full((40_000, 5), -1, np.int32)
    draw_negatives(alias_slots(expected), 2, np.uint64(1), negatives)
    assert (negatives[1::2] == -1).all()
    found = np.bincount(negatives[::2].ravel(), minlength=len(expected)) / negatives[::2].size
    np.testing.assert_allclose(found, expected, atol=5 * np.sqrt(0.25 / negatives[::2].size))


def test_windows_of_drawn_samples_shrink_and_end_with_their_sentence():
    corpus = task(length=30).corpus
    everything = corpus.vocabulary.keep_thresholds(0)
    tokens, first, last = (np.empty(61, np.int32) for _ in range(3))
    kept = draw_windows(corpus.ids, corpus.offsets, 2, 4, everything, 3, True, np.uint64(1), tokens, first, last)
    assert kept == 60
    np.testing.assert_array_equal(tokens[:60], corpus.ids[60:120])
    first, last, position = first[:60], last[:60], np.arange(60)
    sentence = position // 30 * 30
    assert set((position - first)[3:30]) == {1, 2, 3}
    assert ((sentence <= first) & (first < last) & (last <= sentence + 30)).all()


def test_several_workers_train_every_word_and_as_well():
    def loss(workers: int) -> float:
        running = task(words=200, sentences=400, length=100, workers=workers, sample=0.0, epochs=3)
        summary = train(Numba(running), running)
        assert summary.trained.kept_words == 3 * 40_000
        return summary.epochs[-1].loss / summary.epochs[-1].examples

    assert loss(4) == pytest.approx(loss(1), rel=0.03)


COMPILES = """
import numpy as np
from w2v.trainers.numba_.sampler import draw_negatives
draw_negatives(np.zeros((1, 2), np.uint32), 1, np.uint64(1), np.empty((1, 1), np.int32))
print(*draw_negatives.stats.cache_misses.values())
"""


def test_loops_are_compiled_once_and_anew_when_a_source_of_theirs_has_changed(tmp_path):
    package = shutil.copytree(Path(w2v.__file__).parent, tmp_path / "w2v", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "compiles.py").write_text(COMPILES)
    command, environment = [sys.executable, tmp_path / "compiles.py"], {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def compiled() -> bool:
        return bool(subprocess.run(command, env=environment, check=True, capture_output=True).stdout.strip())

    assert [compiled(), compiled()] == [True, False]
    for source in "trainers/numba_/step_kernel.py", "trainers/reference.py", "tables.py":
        with (package / source).open("a") as file:
            file.write("# changed\n")
        assert compiled()


def test_without_numba_a_model_says_so_before_it_reads_anything(monkeypatch):
    for module in [name for name in sys.modules if name.startswith("w2v.trainers.numba_")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(RuntimeError, match=r"Numba can't be imported \(.*\): pip install 'w2v-compare\[numba\]'"):
        Word2Vec(trainer="numba")
