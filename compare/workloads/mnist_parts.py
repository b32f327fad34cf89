"""What an epoch can't do without, each part alone: its matrix products, and the fetching of its batches."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from compare import workloads
from compare.cell import Cell
from compare.workloads.mnist import START_SECONDS, epoch_seconds
from mnist import backends, data, model

PARTS = {"cpu": ("products", "gather"), "gpu": ("products-gpu", "gather-gpu")}
"""By device."""


class Trial(workloads.Trial):
    """One sample is the part's work in one epoch, by NumPy or CuPy, into buffers made before.

    products: every matrix product of the training steps, by BLAS. gather: the batches' float images, copied from
    where the epoch's order finds them. cell.shape: batch, hidden. cell.samples: epochs.
    """

    backends = tuple(itertools.chain(*PARTS.values()))

    @classmethod
    def unavailable(cls, backend: str) -> str | None:
        return backends.unavailable("cupy") if backend in PARTS["gpu"] else None

    @classmethod
    def expected_seconds(cls, cell: Cell) -> float:
        return START_SECONDS + (cell.samples + 1) * epoch_seconds(cell.shape["hidden"], cell.shape["batch"])

    def load(self) -> None:
        if self.cell.device == "cpu":
            self.xp, self.wait, self.take = np, lambda: None, partial(np.take, mode="clip")
        else:
            import cupy

            self.xp, self.wait, self.take = cupy, cupy.cuda.get_current_stream().synchronize, cupy.take

    def prepare(self) -> None:
        rng = np.random.default_rng(self.seed)
        products, _ = PARTS[self.cell.device]
        self.epoch = (self.products if self.cell.backend == products else self.gather)(rng)

    def compile(self) -> None:
        self.step()

    def step(self) -> None:
        self.epoch()
        self.wait()

    def quality(self) -> Mapping[str, float | None]:
        return {}

    def products(self, rng: np.random.Generator) -> Callable[[], None]:
        batch, xp = self.cell.shape["batch"], self.xp
        sizes = (model.PIXELS, *self.cell.shape["hidden"], model.CLASSES)

        def normal(*shape: int) -> np.ndarray:
            array: np.ndarray = xp.asarray(rng.standard_normal(shape).astype(self.cell.dtype))
            return array

        W = [normal(*shape) for shape in itertools.pairwise(sizes)]
        A = [normal(batch, size) for size in sizes]
        dW, dA = [xp.empty_like(each) for each in W], [xp.empty_like(each) for each in A]

        def step(examples: int) -> None:
            a, da = ([each[:examples] for each in arrays] for arrays in (A, dA))
            for layer in range(len(W)):
                xp.matmul(a[layer], W[layer], out=da[layer + 1])
            for layer in reversed(range(len(W))):
                xp.matmul(a[layer].T, da[layer + 1], out=dW[layer])
                if layer:
                    xp.matmul(da[layer + 1], W[layer].T, out=da[layer])

        def epoch() -> None:
            for examples in batch_sizes(batch):
                step(examples)

        return epoch

    def gather(self, rng: np.random.Generator) -> Callable[[], None]:
        batch, xp = self.cell.shape["batch"], self.xp
        # Not of zeros: pages that were only zeroed would all be one.
        images = xp.ones((data.EPOCH, model.PIXELS), self.cell.dtype)
        buffer = xp.empty((batch, model.PIXELS), self.cell.dtype)
        order = xp.asarray(rng.permutation(data.EPOCH))

        def epoch() -> None:
            for each in backends.batches(order, batch):
                self.take(images, each, axis=0, out=buffer[: len(each)])

        return epoch


def batch_sizes(batch: int) -> Iterator[int]:
    """Examples of each step of an epoch."""
    return (len(each) for each in backends.batches(np.arange(data.EPOCH), batch))
