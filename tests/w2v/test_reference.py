"""The specification itself, judged by the loss that it descends."""

from dataclasses import replace

import numpy as np
import pytest

from w2v.corpus import EncodedCorpus
from w2v.params import Params
from w2v.trainers import Task
from w2v.trainers.reference import Windows, sample_windows, train_windows, turns

VOCABULARY, COLUMNS = 6, 4
CORPUS = EncodedCorpus.from_sentences([[word] * (9 - word) for word in range(VOCABULARY)], min_count=1)
TABLES = "syn0", "syn1neg", "syn1"

HEADS = {"negative sampling": (0, 5), "hierarchical softmax": (1, 0), "both heads": (1, 5)}
MODES = {"skip-gram": {"sg": 1}, "CBOW of the mean": {"sg": 0}, "CBOW of the sum": {"sg": 0, "cbow_mean": 0}}


def task(hs: int = 0, negative: int = 5, **params) -> Task:
    """Tables of random weights, in float64 so that differences of losses are exact enough."""
    rng = np.random.default_rng(1)
    syn0, syn1neg, syn1 = (rng.normal(0, 0.7, (rows, COLUMNS)) for rows in (VOCABULARY, VOCABULARY, VOCABULARY - 1))
    params = Params(hs=hs, negative=negative, compute_loss=True, **params)
    return Task(CORPUS, params, syn0, syn1neg if negative else None, syn1 if hs else None)


def copy(task: Task) -> Task:
    tables = {name: getattr(task, name) for name in TABLES}
    return replace(task, **{name: table.copy() for name, table in tables.items() if table is not None})


def one_window(tokens: list[int], centre: int, negatives: list[int]) -> Windows:
    """The window of the token at position `centre`, whose context is all others; the others have no context."""
    first = np.arange(len(tokens), dtype=np.int32)
    last = first + 1
    first[centre], last[centre] = 0, len(tokens)
    # a token without context trains nothing, whatever its negatives are
    return Windows(np.array(tokens, np.int32), first, last, np.tile(np.array(negatives, np.int32), (len(tokens), 1)))


def loss(task: Task, centre: int, contexts: list[int], negatives: list[int], weight: float) -> float:
    """-log likelihood of the centre: given each context word (skip-gram), given their mean or sum (CBOW).

    weight: of each negative.
    """
    inputs = task.syn0[contexts]
    if not task.params.sg:
        inputs = (inputs.mean if task.params.cbow_mean else inputs.sum)(axis=0, keepdims=True)
    total = 0.0
    if task.syn1neg is not None:
        total += np.logaddexp(0, -inputs @ task.syn1neg[centre]).sum()
        total += weight * np.logaddexp(0, inputs @ task.syn1neg[negatives].T).sum()
    if task.syn1 is not None:
        tree = CORPUS.vocabulary.tree
        for step in range(tree.offsets[centre], tree.offsets[centre + 1]):
            sign = -1 if tree.codes[step] else 1
            total += np.logaddexp(0, -sign * inputs @ task.syn1[tree.points[step]]).sum()
    return total


