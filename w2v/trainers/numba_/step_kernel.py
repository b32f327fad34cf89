"""One training step: inputs, rows of syn0, meet outputs, rows of syn1neg or syn1.

A step is one small matrix product, one pass of sigmoids and one update of both sides, all from registers: each row that
is loaded serves several products. Rows are padded to whole cache lines with zeros, so no loop over a row has a tail;
outputs are padded to whole tiles with a row of zeros, whose weight is zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from w2v.tables import FLOATS_PER_LINE
from w2v.trainers.numba_.compiled import inlined
from w2v.trainers.numba_.vectors import (
    LANES,
    TILE,
    load_row,
    load_rows,
    no_rows,
    prefetch,
    splat,
    splats,
    store_row,
    store_rows,
    store_sums,
    total,
)

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


class Step(NamedTuple):
    """What at most B inputs and N outputs need to meet, N a multiple of TILE; all C-contiguous.

    inputs: int64 (B,), addresses of rows; locks: float32 (B,), the share of its updates that each learns.
    outputs: int64 (N,), addresses of rows; labels: float32 (B * N,), 1 for true and 0 for false.
    weights: float32 (B * N,), how often each input is to predict each output.
    steps: float32 (B * N,), room for the dot products, then for the steps.
    changes: int64 (N,), addresses of vectors: room for what outputs learn where registers don't do.
    ahead: int64 (A,), addresses of rows that a later step needs.

    Matrices are flat, and their rows as long as this step's outputs, padding included.
    """

    inputs: np.ndarray
    locks: np.ndarray
    outputs: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    steps: np.ndarray
    changes: np.ndarray
    ahead: np.ndarray


@inlined
def train_step(
    step: Step, inputs: int, outputs: int, ahead: int, stride: int, alpha: float, compute_loss: bool
) -> float:
    """Train so many inputs, outputs (a multiple of TILE) and rows ahead; return the loss before the step."""
    loss = 0.0
    predict(step, inputs, outputs, stride)
    if compute_loss:
        loss = loss_of(step, inputs * outputs)
    steps_from_dots(step, inputs * outputs, alpha)
    if outputs == TILE:
        update(step, inputs, ahead, stride)
    else:
        update_many(step, inputs, outputs, ahead, stride)
    return loss


@inlined
def predict(step: Step, inputs: int, outputs: int, stride: int) -> None:
    """The dot products of inputs and outputs."""
    for p in range(inputs):
        for q in range(0, outputs, TILE):
            sums = no_rows()
            for j in range(0, stride, LANES):
                sums += load_rows(step.outputs, q, j) * load_row(step.inputs[p], j)
            store_sums(step.steps, p * outputs + q, sums)


@inlined
def loss_of(step: Step, pairs: int) -> float:
    """The sum of weighted -log sigmoid(dot) where the label is 1 and -log sigmoid(-dot) where it is 0."""
    loss = 0.0
    for i in range(pairs):
        wrong = (1 - 2 * float(step.labels[i])) * float(step.steps[i])
        loss += step.weights[i] * (max(wrong, 0.0) + np.log1p(np.exp(-abs(wrong))))
    return loss


@inlined
def steps_from_dots(step: Step, pairs: int, alpha: float) -> None:
    """From dot products to steps, in place: alpha * weight * (label - sigmoid)."""
    for i in range(pairs):
        step.steps[i] = alpha * step.weights[i] * (step.labels[i] - sigmoid(step.steps[i]))


@inlined
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


@inlined
def update(step: Step, inputs: int, ahead: int, stride: int) -> None:
    """Inputs learn from the outputs' old rows, one after another, and outputs from them: a tile, in registers."""
    for j in range(0, stride, LANES):
        prefetch_lines(step, ahead, j)
        outputs, changes = load_rows(step.outputs, 0, j), no_rows()
        for p in range(inputs):
            steps, row = splats(step.steps, p * TILE), load_row(step.inputs[p], j)
            store_row(step.inputs[p], j, row + splat(step.locks[p]) * total(steps * outputs))
            changes += steps * row
        store_rows(step.outputs, 0, j, outputs + changes)


@inlined
def update_many(step: Step, inputs: int, outputs: int, ahead: int, stride: int) -> None:
    """The same for any number of outputs: what they learn goes through memory."""
    for j in range(0, stride, LANES):
        prefetch_lines(step, ahead, j)
        for q in range(0, outputs, TILE):
            store_rows(step.changes, q, 0, no_rows())
        for p in range(inputs):
            row = load_row(step.inputs[p], j)
            learnt = row
            for q in range(0, outputs, TILE):
                steps = splats(step.steps, p * outputs + q)
                learnt += splat(step.locks[p]) * total(steps * load_rows(step.outputs, q, j))
                store_rows(step.changes, q, 0, load_rows(step.changes, q, 0) + steps * row)
            store_row(step.inputs[p], j, learnt)
        for q in range(0, outputs, TILE):
            store_rows(step.outputs, q, j, load_rows(step.outputs, q, j) + load_rows(step.changes, q, 0))


@inlined
def prefetch_lines(step: Step, ahead: int, column: int) -> None:
    """Ask for rows ahead, a line of each at a time: all at once they would fill the queue of outstanding misses."""
    if column % FLOATS_PER_LINE == 0:
        for r in range(ahead):
            prefetch(step.ahead[r], column)
