"""The specification of window mode in plain NumPy: slow and readable. Every other trainer is tested against it.

The context of a centre word, each word by itself (skip-gram) or all together (CBOW), is to predict the outputs of the
centre: rows of a table and their labels. With negative sampling they are the centre, which is true, and noise words,
which are false (Mikolov et al. 2013, "Distributed Representations of Words and Phrases and their Compositionality",
arXiv:1310.4546, eq. 4); with hierarchical softmax the inner nodes of a Huffman tree on the way to the centre, true
where the way goes left (ibid., eq. 3). In skip-gram all context words of a centre meet the same outputs at once (Ji et
al. 2016, "Parallelizing Word2Vec in Shared and Distributed Memory", arXiv:1604.04661), and so may those of neighbouring
centres, as a group (after Rengasamy et al. 2017, "Optimizing Word2Vec Performance on Multicore Systems", IA3).
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from w2v.trainers import Task, Trained

# A step takes as many context words at most, all different: what a row is to learn from the same old rows adds up, and
# would overshoot from a whole wide window or from a word that repeats.
CONTEXT_BATCH = 16


class Windows(NamedTuple):
    """Training samples as flat arrays, one row a centre; S centres, K negatives each.

    tokens: int32 (S,), the words kept after subsampling, in text order.
    first, last: int32 (S,), the context of centre i is tokens[first[i]:last[i]] without tokens[i] itself.
    negatives: int32 (S, K), noise words; one equal to the centre is passed over. K is 0 without negative sampling, else
    they weigh as much as `Params.negative` of them in all, however many there are.
    """

    tokens: np.ndarray
    first: np.ndarray
    last: np.ndarray
    negatives: np.ndarray


class Outputs(NamedTuple):
    """What the contexts of a group of G centres are to predict.

    centres: int (G,), positions in the text.
    table: float32 (rows, d), syn1neg or syn1.
    rows: int (N,), the rows of `table` concerned; one that comes twice counts twice.
    labels: float32 (N,), 1 for true and 0 for false.
    weights: float32 (G, N), how much an output counts that the contexts of a centre are to predict; 0 if they are not.
    """

    centres: np.ndarray
    table: np.ndarray
    rows: np.ndarray
    labels: np.ndarray
    weights: np.ndarray


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


def train_windows(task: Task, windows: Windows, alpha: float, group: int = 1) -> Trained:
    """Train every window in turn: the tables of `task`, in place.

    group: how many neighbouring centres share the negatives of the first of them, and meet them in one step.
    """
    params = task.params
    lockf = np.ones(len(task.syn0), np.float32) if task.lockf is None else task.lockf
    train = train_skip_gram if params.sg else train_cbow
    loss = 0.0
    for begin in range(0, len(windows.tokens), group):
        for outputs in heads(task, windows, np.arange(begin, min(begin + group, len(windows.tokens)))):
            loss += train(task, lockf, windows, outputs, alpha)
    if not params.compute_loss:
        return Trained(len(windows.tokens))
    contexts = windows.last - windows.first - 1
    return Trained(len(windows.tokens), loss, int((contexts if params.sg else contexts > 0).sum()))


def heads(task: Task, windows: Windows, centres: np.ndarray) -> list[Outputs]:
    """The outputs of each head that is on, in the order of training: paths first."""
    found = []
    if task.syn1 is not None:
        tree = task.corpus.vocabulary.tree
        for centre in centres:
            word = windows.tokens[centre]
            path = slice(tree.offsets[word], tree.offsets[word + 1])
            labels = np.float32(1) - tree.codes[path]
            found.append(Outputs(np.array([centre]), task.syn1, tree.points[path], labels, np.ones((1, len(labels)))))
    if task.syn1neg is not None:
        words, negatives = windows.tokens[centres], windows.negatives[centres[0]]
        negatives = negatives[~np.isin(negatives, words)]
        labels = np.append(np.ones_like(words), np.zeros_like(negatives))
        weight = task.params.negative / windows.negatives.shape[1]
        weights = np.hstack([np.eye(len(words)), np.full((len(words), len(negatives)), weight)])
        found.append(Outputs(centres, task.syn1neg, np.append(words, negatives), labels, weights))
    return found


def train_skip_gram(task: Task, lockf: np.ndarray, windows: Windows, outputs: Outputs, alpha: float) -> float:
    """Each context predicts the outputs, all from the outputs' rows as they were. Returns the loss before the step.

    A context of m of the group's centres counts m times where it predicts the same.
    """
    first, last = windows.first[outputs.centres], windows.last[outputs.centres]
    positions = np.arange(first.min(), last.max())[:, None]
    inside = (first <= positions) & (positions < last) & (positions != outputs.centres)
    contexts, weights = windows.tokens[positions[inside.any(axis=1), 0]], inside[inside.any(axis=1)] @ outputs.weights
    loss = 0.0
    for batch in turns(contexts):
        words, Y = contexts[batch], outputs.table[outputs.rows]
        hidden = task.syn0[words]
        scores = hidden @ Y.T
        loss += losses(scores, outputs.labels, weights[batch])
        steps = alpha * weights[batch] * (outputs.labels - sigmoid(scores))
        np.add.at(outputs.table, outputs.rows, steps.T @ hidden)  # a word drawn twice is updated twice
        task.syn0[words] += lockf[words, None] * (steps @ Y)
    return loss


def turns(contexts: np.ndarray) -> list[slice]:
    """The steps that contexts make, in order: each ends before a word that it has, or with CONTEXT_BATCH of them."""
    begins = [0]
    for i, word in enumerate(contexts):
        if i - begins[-1] == CONTEXT_BATCH or word in contexts[begins[-1] : i]:
            begins.append(i)
    return [slice(*ends) for ends in pairwise([*begins, len(contexts)])]


def train_cbow(task: Task, lockf: np.ndarray, windows: Windows, outputs: Outputs, alpha: float) -> float:
    """The contexts of each centre together predict its outputs. Returns the loss before the step.

    As in word2vec.c and gensim, the number of contexts divides either the prediction or the step: from their mean
    (cbow_mean=1) each context gets the whole step, from their sum (0) its share.
    """
    around = [np.delete(np.arange(windows.first[i], windows.last[i]), i - windows.first[i]) for i in outputs.centres]
    contexts = [windows.tokens[positions] for positions in around if len(positions)]
    if not contexts:
        return 0.0
    weights = outputs.weights[[len(positions) > 0 for positions in around]]
    shares = np.array([[1 / len(words)] for words in contexts])
    Y = outputs.table[outputs.rows]
    hidden = np.array([task.syn0[words].sum(axis=0) for words in contexts]) * (shares if task.params.cbow_mean else 1)
    scores = hidden @ Y.T
    steps = alpha * weights * (outputs.labels - sigmoid(scores))
    np.add.at(outputs.table, outputs.rows, steps.T @ hidden)
    for words, change in zip(contexts, steps @ Y * (1 if task.params.cbow_mean else shares), strict=True):
        np.add.at(task.syn0, words, np.outer(lockf[words], change))
    return losses(scores, outputs.labels, weights)


def losses(scores: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> float:
    """The sum of weighted -log sigmoid(score) where the label is 1 and -log sigmoid(-score) where it is 0."""
    return float((weights * (np.logaddexp(0, scores) - labels * scores)).sum(dtype=np.float64))


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)), without overflow at either end."""
    return np.exp(-np.logaddexp(0, -x))


class Reference:
    """Every mode in NumPy, one window at a time: for reading and for tests, thousands of words a second."""

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
        return self.train_windows(windows, alpha)

    def train_windows(self, windows: Windows, alpha: float) -> Trained:
        """Train on given samples rather than drawn ones."""
        return train_windows(self._task, windows, alpha)

    def finish(self) -> None:
        """Nothing is kept back."""
