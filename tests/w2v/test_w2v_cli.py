"""`w2v train` as typed at a prompt."""

import os
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner
from gensim.models import KeyedVectors

from w2v.cli import main


def w2v(*arguments, **environment):
    return CliRunner(env={"FORCE_COLOR": None, **environment}).invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("the cat sat on the mat\nthe dog sat on the cat\n" * 50)
    return path


@pytest.fixture
def output(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "vectors.txt"


@pytest.mark.parametrize("arguments", [(), ("train",)])
def test_help_teaches_with_an_example(arguments):
    result = w2v(*arguments, "--help")
    assert result.exit_code == 0
    assert "w2v train " in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize("binary", [False, True])
def test_vectors_are_written_and_summed_up_in_a_line(corpus, output, binary):
    result = w2v("train", corpus, "-o", output, "--vector-size", 8, "--epochs", 2, *["--binary"] * binary)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{output}: 6 vectors; 1,200 words trained at ")
    vectors = KeyedVectors.load_word2vec_format(str(output), binary=binary)
    assert vectors.index_to_key[0] == "the"
    assert vectors.vectors.shape == (6, 8)
    assert os.listdir(output.parent) == ["vectors.txt"]


def test_options_reach_the_trainer(corpus, output):
    def vectors(*options):
        assert w2v("train", corpus, "-o", output, "--workers", 1, *options).exit_code == 0
        return output.read_text()

    plain = vectors()
    assert plain == vectors("--epochs", 5, "--window", 5)
    changes = ["--window 1", "--negative 1", "--sample 0", "--min-count 100", "--epochs 1", "--alpha 0.1", "--seed 2"]
    changed = [vectors(*change.split()) for change in [*changes, "--trainer exact"]]
    assert len({plain, *changed}) == 9


def test_a_terminal_sees_a_bar_with_the_speed(corpus, output):
    result = w2v("train", corpus, "-o", output, "--epochs", 50, FORCE_COLOR="1", COLUMNS="80")
    assert "words/s" in result.stderr
    assert "words/s" in result.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "Error: no such file: "),
        (b"", "is empty"),
        (b"caf\xe9 au lait\n", "not UTF-8"),
        (b"a b c\n", "Error: 3 types seen, highest count 1 < min_count 5: "),
    ],
)
def test_a_corpus_that_cannot_be_read_is_one_line(tmp_path, output, content, message):
    path = tmp_path / "bad.txt"
    if content is not None:
        path.write_bytes(content)
    result = w2v("train", path, "-o", output)
    assert result.exit_code == 1
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not os.listdir(output.parent)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--trainer", "exat"], "Error: no trainer is called 'exat': did you mean 'exact'?"),
        (["--workers", "0"], "Error: workers=0 must be from 1"),
        (["--alpha", "nan"], "Error: alpha=nan is not a finite number"),
        (["--vectr-size", "5"], "Did you mean '--vector-size'?"),
    ],
)
def test_wrong_usage_names_the_value_and_the_cure(corpus, output, options, message):
    result = w2v("train", corpus, "-o", output, *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_the_output_is_checked_before_the_corpus_is_read(tmp_path):
    absent = tmp_path / "absent.txt"
    for output, message in [
        (tmp_path, "is not a file"),
        (tmp_path / "no" / "folder", "there is no folder"),
        ("/proc/vectors.txt", "/proc/vectors.txt can't be written"),
    ]:
        result = w2v("train", absent, "-o", output)
        assert result.exit_code == 1
        assert message in result.stderr


def test_the_corpus_is_not_overwritten(corpus):
    before = corpus.read_text()
    result = w2v("train", corpus, "-o", corpus)
    assert result.exit_code == 2
    assert "is the corpus itself" in result.stderr
    assert corpus.read_text() == before


def test_a_failed_run_leaves_the_former_file(corpus, output):
    output.write_text("former")
    result = w2v("train", corpus, "-o", output, "--alpha", "1e6", "--sample", 0)
    assert result.exit_code == 1
    assert "lower alpha=1000000.0" in result.stderr
    assert output.read_text() == "former"
    assert os.listdir(output.parent) == ["vectors.txt"]


def test_ctrl_c_leaves_no_file(corpus, output):
    command = [sys.executable, "-c", "from w2v.cli import main; main()", "train", corpus, "-o", output]
    piped = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
    with subprocess.Popen([*command, "--epochs", "10000000"], stderr=subprocess.PIPE, text=True, env=piped) as run:
        while run.poll() is None and not os.listdir(output.parent):
            time.sleep(0.05)
        time.sleep(0.3)  # into the training, most likely; what is promised holds before, too
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate()
    assert run.returncode == 130
    assert errors == f"Interrupted: {output} was not written.\n"
    assert not os.listdir(output.parent)
