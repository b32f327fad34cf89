"""Sampling and training in loops that Numba compiles: see `w2v.trainers.reference` for what they compute.

Rows are taken with their padding, which is zero and stays so. Loops take three rows at a time:
what is loaded or stored once then serves three multiply-adds, and the six outputs of five negatives need two turns.
What a loop reads while it writes to a table is a copy: Numba cannot know that rows of one table are apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from w2v.trainers.reference import CONTEXT_BATCH, Windows

# error_model: Python's would look for zero before each division, and a loop that may raise is not vectorised.
compiled = njit(nogil=True, fastmath=True, error_model="numpy", cache=True)

# sigmoid(x) = 1/2 + tanh(x/2)/2, and tanh by Eigen's quotient of polynomials in x (Eigen/src/Core/MathFunctionsImpl.h).
NUMERATOR = np.array(
    [
        4.89352455891786e-03,
        6.37261928875436e-04,
        1.48572235717979e-05,
        5.12229709037114e-08,
        -8.60467152213735e-11,
        2.00018790482477e-13,
        -2.76076847742355e-16,
    ],
    np.float32,
)
DENOMINATOR = np.array(
    [4.89352518554385e-03, 2.26843463243900e-03, 1.18534705686654e-04, 1.19825839466702e-06], np.float32
)
HALF, ONE, TANH_IS_ONE = np.float32(0.5), np.float32(1), np.float32(9)


class Heads(NamedTuple):
    """Tables and tree; a head that is off has a table without rows. See `w2v.trainers.Task` and `w2v.huffman`."""

    syn1neg: np.ndarray
    syn1: np.ndarray
    points: np.ndarray
    codes: np.ndarray
    offsets: np.ndarray


class Scratch(NamedTuple):
    """What one thread needs to train a centre of at most C contexts and N outputs.

    contexts: int32 (C,). outputs: int32 (N,). labels: float32 (N,).
    inputs: float32 (max(C, CONTEXT_BATCH), stride), copies of context rows; old: float32 (N, stride), of output rows.
    steps: float32 (CONTEXT_BATCH, N), and transposed: float32 (N, CONTEXT_BATCH).
    ones: float32 (1, C). hidden, change: float32 (1, stride).
    """

    contexts: np.ndarray
    outputs: np.ndarray
    labels: np.ndarray
    inputs: np.ndarray
    old: np.ndarray
    steps: np.ndarray
    transposed: np.ndarray
    ones: np.ndarray
    hidden: np.ndarray
    change: np.ndarray


@compiled
def draw_windows(
    ids: np.ndarray,
    offsets: np.ndarray,
    begin: int,
    end: int,
    keep: np.ndarray,
    window: int,
    shrink_windows: bool,
    seed: int,
    tokens: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
) -> int:
    """Draw the windows of sentences [begin, end) into `tokens`, `first` and `last`; return how many words are kept."""
    np.random.seed(seed)
    kept = 0
    for s in range(begin, end):
        sentence = kept
        for i in range(offsets[s], offsets[s + 1]):
            if np.random.random() < keep[ids[i]]:
                tokens[kept] = ids[i]
                kept += 1
        for i in range(sentence, kept):
            reach = np.random.randint(1, window + 1) if shrink_windows else window
            first[i] = max(sentence, i - reach)
            last[i] = min(kept, i + reach + 1)
    return kept


@compiled
def draw_negatives(cumulative: np.ndarray, guide: np.ndarray, negatives: np.ndarray) -> None:
    """Fill `negatives` with words, each the first whose share of `cumulative` reaches a random number.

    guide: int32 (G,), the answer for every multiple of 1 / G, so that few steps of search are left.
    """
    for i in range(negatives.shape[0]):
        for k in range(negatives.shape[1]):
            share = np.random.random()
            word = guide[int(share * len(guide))]
            while cumulative[word] < share:
                word += 1
            negatives[i, k] = word


@compiled
def train_windows(
    windows: Windows,
    syn0: np.ndarray,
    lockf: np.ndarray,
    heads: Heads,
    sg: bool,
    cbow_mean: bool,
    alpha: float,
    compute_loss: bool,
    scratch: Scratch,
) -> tuple[float, int]:
    """Train every window in turn; return the loss and the number of examples, both 0 unless `compute_loss`."""
    tokens, first, last, negatives = windows
    loss, examples = 0.0, 0
    for i in range(len(tokens)):
        count = 0
        for j in range(first[i], last[i]):
            if j != i:
                scratch.contexts[count] = tokens[j]
                count += 1
        if count == 0:
            continue
        if len(heads.syn1):
            outputs = take_path(heads, tokens[i], scratch)
            loss += train_head(syn0, lockf, count, heads.syn1, outputs, sg, cbow_mean, alpha, compute_loss, scratch)
        if len(heads.syn1neg):
            outputs = take_targets(tokens[i], negatives, i, scratch)
            loss += train_head(syn0, lockf, count, heads.syn1neg, outputs, sg, cbow_mean, alpha, compute_loss, scratch)
        if compute_loss:
            examples += count if sg else 1
    return loss, examples


@compiled
def take_path(heads: Heads, centre: int, scratch: Scratch) -> int:
    """The outputs of hierarchical softmax and their labels, into `scratch`; return how many."""
    begin = heads.offsets[centre]
    count = heads.offsets[centre + 1] - begin
    for q in range(count):
        scratch.outputs[q] = heads.points[begin + q]
        scratch.labels[q] = 1 - heads.codes[begin + q]
    return count


@compiled
def take_targets(centre: int, negatives: np.ndarray, i: int, scratch: Scratch) -> int:
    """The outputs of negative sampling and their labels, into `scratch`; return how many."""
    scratch.outputs[0] = centre
    scratch.labels[0] = 1
    count = 1
    for k in range(negatives.shape[1]):
        if negatives[i, k] != centre:
            scratch.outputs[count] = negatives[i, k]
            scratch.labels[count] = 0
            count += 1
    return count


@compiled
def train_head(
    syn0: np.ndarray,
    lockf: np.ndarray,
    contexts: int,
    table: np.ndarray,
    outputs: int,
    sg: bool,
    cbow_mean: bool,
    alpha: float,
    compute_loss: bool,
    scratch: Scratch,
) -> float:
    """Train the contexts of `scratch` against its outputs; return the loss before the step."""
    if not sg:
        return train_cbow(syn0, lockf, contexts, table, outputs, cbow_mean, alpha, compute_loss, scratch)
    loss = 0.0
    for begin in range(0, contexts, CONTEXT_BATCH):
        end = min(begin + CONTEXT_BATCH, contexts)
        loss += train_skip_gram(syn0, lockf, begin, end, table, outputs, alpha, compute_loss, scratch)
    return loss


@compiled
def train_skip_gram(
    syn0: np.ndarray,
    lockf: np.ndarray,
    begin: int,
    end: int,
    table: np.ndarray,
    outputs: int,
    alpha: float,
    compute_loss: bool,
    scratch: Scratch,
) -> float:
    """Contexts [begin, end) each predict the outputs, all from the outputs' rows as they were."""
    contexts, inputs, old = scratch.contexts, scratch.inputs, scratch.old
    copy_rows(inputs, syn0, contexts, begin, end)
    copy_rows(old, table, scratch.outputs, 0, outputs)
    loss = predict(inputs, end - begin, outputs, alpha, compute_loss, scratch)
    first = begin
    while first < end:
        last = first_repeated(contexts, first, end)  # a context that comes again passes on what it has learnt meanwhile
        if first > begin:
            copy_rows(inputs, syn0, contexts, begin, end)
        for q in range(outputs):
            add_rows(table, scratch.outputs[q], inputs, scratch.transposed, q, first - begin, last - begin, ONE)
        for p in range(first, last):
            add_rows(syn0, contexts[p], old, scratch.steps, p - begin, 0, outputs, lockf[contexts[p]])
        first = last
    return loss