def gradients(task: Task, *window) -> dict[str, np.ndarray]:
    """The gradient of the loss for each table, by finite differences."""
    found = {}
    for name in (name for name in TABLES if getattr(task, name) is not None):
        gradient = found[name] = np.empty_like(getattr(task, name))
        for entry in np.ndindex(gradient.shape):
            up, down = copy(task), copy(task)
            getattr(up, name)[entry] += 1e-5
            getattr(down, name)[entry] -= 1e-5
            gradient[entry] = (loss(up, *window) - loss(down, *window)) / 2e-5
    return found


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("hs, negative", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize(
    ("tokens", "negatives", "counted"),
    [
        ([0, 1, 2, 3], [4, 5], [4, 5]),
        ([0, 1, 2, 0, 0], [4, 5], [4, 5]),
        ([0, 2, 2, 3], [4, 5], [4, 5]),
        ([0, 1, 2, 3], [4, 4, 0], [4, 4, 0]),
        ([0, 1, 2, 3], [4, 2, 2], [4]),
    ],
    ids=["distinct", "repeated context", "centre as context", "repeated negative", "centre as negative"],
)
def test_a_step_follows_the_gradient_of_the_loss(tokens, negatives, counted, hs, negative, mode):
    before = task(hs, negative, **mode)
    centre, contexts = tokens[2], tokens[:2] + tokens[3:]
    window = centre, contexts, counted, negative / len(negatives)
    expected = gradients(before, *window)
    if not before.params.sg:  # word2vec.c's rule: the input rows' step is divided where the prediction is not
        expected["syn0"] *= len(contexts) if before.params.cbow_mean else 1 / len(contexts)

    alpha = 1e-7  # small enough that what the step itself changes doesn't show
    after = copy(before)
    trained = train_windows(after, one_window(tokens, 2, negatives), alpha)
    for name, gradient in expected.items():
        step = (getattr(after, name) - getattr(before, name)) / alpha
        np.testing.assert_allclose(step, -gradient, atol=2e-5)
    assert trained.loss == pytest.approx(loss(before, *window), rel=1e-5)
    assert trained.examples == (len(contexts) if before.params.sg else 1)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_updates_of_input_rows_are_multiplied_by_their_lock_factors(mode):
    before, window = task(1, 5, **mode), one_window([0, 1, 2, 3], 2, [4, 5])
    free, locked = copy(before), replace(copy(before), lockf=np.array([0, 0.5, 1, 2, 1, 1]))
    train_windows(free, window, 1e-7)
    train_windows(locked, window, 1e-7)
    np.testing.assert_allclose(locked.syn0 - before.syn0, locked.lockf[:, None] * (free.syn0 - before.syn0), atol=1e-12)
    np.testing.assert_allclose(locked.syn1neg, free.syn1neg, atol=1e-12)


def test_heads_train_one_after_the_other_the_tree_first():
    together, apart = task(1, 5, sg=1), task(1, 5, sg=1)
    window = one_window([0, 1, 2, 3], 2, [4, 5])
    train_windows(together, window, 0.1)
    train_windows(replace(apart, syn1neg=None), window, 0.1)
    train_windows(replace(apart, syn1=None), window, 0.1)
    for name in TABLES:
        np.testing.assert_array_equal(getattr(together, name), getattr(apart, name))


@pytest.mark.parametrize(
    "steps", [[[0, 1, 3], [0, 4], [4, 5], [4]], [[0], [0], [0]]], ids=["repeated words", "one word"]
)
def test_a_word_that_repeats_in_a_window_waits_for_the_next_step(steps):
    together, apart = task(sg=1), task(sg=1)
    train_windows(together, one_window([2, *np.concatenate(steps)], 0, [4]), 0.5)
    for contexts in steps:
        train_windows(apart, one_window([2, *contexts], 0, [4]), 0.5)
    np.testing.assert_allclose(together.syn0, apart.syn0)


def test_the_contexts_of_a_wide_window_take_turns():
    assert turns(np.arange(40)) == [slice(0, 16), slice(16, 32), slice(32, 40)]


def test_loss_is_only_computed_if_asked_for():
    silent = task()
    silent = replace(silent, params=replace(silent.params, compute_loss=False))
    assert train_windows(silent, one_window([0, 1, 2, 3], 2, [4]), 0.1) == (4, 0, 0)


def sampled(sentences: list[list[int]], keep: float = 1.0, window: int = 2, shrink_windows: bool = False) -> Windows:
    arrays = [np.array(sentence, np.int32) for sentence in sentences]
    noise = np.arange(1, VOCABULARY + 1) / np.arange(1, VOCABULARY + 1).sum()
    keeps = np.full(VOCABULARY, keep)
    return sample_windows(arrays, keeps, noise, window, shrink_windows, 5, np.random.default_rng(1))


def test_windows_end_with_their_sentence():
    windows = sampled([[0, 1, 2, 3], [], [4, 5]])
    assert windows.tokens.tolist() == [0, 1, 2, 3, 4, 5]
    assert windows.first.tolist() == [0, 0, 0, 1, 4, 4]
    assert windows.last.tolist() == [3, 4, 4, 4, 6, 6]


def test_shrunk_windows_reach_every_distance_equally_often():
    windows = sampled([[0] * 6000], window=3, shrink_windows=True)
    reach = (windows.last - np.arange(6000) - 1)[:-3]
    np.testing.assert_allclose(np.bincount(reach, minlength=4) / len(reach), [0, 1 / 3, 1 / 3, 1 / 3], atol=0.03)


def test_words_are_kept_and_drawn_as_noise_with_their_chances():
    windows = sampled([[1] * 9000], keep=0.4)
    assert len(windows.tokens) / 9000 == pytest.approx(0.4, abs=0.03)
    drawn = np.bincount(windows.negatives.ravel(), minlength=VOCABULARY) / windows.negatives.size
    np.testing.assert_allclose(drawn, np.arange(1, VOCABULARY + 1) / 21, atol=0.02)
