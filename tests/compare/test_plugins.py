"""The example of docs/backends.md, as an installed distribution has it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "backends.md"
WORD2VEC = """
import gensim
import numpy as np

class Backend:
    def __init__(self, *, vector_size, workers, seed, sg=1, epochs, window, negative, sample, min_count):
        self.vector_size, self.epochs, self.min_count, self.seed = vector_size, epochs, min_count, seed

    def build_vocab(self, corpus_file):
        with open(corpus_file) as file:
            sentences = [line.split() for line in file]
        words = [word for sentence in sentences for word in sentence]
        self.corpus_count, self.corpus_total_words = len(sentences), len(words)
        self.words = sorted({word for word in words if words.count(word) >= self.min_count})

    def train(self, corpus_file, total_words, total_examples, epochs):
        vectors = np.random.default_rng(self.seed).random((2, len(self.words), self.vector_size), np.float32)
        self.wv = gensim.models.KeyedVectors(self.vector_size)
        self.wv.add_vectors(self.words, vectors[0])
        self.syn1neg = vectors[1]
"""
"""With what the document asks for, and no more."""


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found[1]


def install(folder: Path, name: str, code: str, group: str) -> dict[str, str]:
    """What pip leaves of a distribution with one module and one entry point; the environment that has it."""
    (folder / f"{name}.py").write_text(code)
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{name.replace('_', '-')} = {name}:Backend\n")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}


def compare(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from compare.cli import main; main()", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


@pytest.fixture
def example(tmp_path: Path) -> dict[str, str]:
    project = block("toml")
    group, entry = re.findall(r'entry-points\."(.+)"\]\n(.+)', project)[0]
    assert entry == 'my-backend = "my_backend:Backend"' and 'py-modules = ["my_backend"]' in project
    return install(tmp_path, "my_backend", block("python"), group)


def test_the_documented_backend_is_listed(example):
    assert json.loads(compare(example, "list", "--json").stdout)["mnist"]["my-backend"] is None


def test_the_documented_backend_is_measured_and_learns_what_the_reference_learns(example):
    example |= {"no_proxy": "", "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    options = "--backends my-backend,numpy --batch-sizes 999 --epochs 2 --repeats 1 --hidden 16 --json"
    done = compare(example, "mnist", *options.split())
    assert done.returncode == 0, done.stderr
    runs = {cell["backend"]: cell["runs"][0] for cell in json.loads(done.stdout)["cells"]}
    ours, expected = runs["my-backend"], runs["reference"]
    assert ours["status"] == "ok" and ours["phases"]["compile"] > 0
    assert ours["facts"]["losses"] == pytest.approx(expected["facts"]["losses"], rel=1e-3)


@pytest.mark.parametrize("workload", ["mnist", "w2v"])
def test_a_backend_for_a_gpu_says_that_it_needs_one(tmp_path, workload):
    environment = install(tmp_path, "my_kernels", "import a_library_for_gpus", f"w2v_compare.{workload}.gpu")
    environment["CUDA_VISIBLE_DEVICES"] = ""
    found = json.loads(compare(environment, "list", "--json").stdout)[workload]
    assert found["my-kernels"].startswith("needs an NVIDIA GPU")


def test_a_backend_of_w2v_is_measured(tmp_path):
    environment = install(tmp_path, "my_word2vec", WORD2VEC, "w2v_compare.w2v")
    text = tmp_path / "text.txt"
    text.write_text("the quick brown fox jumps over the lazy dog\n" * 300)
    options = "--backends my-word2vec --dim 8 --workers 1 --epochs 1 --repeats 1 --json"
    done = compare(environment, "w2v", "--corpus", str(text), *options.split())
    assert done.returncode == 0, done.stderr
    (cell,) = json.loads(done.stdout)["cells"]
    assert (cell["backend"], cell["runs"][0]["status"]) == ("my-word2vec", "ok")
