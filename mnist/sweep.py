"""One network with several hyper-parameters: trained one by one, in processes, in threads, or in one JAX call.

Every method trains each configuration from the same weights over the same batches, so all should find the same winner.
"""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby

import numpy as np

from mnist import model
from mnist.backends import Task, backend_class, batches
from mnist.data import EPOCH, Dataset, epoch_order, training_examples
from mnist.threads import single_threaded


@dataclass(frozen=True, order=True)
class Configuration:
    """One set of hyper-parameters. seed: of the initial weights, the training examples and their order."""

    batch_size: int
    seed: int
    learning_rate: float


@dataclass(frozen=True)
class Sweep:
    """What is to be trained. hidden: units of each hidden layer. threads: what a method may keep busy.

    examples: of an epoch, if not all.
    """

    dataset: Dataset
    configurations: Sequence[Configuration]
    hidden: Sequence[int]
    epochs: int
    threads: int
    examples: int | None = None

    def task(self, configuration: Configuration, threads: int) -> Task:
        images, labels = training_examples(self.dataset, configuration.seed)
        weights = model.initial_weights(self.hidden, configuration.seed)
        return Task(images, labels, weights, configuration.batch_size, configuration.learning_rate, threads)

    def orders(self, seed: int) -> Iterator[np.ndarray]:
        """The examples of each epoch."""
        count = min(EPOCH, len(self.dataset.train_labels))
        return (epoch_order(count, seed, epoch)[: self.examples] for epoch in range(self.epochs))

    def finish(self, weights: model.Weights, loss: float) -> Finish:
        return Finish(float(loss), model.accuracy(weights, self.dataset.test_images, self.dataset.test_labels))


@dataclass(frozen=True)
class Finish:
    """Where a configuration ended: mean loss of the last epoch; share of the test images told right."""

    loss: float
    accuracy: float

    @property
    def diverged(self) -> bool:
        return not math.isfinite(self.loss)


def winner(finishes: Sequence[Finish]) -> int | None:
    """The index of the lowest loss; None when all diverged."""
    finite = [index for index, finish in enumerate(finishes) if not finish.diverged]
    return min(finite, key=lambda index: finishes[index].loss, default=None)


@np.errstate(all="ignore")  # a learning rate that overflows shows in the loss
def train(configuration: Configuration, sweep: Sweep, backend: str, threads: int) -> Finish:
    """One configuration by one backend."""
    trainer, loss = backend_class(backend)(sweep.task(configuration, threads)), math.nan
    for order in sweep.orders(configuration.seed):
        loss = trainer.train_epoch(order)
    return sweep.finish(trainer.weights(), loss)


def loop(sweep: Sweep, backend: str) -> list[Finish]:
    """One configuration after the other, each with all threads."""
    return [train(configuration, sweep, backend, sweep.threads) for configuration in sweep.configurations]


def pool(sweep: Sweep, backend: str) -> list[Finish]:
    """As many processes as threads, each with one; starting them, and sending them the data, is part of it."""
    workers = min(sweep.threads, len(sweep.configurations))
    context = multiprocessing.get_context("spawn")
    with single_threaded(), ProcessPoolExecutor(workers, context, receive, (sweep, backend)) as processes:
        return list(processes.map(train_received, sweep.configurations))


_received: list[tuple[Sweep, str]] = []
"""In a process of a pool: the sweep and the backend, which come once and not with every configuration."""


def receive(sweep: Sweep, backend: str) -> None:
    _received.append((sweep, backend))


def train_received(configuration: Configuration) -> Finish:
    ((sweep, backend),) = _received
    return train(configuration, sweep, backend, threads=1)


def threads(sweep: Sweep, backend: str) -> list[Finish]:
    """As many Python threads as allowed, for a backend whose epochs run outside Python's lock."""
    one = partial(train, sweep=sweep, backend=backend, threads=1)
    with ThreadPoolExecutor(sweep.threads) as executor:
        return list(executor.map(one, sweep.configurations))


@np.errstate(all="ignore")
def vmap(sweep: Sweep) -> list[Finish]:
    """JAX: all learning rates of a batch size and a seed side by side, an epoch a compiled call."""
    from mnist.backends.jax_ import SideBySide

    finishes = {}
    for (batch_size, seed), group in groupby(sorted(sweep.configurations), lambda each: (each.batch_size, each.seed)):
        together = list(group)
        trainer = SideBySide(sweep.task(together[0], sweep.threads), [each.learning_rate for each in together])
        losses = np.full(len(together), math.nan)
        for order in sweep.orders(seed):
            sizes = [len(batch) for batch in batches(order, batch_size)]
            losses = np.average(trainer.train_epoch(order), axis=1, weights=sizes)
        for configuration, weights, loss in zip(together, trainer.weights(), losses, strict=True):
            finishes[configuration] = sweep.finish(weights, loss)
    return [finishes[configuration] for configuration in sweep.configurations]


METHODS: dict[str, tuple[Callable[[Sweep], list[Finish]], str]] = {
    "loop-numpy": (partial(loop, backend="numpy"), "numpy"),
    "pool-numpy": (partial(pool, backend="numpy"), "numpy"),
    "loop-jax": (partial(loop, backend="jax-scan"), "jax-scan"),
    "vmap-jax": (vmap, "jax-scan"),
    "loop-native": (partial(loop, backend="native"), "native"),
    "threads-native": (partial(threads, backend="native"), "native"),
}
"""By name: what trains all configurations, in their order; and the backend that it needs."""
