"""What an epoch can't do without, each part alone: its matrix products, and the fetching of its batches."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from compare import workloads
from compare.cell import Cell
from compare.workloads.mnist import START_SECONDS, epoch_seconds
from mnist import data, model
from mnist.backends import batches


class Trial(workloads.Trial):
    """One sample is the part's work in one epoch, by NumPy, into buffers made before.

    products: every matrix product of the training steps, by BLAS. gather: the batches' float images, copied from
    where the epoch's order finds them. cell.shape: batch, hidden. cell.samples: epochs.
    """

    backends = ("products", "gather")

    @classmethod
    def expected_seconds(cls, cell: Cell) -> float:
        return START_SECONDS + (cell.samples + 1) * epoch_seconds(cell.shape["hidden"], cell.shape["batch"])

    def load(self) -> None:
        """NumPy is there."""

    def prepare(self) -> None:
        rng = np.random.default_rng(self.seed)
        self.epoch = {"products": self.products, "gather": self.gather}[self.cell.backend](rng)

    def compile(self) -> None:
        self.epoch()

    def step(self) -> None:
        self.epoch()

    def quality(self) -> Mapping[str, float | None]:
        return {}

    def products(self, rng: np.random.Generator) -> Callable[[], None]:
        batch, dtype = self.cell.shape["batch"], self.cell.dtype
        sizes = (model.PIXELS, *self.cell.shape["hidden"], model.CLASSES)
        W = [rng.standard_normal(shape).astype(dtype) for shape in itertools.pairwise(sizes)]
        A = [rng.standard_normal((batch, size)).astype(dtype) for size in sizes]
        dW, dA = [np.empty_like(each) for each in W], [np.empty_like(each) for each in A]

        def step(examples: int) -> None:
            a, da = ([each[:examples] for each in arrays] for arrays in (A, dA))
            for layer in range(len(W)):
                np.matmul(a[layer], W[layer], out=da[layer + 1])
            for layer in reversed(range(len(W))):
                np.matmul(a[layer].T, da[layer + 1], out=dW[layer])
                if layer:
                    np.matmul(da[layer + 1], W[layer].T, out=da[layer])

        def epoch() -> None:
            for examples in batch_sizes(batch):
                step(examples)

        return epoch

    def gather(self, rng: np.random.Generator) -> Callable[[], None]:
        batch = self.cell.shape["batch"]
        images = np.zeros((data.EPOCH, model.PIXELS), self.cell.dtype)
        images += 1  # pages that were only zeroed would all be one
        buffer = np.empty((batch, model.PIXELS), self.cell.dtype)
        order = rng.permutation(data.EPOCH)

        def epoch() -> None:
            for each in batches(order, batch):
                np.take(images, each, axis=0, out=buffer[: len(each)], mode="clip")

        return epoch


def batch_sizes(batch: int) -> Iterator[int]:
    """Examples of each step of an epoch."""
    return (len(each) for each in batches(np.arange(data.EPOCH), batch))
