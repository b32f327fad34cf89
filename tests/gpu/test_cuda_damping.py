"""Warps that train at once from copies of the same rows: together they must learn, not overshoot."""

from dataclasses import replace

import numpy as np
import pytest
from injected import samples, task, trained_by_reference

from w2v.trainers.cuda import Cupy
from w2v.trainers.cuda.damping import Damping
from w2v.trainers.cuda.plan import Plan
from w2v.trainers.reference import Windows, train_windows

NAMES = "syn0", "syn1neg", "syn1"
MODES = {"skip-gram": {}, "CBOW": {"sg": 0}, "tree": {"hs": 1, "negative": 0}}
ROUNDS, ALPHA = 3, 0.05


def loss_in_lockstep(trained, warps, damped=True):
    """Of the last round, in which each warp trains a ring of words: from input rows as they were when the round began,
    and output rows as they were when all warps came to their centre."""
    rng = np.random.default_rng(3)
    trained = replace(trained, **{name: 0.1 * table.astype(np.float64) for name, table in trained.tables.items()})
    factors = Damping(trained, np.asarray).factors(ALPHA, warps if damped else 1)
    factors = {name: None if rows is None else rows[:, None] for name, rows in zip(NAMES, factors, strict=True)}
    ring = 2 * trained.params.window + 1
    for _ in range(ROUNDS):
        held = [trained.syn0.copy() for _ in range(warps)]
        texts = [drawn(trained, ring, rng) for _ in range(warps)]
        loss = examples = 0
        for centre in range(ring):
            shared = {name: table.copy() for name, table in trained.tables.items() if name != "syn0"}
            for syn0, text in zip(held, texts, strict=True):
                own = replace(trained, syn0=syn0, **{name: table.copy() for name, table in shared.items()})
                did = train_windows(own, only(text, centre), ALPHA, 1)
                loss, examples = loss + did.loss, examples + did.examples
                for name, table in shared.items():
                    np.add(trained.tables[name], factors[name] * (own.tables[name] - table), out=trained.tables[name])
        np.add(trained.syn0, factors["syn0"] * sum(syn0 - trained.syn0 for syn0 in held), out=trained.syn0)
    return loss / examples


def drawn(trained, words, rng):
    """A stretch of a text of the task's words."""
    vocabulary, position = trained.corpus.vocabulary, np.arange(words)
    tokens = rng.choice(len(vocabulary), words, p=vocabulary.counts / vocabulary.counts.sum())
    reach = rng.integers(1, trained.params.window, words, endpoint=True)
    noise = rng.integers(0, len(vocabulary), (words, trained.params.negative if trained.syn1neg is not None else 0))
    return Windows(tokens, np.maximum(position - reach, 0), np.minimum(position + reach + 1, words), noise)


def only(text, centre):
    """The window of one centre: all others are empty."""
    position = np.arange(len(text.tokens))
    here = position == centre
    return text._replace(first=np.where(here, text.first, position), last=np.where(here, text.last, position + 1))


@pytest.mark.parametrize("mode", MODES)
def test_many_warps_learn_from_copies_of_the_same_rows_whose_changes_summed_would_diverge(mode):
    few_words = task(words=20, sample=0, **MODES[mode])
    warps = Plan(few_words).most_warps()
    barely_trained = loss_in_lockstep(few_words, warps=1)
    assert loss_in_lockstep(few_words, warps) < barely_trained
    assert not loss_in_lockstep(few_words, warps, damped=False) < 100 * barely_trained


def test_a_single_warp_is_not_damped():
    for factors in Damping(task(hs=1), np.asarray).factors(np.float64(0.05), 1):
        assert factors.dtype == np.float32
        np.testing.assert_array_equal(factors, 1)


def test_rows_are_damped_the_more_warps_hold_them():
    damping = Damping(task(words=1000, sentences=800, sample=0, hs=1), np.asarray)
    for some, more in zip(damping.factors(0.05, 10), damping.factors(0.05, 1000), strict=True):
        assert (0 < more).all() and (more < some).all() and (some < 1).all()


@pytest.mark.parametrize("mode", [{}, {"sg": 0, "hs": 1}], ids=str)
def test_the_kernel_adds_so_much_of_a_row_s_changes(device, monkeypatch, mode):
    damped = task(**mode)
    start = {name: table.copy() for name, table in damped.tables.items()}
    different = np.arange(12, dtype=np.int32)  # for what a window's repeats learn is added, damped, before the next
    windows = only(samples(damped, centres=12)._replace(tokens=different), 5)
    expected, _ = trained_by_reference(damped, windows, 0.05)
    model = Cupy(damped, device)
    factors = {name: np.linspace(0, 1, len(table), dtype=np.float32) for name, table in start.items()}
    on_device = [model.device.xp.asarray(factors[name]) if name in factors else None for name in NAMES]
    monkeypatch.setattr(model.damping, "factors", lambda alpha, warps: on_device)
    worker = model.worker(0)
    worker.train_windows(windows, 0.05)
    worker.finish()
    for name, table in damped.tables.items():
        wanted = start[name] + factors[name][:, None] * (expected.tables[name] - start[name])
        np.testing.assert_allclose(table, wanted, rtol=2e-4, atol=2e-5, err_msg=name)