@compiled
def train_cbow(
    syn0: np.ndarray,
    lockf: np.ndarray,
    contexts: int,
    table: np.ndarray,
    outputs: int,
    cbow_mean: bool,
    alpha: float,
    compute_loss: bool,
    scratch: Scratch,
) -> float:
    """All contexts together predict the outputs; their number divides the prediction or the step."""
    inputs, old, hidden, change = scratch.inputs, scratch.old, scratch.hidden, scratch.change
    share = ONE / np.float32(contexts)
    copy_rows(inputs, syn0, scratch.contexts, 0, contexts)
    copy_rows(old, table, scratch.outputs, 0, outputs)
    hidden[:] = 0
    add_rows(hidden, 0, inputs, scratch.ones, 0, 0, contexts, share if cbow_mean else ONE)
    loss = predict(hidden, 1, outputs, alpha, compute_loss, scratch)
    for q in range(outputs):
        add_rows(table, scratch.outputs[q], hidden, scratch.transposed, q, 0, 1, ONE)
    change[:] = 0
    add_rows(change, 0, old, scratch.steps, 0, 0, outputs, ONE if cbow_mean else share)
    for p in range(contexts):
        context = scratch.contexts[p]
        add_rows(syn0, context, change, scratch.ones, 0, 0, 1, lockf[context])
    return loss


