"""Every mode of the compiled trainers, the tokenizer, and the native network: a program for sanitizers to watch.

usage: every_mode.py [threads]: with it, only what threads may do to one another.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from mnist.backends import Task as NetworkTask
from mnist.backends.native import Native, NativeBFloat16, usable_isas, why_not_bf16
from mnist.model import astype, initial_weights
from w2v.corpus import EncodedCorpus
from w2v.driver import train
from w2v.params import Params
from w2v.tables import initial_syn0, new_table
from w2v.trainers import Task, Trainer
from w2v.trainers.exact import Exact, _exact
from w2v.trainers.grouping import MOST_IN_GROUP
from w2v.trainers.hogwild import Hogwild, _hogwild

ARCHITECTURES: list[dict[str, Any]] = [{"sg": 1}, {"sg": 0, "cbow_mean": 1}, {"sg": 0, "cbow_mean": 0}]
HEADS: list[dict[str, Any]] = [{"negative": 5}, {"negative": 23}, {"negative": 1, "hs": 1}, {"negative": 0, "hs": 1}]
# Odd vector sizes, windows that take turns, the loss and locks with one and without with the other.
SHAPES: list[dict[str, Any]] = [
    {"vector_size": 17, "window": 2, "compute_loss": True},
    {"vector_size": 112, "window": 20, "shrink_windows": False},
]


def small_corpus() -> EncodedCorpus:
    """Sentences of 0 to 1500 words, through the tokenizer: more words than threads keep copies of."""
    rng = np.random.default_rng(1)
    sentences = [np.arange(1500), *(rng.zipf(1.5, length) for length in (0, 1, 1, 4, 4, 4, 100, 400))]
    EncodedCorpus.from_arrays(sentences, min_count=1)
    lines = [" ".join(f"é{word}" for word in sentence) for sentence in sentences]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text")
        path.write_text("\n".join(lines) + "\u3000\x85 end")
        return EncodedCorpus.from_file(path, min_count=1, workers=2)


def trainers(isas: slice) -> Iterator[Callable[[Task], Trainer]]:
    """Each trainer, by each of these instruction sets, best first."""
    for isa, group in product(_hogwild.usable_isas()[isas], (1, MOST_IN_GROUP)):
        yield partial(Hogwild, isa=isa, group=group)
    for isa in _exact.usable_isas()[isas]:
        yield partial(Exact, isa=isa)


def train_networks(isas: slice) -> None:
    """An epoch of shapes, batch sizes and types that take every path through the native step, on three threads."""
    rng = np.random.default_rng(1)
    images = rng.integers(256, size=(600, 784), dtype=np.uint8) * (rng.random((600, 784)) < 0.2)
    labels = rng.integers(10, size=600, dtype=np.uint8)
    for hidden, batch_size, dtype in product([(128,), (40, 50)], [32, 300], [np.float32, np.float64]):
        task = NetworkTask(images, labels, astype(initial_weights(hidden, seed=1), dtype), batch_size, 0.05, threads=3)
        networks = [Native(task, isa) for isa in usable_isas()[isas]]
        if dtype == np.float32 and not why_not_bf16():
            networks.append(NativeBFloat16(task))
        for network in networks:
            network.train_epoch(rng.permutation(600))


def main() -> None:
    among_threads = sys.argv[1:] == ["threads"]
    corpus = small_corpus()
    words = len(corpus.vocabulary)
    # Each race that is meant costs the thread sanitizer a search through its suppressions: a small shape has enough.
    shapes, workers_of = (SHAPES[:1], (3,)) if among_threads else (SHAPES, (1, 3))
    modes = product(ARCHITECTURES, HEADS, shapes, workers_of)
    for architecture, head, shape, workers in modes:
        params = Params(
            workers=workers, epochs=1, sample=0.0, alpha=0.001, batch_words=50, **architecture, **head, **shape
        )
        for trainer in trainers(slice(1) if among_threads else slice(None)):
            task = Task(
                corpus,
                params,
                initial_syn0(words, params.vector_size, seed=1),
                new_table(words, params.vector_size) if params.negative else None,
                new_table(words - 1, params.vector_size) if params.hs else None,
                lockf=np.ones(words, np.float32) if params.compute_loss else None,
            )
            train(trainer(task), task)
    train_networks(slice(1) if among_threads else slice(None))


if __name__ == "__main__":
    main()
