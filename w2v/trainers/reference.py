"""The specification of window mode in plain NumPy: slow and readable. Every other trainer is tested against it.

Skip-gram with negative sampling (Mikolov et al. 2013, "Distributed Representations of Words and Phrases and their
Compositionality", arXiv:1310.4546, eq. 4), batched by window (Ji et al. 2016, "Parallelizing Word2Vec in Shared and
Distributed Memory", arXiv:1604.04661): all context words of a centre meet the same negatives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from w2v.trainers import Task, Trained

# More context words than this take turns: steps of a whole wide window from the same old rows add up and overshoot.
CONTEXT_BATCH = 16


class Windows(NamedTuple):
    """Training samples as flat arrays, one row a centre; S centres, K negatives each.

    tokens: int32 (S,), the words kept after subsampling, in text order.
    first, last: int32 (S,), the context of centre i is tokens[first[i]:last[i]] without tokens[i] itself.
    negatives: int32 (S, K), noise words; one equal to the centre is passed over.
    """

    tokens: np.ndarray
    first: np.ndarray
    last: np.ndarray
    negatives: np.ndarray


def sample_windows(
    sentences: list[np.ndarray],
    keep: np.ndarray,
    noise: np.ndarray,
    window: int,
    shrink_windows: bool,
    negative: int,
    rng: np.random.Generator,
) -> Windows:
    """Draw the samples of some sentences.

    sentences: int32 arrays of word ids; keep, noise: float64 (V,), the chances to keep a word and to draw it as noise.
    """
    kept = [sentence[rng.random(len(sentence)) < keep[sentence]] for sentence in sentences]
    lengths = np.array([len(sentence) for sentence in kept], dtype=np.int64)
    tokens = np.concatenate(kept) if kept else np.empty(0, np.int32)
    position = np.arange(len(tokens))
    sentence_last = np.repeat(np.cumsum(lengths), lengths)
    sentence_first = sentence_last - np.repeat(lengths, lengths)
    reach = rng.integers(1, window, len(tokens), endpoint=True) if shrink_windows else window
    first = np.maximum(position - reach, sentence_first).astype(np.int32)
    last = np.minimum(position + reach + 1, sentence_last).astype(np.int32)
    negatives = rng.choice(len(noise), (len(tokens), negative), p=noise).astype(np.int32)
    return Windows(tokens, first, last, negatives)


def train_windows(syn0: np.ndarray, syn1neg: np.ndarray, windows: Windows, alpha: float) -> None:
    """Train every window in turn, in place. syn0, syn1neg: float32 (V, d)."""
    for i, centre in enumerate(windows.tokens):
        contexts = np.delete(windows.tokens[windows.first[i] : windows.last[i]], i - windows.first[i])
        negatives = windows.negatives[i][windows.negatives[i] != centre]
        outputs = np.append(centre, negatives)
        labels = np.zeros(len(outputs), np.float32)
        labels[0] = 1
        for batch in (contexts[b : b + CONTEXT_BATCH] for b in range(0, len(contexts), CONTEXT_BATCH)):
            Y = syn1neg[outputs]
            steps = alpha * (labels - sigmoid(syn0[batch] @ Y.T))  # (contexts, outputs), from the rows as they were
            for context, step in zip(batch, steps, strict=True):
                np.add.at(syn1neg, outputs, np.outer(step, syn0[context]))  # a word drawn twice is updated twice
                syn0[context] += step @ Y


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)), without overflow at either end."""
    return np.exp(-np.logaddexp(0, -x))


class Reference:
    """Window mode in NumPy, one window at a time: for reading and for tests, thousands of words a second."""

    def __init__(self, task: Task) -> None:
        self._task = task
        vocabulary, params = task.corpus.vocabulary, task.params
        self._keep = vocabulary.keep_probabilities(params.sample)
        self._noise = vocabulary.noise_probabilities(params.ns_exponent)

    def worker(self, index: int) -> Reference:
        """The trainer itself: it keeps nothing of a thread's own."""
        return self

    def train_chunk(self, begin: int, end: int, alpha: float, seed: int) -> Trained:
        """Train on sentences [begin, end)."""
        params, ids, offsets = self._task.params, self._task.corpus.ids, self._task.corpus.offsets
        windows = sample_windows(
            [ids[offsets[s] : offsets[s + 1]] for s in range(begin, end)],
            self._keep,
            self._noise,
            params.window,
            params.shrink_windows,
            params.negative,
            np.random.default_rng(seed),
        )
        train_windows(self._task.syn0, self._task.syn1neg, windows, alpha)
        return Trained(len(windows.tokens))

    def finish(self) -> None:
        """Nothing is kept back."""
