"""`compare crossover` from end to end, on small shapes."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from compare.cli import main
from mnist import data


def crossover(*arguments: str):
    return CliRunner().invoke(main, ("crossover", *arguments))


@pytest.fixture(autouse=True)
def nothing_to_download(monkeypatch):
    def unreachable(folder, progressbar):
        raise ConnectionError("example.org: ConnectTimeout")

    monkeypatch.setattr(data, "download", unreachable)


def test_a_sweep_of_mnist_has_a_reference_at_every_shape():
    options = "--axis depth --values 1,3 --backends numpy --hidden 8 --repeats 1 --dry-run"
    result = crossover("mnist", *options.split())
    assert result.exit_code == 0, result.output
    runs = [line.partition(":")[0] for line in result.stdout.splitlines()[:4]]
    assert sorted(runs) == sorted(
        f"{backend} hidden={hidden} batch=256" for backend in ("numpy", "reference") for hidden in ("8", "8x8x8")
    )


def test_a_sweep_of_word2vec_is_kept_and_tells_why_nothing_is_predicted(tmp_path):
    out = tmp_path / "result.json"
    options = "--axis dim --values 8,16 --backends gensim --tokens 3000 --vocabulary 40 --workers 1 --repeats 1"
    result = crossover("w2v", *options.split(), "--out", str(out))
    assert result.exit_code == 0, result.output
    stored = json.loads(out.read_text())
    assert [each["shape"]["dim"] for each in stored["cells"]] == [8, 16]
    assert stored["cells"][0]["options"]["types"] == 40
    text = " ".join(result.stdout.split())
    assert "no ceilings and no predictions: this machine was not measured yet: run `compare machine`" in text
    assert "Verdict: gensim is fastest at every measured dim, so nothing crosses." in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mnist", "--axis", "bach"), "unknown axis 'bach': did you mean batch?"),
        (("w2v", "--axis", "batch"), "unknown axis 'batch': known are dim, negative, vocabulary, workers"),
        (("mnist", "--axis", "batch", "--values", "32"), "'32': give two shapes at least, as 32,256"),
        (("mnist", "--axis", "batch", "--values", "32,x"), "'x' is not a valid integer"),
        (("mnist", "--axis", "batch", "--values", "32,48001"), "'--values': 48001 is not in the range 1 to 48,000"),
        (
            ("mnist", "--axis", "batch", "--batch", "64"),
            "--batch has no say where --axis batch varies it: give --values",
        ),
        (("mnist", "--axis", "batch", "--backends", "numpi"), "unknown backend 'numpi': did you mean numpy"),
        (("mnist", "--axis", "batch", "--against", "h200"), "unknown profile 'h200': known are epyc-zen4-vm-2-cores"),
        (("w2v", "--axis", "dim", "--against", "epyc-zen4-vm-2-cores"), "run `compare machine`"),
        (
            ("w2v", "--axis", "dim", "--values", "8,16", "--against", "epyc-zen4-vm-2-cores"),
            "--against predicts from 3 shapes or more, not 2: give more --values",
        ),
        (("w2v", "--axis", "vocabulary", "--tokens", "100"), "100 tokens can't hold 1,000 different words"),
        (("w2v", "--axis", "negative", "--values", "1,9999"), "--negative 9999 must be from 0 to 4096"),
    ],
)
def test_bad_input_is_refused_at_once_with_the_cure(arguments, message):
    result = crossover(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_on_one_core_workers_are_swept_by_values_that_are_given_alone(monkeypatch):
    monkeypatch.setattr("compare.commands.crossover.usable_cores", lambda: 1)
    result = crossover("w2v", "--axis", "workers")
    assert result.exit_code == 2
    assert "this machine has one core, and a crossing lies between two shapes: give --values" in " ".join(
        result.output.split()
    )


@pytest.mark.parametrize("arguments", [(), ("mnist",), ("w2v",)])
def test_help_teaches_with_an_example(arguments):
    result = crossover(*arguments, "--help")
    assert result.exit_code == 0 and f"compare crossover {' '.join(arguments)}".strip() in result.output