@compiled
def first_repeated(words: np.ndarray, begin: int, end: int) -> int:
    """Where in [begin, end) a word first comes again, or `end`."""
    for p in range(begin + 1, end):
        for r in range(begin, p):
            if words[r] == words[p]:
                return p
    return end


@compiled
def copy_rows(copies: np.ndarray, table: np.ndarray, rows: np.ndarray, begin: int, end: int) -> None:
    """Copy the rows of `table` that rows[begin:end] names to the front of `copies`."""
    for k in range(begin, end):
        row = rows[k]
        for j in range(table.shape[1]):
            copies[k - begin, j] = table[row, j]


@compiled
def add_rows(
    table: np.ndarray,
    row: int,
    addends: np.ndarray,
    coefficients: np.ndarray,
    i: int,
    begin: int,
    end: int,
    factor: float,
) -> None:
    """table[row] += factor * coefficients[i, begin:end] @ addends[begin:end]."""
    stride = table.shape[1]
    for k in range(begin, end - 2, 3):
        a, b, c = factor * coefficients[i, k], factor * coefficients[i, k + 1], factor * coefficients[i, k + 2]
        for j in range(stride):
            table[row, j] += a * addends[k, j] + b * addends[k + 1, j] + c * addends[k + 2, j]
    for k in range(end - (end - begin) % 3, end):
        a = factor * coefficients[i, k]
        for j in range(stride):
            table[row, j] += a * addends[k, j]


@compiled
def predict(inputs: np.ndarray, count: int, outputs: int, alpha: float, compute_loss: bool, scratch: Scratch) -> float:
    """Steps alpha * (labels[q] - sigmoid(inputs[p] . old[q])), in both orders; return the loss."""
    old, labels, steps = scratch.old, scratch.labels, scratch.steps
    stride = old.shape[1]
    loss = 0.0
    for p in range(count):
        for q in range(0, outputs - 2, 3):
            a = b = c = np.float32(0)
            for j in range(stride):
                x = inputs[p, j]
                a += x * old[q, j]
                b += x * old[q + 1, j]
                c += x * old[q + 2, j]
            steps[p, q], steps[p, q + 1], steps[p, q + 2] = a, b, c
        for q in range(outputs - outputs % 3, outputs):
            a = np.float32(0)
            for j in range(stride):
                a += inputs[p, j] * old[q, j]
            steps[p, q] = a
        if compute_loss:
            for q in range(outputs):
                wrong = -float(steps[p, q]) if labels[q] == 1 else float(steps[p, q])
                loss += max(wrong, 0.0) + np.log1p(np.exp(-abs(wrong)))
        for q in range(outputs):
            steps[p, q] = alpha * (labels[q] - sigmoid(steps[p, q]))
            scratch.transposed[q, p] = steps[p, q]
    return loss


@compiled
def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x)) within 2e-7, of float32."""
    t = max(min(x * HALF, TANH_IS_ONE), -TANH_IS_ONE)
    square = t * t
    numerator, denominator = NUMERATOR[6], DENOMINATOR[3]
    for power in range(5, -1, -1):
        numerator = numerator * square + NUMERATOR[power]
    for power in range(2, -1, -1):
        denominator = denominator * square + DENOMINATOR[power]
    return HALF + HALF * t * numerator / denominator
