"""Which rows meet in each step: see `w2v.trainers.reference` for what is computed, function by function.

Negative sampling takes up to MOST_IN_GROUP neighbouring centres together: their windows overlap, so the rows of all
their contexts meet the rows of all their true words and of one set of negatives in a single step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from w2v.trainers.grouping import MOST_IN_GROUP
from w2v.trainers.numba_.compiled import compiled, inlined
from w2v.trainers.numba_.step_kernel import ONE, Step, train_step
from w2v.trainers.numba_.vectors import TILE, address_of
from w2v.trainers.reference import CONTEXT_BATCH, Windows

PREFETCH_CENTRES = 6  # between asking for a row and using it
FLOAT_BYTES = 4


class Model(NamedTuple):
    """What threads share. A table is float32 (rows, stride), padding included; that of a head that is off has no rows.

    points, codes, offsets: see `w2v.huffman`. lockf: float32 (V,).
    group: neighbouring centres that share negatives, 1 to MOST_IN_GROUP.
    drawn: negatives of a group. negative_weight: float32, of each of them.
    """

    syn0: np.ndarray
    syn1neg: np.ndarray
    syn1: np.ndarray
    points: np.ndarray
    codes: np.ndarray
    offsets: np.ndarray
    lockf: np.ndarray
    group: int
    drawn: int
    negative_weight: float
    skip_gram: bool
    cbow_mean: bool
    compute_loss: bool


class Scratch(NamedTuple):
    """What a thread needs besides the arrays of a `Step`, for at most N outputs.

    rows: int64 (N,), of the table. weights: float32 (MOST_IN_GROUP, N), of each centre's outputs.
    labels: float32 (N,). hidden, before: float32 (MOST_IN_GROUP, stride), CBOW's inputs before and after a step.
    zeros: float32 (1, stride), the row of outputs that are only padding.
    """

    rows: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    hidden: np.ndarray
    before: np.ndarray
    zeros: np.ndarray


@compiled
def train_windows(model: Model, windows: Windows, alpha: float, scratch: Scratch, step: Step) -> tuple[float, int]:
    """Train every window in turn; return the loss and the number of examples, both 0 unless `compute_loss`."""
    tokens, first, last = windows.tokens, windows.first, windows.last
    loss, examples = 0.0, 0
    for begin in range(0, len(tokens), model.group):
        end = min(begin + model.group, len(tokens))
        if len(model.syn1):
            for i in range(begin, end):
                outputs = take_path(model, tokens[i], scratch)
                loss += train_head(model, windows, i, i + 1, model.syn1, outputs, 0, alpha, scratch, step)
        if len(model.syn1neg):
            outputs = take_targets(model, windows, begin, end, scratch)
            ahead = take_ahead(model, windows, begin + PREFETCH_CENTRES, step)
            loss += train_head(model, windows, begin, end, model.syn1neg, outputs, ahead, alpha, scratch, step)
    if model.compute_loss:
        for i in range(len(tokens)):
            contexts = last[i] - first[i] - 1
            examples += contexts if model.skip_gram else contexts > 0
    return loss, examples


@inlined
def take_path(model: Model, centre: int, scratch: Scratch) -> int:
    """The outputs of hierarchical softmax, their labels and weights, into `scratch`; return how many."""
    begin, end = model.offsets[centre], model.offsets[centre + 1]
    for q in range(end - begin):
        scratch.rows[q] = model.points[begin + q]
        scratch.labels[q] = 1 - model.codes[begin + q]
        scratch.weights[0, q] = 1
    return end - begin


@inlined
def take_targets(model: Model, windows: Windows, begin: int, end: int, scratch: Scratch) -> int:
    """The outputs of negative sampling, their labels and weights, into `scratch`; return how many.

    An output that repeats one before it weighs that one: a true word that comes twice is predicted for both centres, a
    negative that comes twice weighs twice as much, and one that is true is passed over.
    """
    rows, weights = scratch.rows, scratch.weights
    count = 0
    for i in range(begin, end):
        q = position(rows, count, windows.tokens[i])
        if q == count:
            add_output(scratch, count, windows.tokens[i], 1)
            count += 1
        weights[i - begin, q] = 1
    true = count
    for k in range(model.drawn):
        word = windows.negatives[begin, k]
        q = position(rows, count, word)
        if q == count:
            add_output(scratch, count, word, 0)
            count += 1
        if q >= true:
            for i in range(begin, end):
                weights[i - begin, q] += model.negative_weight
    return count


@inlined
def row_address(table: np.ndarray, row: int) -> int:
    """Where a row begins."""
    return address_of(table) + row * table.shape[1] * FLOAT_BYTES


@inlined
def position(words: np.ndarray, count: int, word: int) -> int:
    """Where `word` is among words[:count], or `count`."""
    for q in range(count):
        if words[q] == word:
            return q
    return count


@inlined
def add_output(scratch: Scratch, q: int, row: int, label: int) -> None:
    """Output q of no weight yet."""
    scratch.rows[q] = row
    scratch.labels[q] = label
    for k in range(MOST_IN_GROUP):
        scratch.weights[k, q] = 0


@inlined
def take_ahead(model: Model, windows: Windows, begin: int, step: Step) -> int:
    """The rows that a later group will be the first to need, into `step`; return how many."""
    count = 0
    if begin + model.group <= len(windows.tokens):
        for i in range(begin, begin + model.group):
            step.ahead[count] = row_address(model.syn1neg, windows.tokens[i])
            step.ahead[count + 1] = row_address(model.syn0, windows.tokens[windows.last[i] - 1])
            count += 2
        for k in range(model.drawn):
            step.ahead[count] = row_address(model.syn1neg, windows.negatives[begin, k])
            count += 1
    return count


@compiled
def train_head(
    model: Model,
    windows: Windows,
    begin: int,
    end: int,
    table: np.ndarray,
    outputs: int,
    ahead: int,
    alpha: float,
    scratch: Scratch,
    step: Step,
) -> float:
    """The contexts of centres [begin, end) meet the outputs in `scratch`; return the loss before the step."""
    padded = (outputs + TILE - 1) // TILE * TILE
    for q in range(padded):
        step.outputs[q] = row_address(table, scratch.rows[q]) if q < outputs else row_address(scratch.zeros, 0)
    for q in range(outputs, padded):
        for k in range(MOST_IN_GROUP):
            scratch.weights[k, q] = 0
    for p in range(CONTEXT_BATCH):
        for q in range(padded):
            step.labels[p * padded + q] = scratch.labels[q]
    if model.skip_gram:
        return train_skip_gram(model, windows, begin, end, padded, ahead, alpha, scratch, step)
    return train_cbow(model, windows, begin, end, padded, ahead, alpha, scratch, step)


@inlined
def train_skip_gram(
    model: Model,
    windows: Windows,
    begin: int,
    end: int,
    outputs: int,
    ahead: int,
    alpha: float,
    scratch: Scratch,
    step: Step,
) -> float:
    """Each context predicts the outputs, all from the outputs' rows as they were."""
    first, last = windows.first[begin], windows.last[begin]
    for i in range(begin + 1, end):
        first, last = min(first, windows.first[i]), max(last, windows.last[i])
    loss, inputs = 0.0, 0
    for j in range(first, last + 1):
        inside = j < last and in_windows(windows, begin, end, j)
        row = row_address(model.syn0, windows.tokens[j]) if inside else 0
        full = inside and (inputs == CONTEXT_BATCH or position(step.inputs, inputs, row) < inputs)
        if inputs and (full or j == last):
            loss += train_step(step, inputs, outputs, ahead, model.syn0.shape[1], alpha, model.compute_loss)
            inputs = ahead = 0
        if inside:
            take_weights(windows, begin, end, j, outputs, inputs, scratch, step)
            step.inputs[inputs] = row
            step.locks[inputs] = model.lockf[windows.tokens[j]]
            inputs += 1
    return loss


