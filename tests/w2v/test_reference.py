"""The specification itself, judged by the loss that it descends."""

import numpy as np
import pytest

from w2v.trainers.reference import Windows, sample_windows, train_windows

VOCABULARY, COLUMNS = 6, 4


def one_window(tokens: list[int], centre: int, negatives: list[int]) -> Windows:
    """The window of the token at position `centre`, whose context is all others; the others have no context."""
    first = np.arange(len(tokens), dtype=np.int32)
    last = first + 1
    first[centre], last[centre] = 0, len(tokens)
    # a token without context trains nothing, whatever its negatives are
    return Windows(np.array(tokens, np.int32), first, last, np.tile(np.array(negatives, np.int32), (len(tokens), 1)))


def loss(syn0: np.ndarray, syn1neg: np.ndarray, centre: int, contexts: list[int], negatives: list[int]) -> float:
    """-log sigmoid(v.u) over the pairs of context v and centre u, and -log sigmoid(-v.u) over those with noise u."""
    pairs = np.logaddexp(0, -syn0[contexts] @ syn1neg[centre]).sum()
    return pairs + np.logaddexp(0, syn0[contexts] @ syn1neg[negatives].T).sum()


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
def test_a_step_follows_the_gradient_of_the_loss(tokens, negatives, counted):
    rng = np.random.default_rng(1)
    weights = rng.normal(0, 0.7, (2, VOCABULARY, COLUMNS))
    centre, contexts = tokens[2], tokens[:2] + tokens[3:]

    gradient = np.empty_like(weights)
    for entry in np.ndindex(weights.shape):
        up, down = weights.copy(), weights.copy()
        up[entry] += 1e-5
        down[entry] -= 1e-5
        gradient[entry] = (loss(*up, centre, contexts, counted) - loss(*down, centre, contexts, counted)) / 2e-5

    alpha = 1e-7  # small enough that what the step itself changes doesn't show
    trained = weights.copy()
    train_windows(*trained, one_window(tokens, 2, negatives), alpha)
    np.testing.assert_allclose((trained - weights) / alpha, -gradient, atol=1e-5)


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
