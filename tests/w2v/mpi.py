"""Programs under mpiexec."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

MPIEXEC = shutil.which("mpiexec", path=Path(sys.executable).parent) or shutil.which("mpiexec")
SECONDS = 60  # a job that hangs is killed after so many

needs_mpi = pytest.mark.skipif(MPIEXEC is None, reason="there is no mpiexec: pip install 'w2v-compare[mpi]'")

BEGINNING = """
import json
import sys
import numpy as np
from mpi4py import MPI
from w2v import Word2Vec
comm = MPI.COMM_WORLD
settings = {"sg": 1, "vector_size": 20, "window": 3, "min_count": 1, "workers": 1, "sample": 0.0, "comm": comm}
"""


def mpiexec(ranks: int, *command) -> subprocess.CompletedProcess[str]:
    """Run a command on so many ranks."""
    arguments = [MPIEXEC, "-n", str(ranks), *map(str, command)]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=SECONDS)


def program(ranks: int, code: str, *arguments) -> subprocess.CompletedProcess[str]:
    """Run Python code after BEGINNING on so many ranks."""
    return mpiexec(ranks, sys.executable, "-c", BEGINNING + code, *arguments)


def write_topics(path: Path, sentences: int = 6000, topics: int = 8, words: int = 10) -> Path:
    """A text of sentences of ten words that are of one topic each: word 3_7 is the seventh of topic 3."""
    rng = np.random.default_rng(1)
    with path.open("w") as file:
        for topic in rng.integers(topics, size=sentences):
            file.write(" ".join(f"{topic}_{word}" for word in rng.integers(words, size=10)) + "\n")
    return path


def topic_score(words: list[str], vectors: np.ndarray) -> float:
    """How many of the words have one of their own topic as nearest neighbour, as a share."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    near = unit @ unit.T
    np.fill_diagonal(near, -1)
    topics = [word.split("_")[0] for word in words]
    return float(np.mean([topics[nearest] == topic for topic, nearest in zip(topics, near.argmax(1), strict=True)]))