@inlined
def in_windows(windows: Windows, begin: int, end: int, context: int) -> bool:
    """Whether a position is a context of any of the centres."""
    for i in range(begin, end):
        if in_window(windows, i, context):
            return True
    return False


@inlined
def in_window(windows: Windows, centre: int, context: int) -> bool:
    """Whether a position is a context of a centre."""
    return windows.first[centre] <= context < windows.last[centre] and context != centre


@inlined
def take_weights(
    windows: Windows, begin: int, end: int, context: int, outputs: int, p: int, scratch: Scratch, step: Step
) -> None:
    """The sum of the weights of the centres in whose windows a context lies, as input p."""
    for q in range(outputs):
        step.weights[p * outputs + q] = 0
    for i in range(begin, end):
        if in_window(windows, i, context):
            for q in range(outputs):
                step.weights[p * outputs + q] += scratch.weights[i - begin, q]


@inlined
def train_cbow(
    model: Model,
    windows: Windows,
    begin: int,
    end: int,
    outputs: int,
    ahead: int,
    alpha: float,
    scratch: Scratch,
    step: Step,
) -> float:
    """The contexts of each centre together predict its outputs; their number divides the prediction or the step."""
    inputs = 0
    for i in range(begin, end):
        if windows.last[i] - windows.first[i] > 1:
            gather_contexts(model, windows, i, inputs, scratch)
            step.inputs[inputs] = row_address(scratch.hidden, inputs)
            step.locks[inputs] = 1
            for q in range(outputs):
                step.weights[inputs * outputs + q] = scratch.weights[i - begin, q]
            inputs += 1
    loss = train_step(step, inputs, outputs, ahead, model.syn0.shape[1], alpha, model.compute_loss)
    inputs = 0
    for i in range(begin, end):
        if windows.last[i] - windows.first[i] > 1:
            scatter_change(model, windows, i, inputs, scratch)
            inputs += 1
    return loss


@inlined
def gather_contexts(model: Model, windows: Windows, i: int, p: int, scratch: Scratch) -> None:
    """CBOW's input of centre i, the mean or the sum of its contexts, into hidden[p] and before[p]."""
    hidden, before = scratch.hidden, scratch.before
    share = ONE / np.float32(windows.last[i] - windows.first[i] - 1) if model.cbow_mean else ONE
    for c in range(hidden.shape[1]):
        hidden[p, c] = 0
    for j in range(windows.first[i], windows.last[i]):
        if j != i:
            word = windows.tokens[j]
            for c in range(hidden.shape[1]):
                hidden[p, c] += model.syn0[word, c]
    for c in range(hidden.shape[1]):
        hidden[p, c] *= share
        before[p, c] = hidden[p, c]


@inlined
def scatter_change(model: Model, windows: Windows, i: int, p: int, scratch: Scratch) -> None:
    """Give what hidden[p] has learnt to each context of centre i: all of it for a mean, its share for a sum."""
    hidden, before = scratch.hidden, scratch.before
    share = ONE if model.cbow_mean else ONE / np.float32(windows.last[i] - windows.first[i] - 1)
    for j in range(windows.first[i], windows.last[i]):
        if j != i:
            word = windows.tokens[j]
            learnt = share * model.lockf[word]
            for c in range(hidden.shape[1]):
                model.syn0[word, c] += learnt * (hidden[p, c] - before[p, c])
