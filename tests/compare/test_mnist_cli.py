"""`compare mnist` from end to end, on the embedded digits."""

from __future__ import annotations

import errno
import json

import pytest
from click.testing import CliRunner

from compare.cli import main
from mnist import data


def compare_mnist(*arguments: str):
    return CliRunner().invoke(main, ("mnist", *arguments))


@pytest.fixture
def offline(monkeypatch):
    def unreachable(folder, progressbar):
        raise ConnectionError("example.org: ConnectTimeout")

    monkeypatch.setattr(data, "download", unreachable)


def test_offline_the_stand_in_is_measured_and_named(offline, tmp_path):
    out = tmp_path / "result.json"
    options = "--backends numpy --batch-sizes 5000,8000 --epochs 2 --repeats 1 --hidden 16 --lr 0.5 --threads 1"
    result = compare_mnist(*options.split(), "--out", str(out))
    assert result.exit_code == 0, result.output
    assert "MNIST can't be downloaded (example.org: ConnectTimeout): UCI digits enlarged" in result.stderr
    assert "Data: UCI digits enlarged to 28x28 (stand-in for MNIST)" in result.stdout
    assert "numpy at batch" not in result.stdout
    assert result.stdout.splitlines()[-1].startswith("Verdict: ")
    cells = json.loads(out.read_text())["cells"]
    assert [(cell["backend"], cell["shape"]["batch"]) for cell in cells] == [
        ("numpy", 5000),
        ("numpy", 8000),
        ("reference", 5000),
        ("reference", 8000),
    ]
    for cell in cells:
        (run,) = cell["runs"]
        assert run["status"] == "ok"
        assert len(run["samples"]) == len(run["facts"]["losses"]) == 2
        assert run["facts"]["losses"][0] > run["facts"]["losses"][1] > 0
        assert 0.1 < run["quality"]["accuracy"] < 1
        assert set(run["facts"]["threads"]["pools"].values()) == {1}
        assert len(run["facts"]["step_losses"]) == -(-48_000 // cell["shape"]["batch"])


def test_a_learning_rate_that_overflows_ends_as_diverged(offline):
    options = "--backends numpy --batch-sizes 8000 --epochs 2 --repeats 1 --hidden 16 --lr 1e30"
    result = compare_mnist(*options.split())
    assert result.exit_code == 1
    assert "numpy diverged: loss is nan (batch 8000)" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--backends", "numpi"), "unknown backend 'numpi': did you mean numpy"),
        (("--batch-sizes", "0"), "0 is not in the range 1 to 48,000"),
        (("--batch-sizes", "32,48001"), "48001 is not in the range 1 to 48,000"),
        (("--batch-sizes", "32,x"), "'x' is not a valid integer"),
        (("--lr", "nan"), "'nan' is not a finite number"),
        (("--hidden", "128,0x64"), "0 is not in the range 1 to 65,536"),
        (("--hidden", "5x"), "'5x': give hidden units, as 128 or, of two layers, 512x512"),
        (("--hidden", "128,,64"), "'128,,64': give networks by their hidden units, as 128 or 128,512x512"),
        (("--ops", "--details"), "--details and --ops show different things: give one of them"),
        (("--ops", "--backends", "numpy"), "--ops takes a step apart in every array library: leave --backends out"),
        (("--overhead", "--backends", "numpy-example,numpy"), "numpy-example trains one example at a time"),
        (("--data-dir", "/no/such/folder"), "'/no/such/folder' does not exist"),
    ],
)
def test_bad_input_is_refused_at_once_with_the_cure(arguments, message):
    result = compare_mnist(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize("view", [(), ("--overhead",), ("--details", "--dry-run"), ("--dtype", "float64")])
def test_without_a_row_that_can_run_here_nothing_is_measured(offline, view, monkeypatch):
    monkeypatch.setattr("mnist.backends.find_spec", lambda module: None)
    result = compare_mnist("--backends", "jax,native-bf16" if "float64" in view else "jax", *view)
    assert result.exit_code == 2 and result.stdout == ""
    assert "no row can run here: jax: jax not installed: pip install 'w2v-compare[jax]'" in result.stderr


def test_a_folder_without_mnist_is_refused_with_the_cure(tmp_path):
    result = compare_mnist("--data-dir", str(tmp_path))
    assert result.exit_code == 2
    assert "has neither train-images-idx3-ubyte nor train-images-idx3-ubyte.gz" in result.output


def test_a_cache_that_can_not_be_written_is_no_wrong_usage(monkeypatch):
    def refused(folder, progressbar):
        raise PermissionError(errno.EACCES, "Permission denied", "/cache/mnist")

    monkeypatch.setattr(data, "download", refused)
    result = compare_mnist("--backends", "numpy")
    assert result.exit_code == 1 and result.stderr == "Error: /cache/mnist: Permission denied\n"


def test_a_damaged_file_is_named_before_any_run(tmp_path):
    for name in data.SHA256:
        (tmp_path / name).write_bytes(b"damaged")
    result = compare_mnist("--data-dir", str(tmp_path))
    assert result.exit_code == 2
    assert "train-images-idx3-ubyte is not MNIST's" in result.output and "delete it" in result.output


def test_backends_are_listed_with_the_cure_of_those_that_miss_a_library(monkeypatch):
    monkeypatch.setattr("mnist.backends.find_spec", lambda module: None)
    output = CliRunner().invoke(main, ("list",)).output
    assert "jax not installed: pip install 'w2v-compare[jax]'" in " ".join(output.split())
