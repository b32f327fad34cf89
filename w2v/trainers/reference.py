"""The specification of window mode in plain NumPy: slow and readable. Every other trainer is tested against it.

The context of a centre word, each word by itself (skip-gram) or all together (CBOW), is to predict the outputs of the
centre: rows of a table and their labels. With negative sampling they are the centre, which is true, and noise words,
which are false (Mikolov et al. 2013, "Distributed Representations of Words and Phrases and their Compositionality",
arXiv:1310.4546, eq. 4); with hierarchical softmax the inner nodes of a Huffman tree on the way to the centre, true
where the way goes left (ibid., eq. 3). In skip-gram all context words of a centre meet the same outputs at once (Ji et
al. 2016, "Parallelizing Word2Vec in Shared and Distributed Memory", arXiv:1604.04661).
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
    negatives: int32 (S, K), noise words; one equal to the centre is passed over. K is 0 without negative sampling.
    """

    tokens: np.ndarray
    first: np.ndarray
    last: np.ndarray
    negatives: np.ndarray


class Outputs(NamedTuple):
    """What a centre's context is to predict.

    table: float32 (rows, d), syn1neg or syn1.
    rows: int (N,), the rows of `table` concerned; one that comes twice counts twice.
    labels: float32 (N,), 1 for true and 0 for false.
    """

    table: np.ndarray
    rows: np.ndarray
    labels: np.ndarray


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


def train_windows(task: Task, windows: Windows, alpha: float) -> Trained:
    """Train every window in turn: the tables of `task`, in place."""
    params = task.params
    lockf = np.ones(len(task.syn0), np.float32) if task.lockf is None else task.lockf
    loss, examples = 0.0, 0
    for i, centre in enumerate(windows.tokens):
        contexts = np.delete(windows.tokens[windows.first[i] : windows.last[i]], i - windows.first[i])
        if not len(contexts):
            continue
        for outputs in heads(task, centre, windows.negatives[i]):
            if params.sg:
                for batch in (contexts[b : b + CONTEXT_BATCH] for b in range(0, len(contexts), CONTEXT_BATCH)):
                    loss += train_skip_gram(task.syn0, lockf, batch, outputs, alpha)
            else:
                loss += train_cbow(task.syn0, lockf, contexts, outputs, alpha, params.cbow_mean)
        examples += len(contexts) if params.sg else 1
    return Trained(len(windows.tokens), loss, examples) if params.compute_loss else Trained(len(windows.tokens))


def heads(task: Task, centre: int, negatives: np.ndarray) -> list[Outputs]:
    """The outputs of each head that is on, in the order of training: hierarchical softmax, negative sampling."""
    found = []
    if task.syn1 is not None:
        tree = task.corpus.vocabulary.tree
        path = slice(tree.offsets[centre], tree.offsets[centre + 1])
        found.append(Outputs(task.syn1, tree.points[path], np.float32(1) - tree.codes[path]))
    if task.syn1neg is not None:
        rows = np.append(centre, negatives[negatives != centre])
        found.append(Outputs(task.syn1neg, rows, (np.arange(len(rows)) == 0).astype(np.float32)))
    return found


def train_skip_gram(syn0: np.ndarray, lockf: np.ndarray, contexts: np.ndarray, outputs: Outputs, alpha: float) -> float:
    """Each context predicts the outputs, all from the outputs' rows as they were. Returns the loss before the step."""
    Y = outputs.table[outputs.rows]
    steps, loss = predict(syn0[contexts] @ Y.T, outputs.labels, alpha)
    for context, step in zip(contexts, steps, strict=True):
        np.add.at(outputs.table, outputs.rows, np.outer(step, syn0[context]))  # a word drawn twice is updated twice
        syn0[context] += lockf[context] * (step @ Y)
    return loss


def train_cbow(
    syn0: np.ndarray, lockf: np.ndarray, contexts: np.ndarray, outputs: Outputs, alpha: float, cbow_mean: int
) -> float:
    """All contexts together predict the outputs. Returns the loss before the step.

    As in word2vec.c and gensim, the number of contexts divides either the prediction or the step: from their mean
    (cbow_mean=1) each context gets the whole step, from their sum (0) its share.
    """
    share = 1 / len(contexts)
    Y = outputs.table[outputs.rows]
    hidden = syn0[contexts].sum(axis=0) * (share if cbow_mean else 1)
    step, loss = predict(Y @ hidden, outputs.labels, alpha)
    np.add.at(outputs.table, outputs.rows, np.outer(step, hidden))
    np.add.at(syn0, contexts, np.outer(lockf[contexts], step @ Y) * (1 if cbow_mean else share))
    return loss


def predict(scores: np.ndarray, labels: np.ndarray, alpha: float) -> tuple[np.ndarray, float]:
    """Steps alpha * (label - sigmoid(score)), and the loss.

    The loss is the sum of -log sigmoid(score) where the label is 1 and of -log sigmoid(-score) where it is 0.
    """
    return alpha * (labels - sigmoid(scores)), float((np.logaddexp(0, scores) - labels * scores).sum(dtype=np.float64))


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
