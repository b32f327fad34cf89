"""`python train_steps.py OUT.npz BACKEND ...`: losses and weights of a few steps, by backends that share a process.

Keras computes with one library a process, hence the process. Warnings about our own code are errors.
"""

import sys
import warnings

import numpy as np

from mnist.backends import Task, backend_class
from mnist.model import initial_weights, names

EXAMPLES, BATCH = 170, 32


def task() -> Task:
    """170 images of noise, random labels: five full batches and one of ten examples."""
    rng = np.random.default_rng(3)
    images = rng.integers(256, size=(EXAMPLES, 784), dtype=np.uint8)
    labels = rng.integers(10, size=EXAMPLES, dtype=np.uint8)
    return Task(images, labels, initial_weights(hidden=(16, 12), seed=3), BATCH, learning_rate=0.1)


def train(backend):
    """The loss of every step; then, from the start and in another order, an epoch's mean loss and weights."""
    order = np.arange(EXAMPLES)
    steps = [backend.train_epoch(order[begin : begin + BATCH]) for begin in range(0, EXAMPLES, BATCH)]
    backend.reset()
    epoch = backend.train_epoch(order[::-1].copy())
    weights = backend.weights()
    return {"steps": steps, "epoch": epoch, **dict(zip(names(weights), weights, strict=True))}


if __name__ == "__main__":
    out, *backends = sys.argv[1:]
    warnings.filterwarnings("error", module="mnist")
    results = {name: train(backend_class(name)(task())) for name in backends}
    np.savez(out, **{f"{name}/{key}": value for name, found in results.items() for key, value in found.items()})
