"""`w2v train` as typed at a prompt."""

import errno
import gzip
import io
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from gensim.models import KeyedVectors
from gensim.models.callbacks import CallbackAny2Vec

from w2v import Word2Vec
from w2v.checkpoint import kept
from w2v.cli import main
from w2v.commands import train as w2v_train


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
    assert result.exit_code == 0
    assert [line.split(":")[0] for line in result.stderr.splitlines()] == ["epoch 1 of 2 done", "epoch 2 of 2 done"]
    assert result.stdout.startswith(f"{output}: 6 vectors; 1,200 words trained at ")
    vectors = KeyedVectors.load_word2vec_format(str(output), binary=binary)
    assert vectors.index_to_key[0] == "the"
    assert vectors.vectors.shape == (6, 8)
    assert os.listdir(output.parent) == ["vectors.txt"]


CHANGES = (
    "-window 1",
    "-negative 1",
    "-sample 0",
    "-min-count 100",
    "-iter 1",
    "-alpha 0.1",
    "-seed 2",
    "-hs 1",
    "-cbow 0",
    "-size 7",
    "--trainer exact",
)


def test_options_reach_the_trainer(corpus, output):
    def vectors(*options):
        assert w2v("train", corpus, "-o", output, "-threads", 1, *options).exit_code == 0
        return output.read_text()

    plain = vectors()
    assert plain == vectors("--epochs", 5, "--window", 5, "--alpha", 0.05, "--cbow", 1)
    assert len({plain, *(vectors(*change.split()) for change in CHANGES)}) == 1 + len(CHANGES)


def test_a_command_line_of_word2vec_c_works_unchanged(corpus, output):
    options = (
        "-cbow 0 -size 8 -window 3 -negative 4 -hs 0 -sample 1e-4 -threads 2 -binary 1 -iter 2 -min-count 1 -debug 0"
    )
    result = w2v("train", "-train", corpus, "-output", output, *options.split())
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert KeyedVectors.load_word2vec_format(str(output), binary=True).vectors.shape == (6, 8)


def test_the_loss_that_is_computed_is_told_without_progress_too(corpus, output):
    result = w2v("train", corpus, "-o", output, "--compute-loss", "-debug", 1)
    assert re.search(r"words/s, loss \d\.\d{4}\n$", result.stdout)


def test_skip_gram_and_cbow_have_word2vec_cs_learning_rates(corpus, output):
    for cbow, alpha in (0, 0.025), (1, 0.05):
        texts = set()
        for options in ([], ["-alpha", alpha]):
            assert w2v("train", corpus, "-o", output, "-threads", 1, "-cbow", cbow, *options).exit_code == 0
            texts.add(output.read_text())
        assert len(texts) == 1


def test_the_vocabulary_is_saved_and_read(corpus, output, tmp_path):
    words = tmp_path / "words"
    assert w2v("train", corpus, "-save-vocab", words).stdout == f"{words}: 6 words\n"
    counted = ["the 200", "cat 100", "dog 50", "mat 50", "on 100", "sat 100"]
    assert words.read_text().startswith("the 200\n")
    assert sorted(words.read_text().splitlines()) == sorted(counted)
    words.write_text("mat 50\ndog 50\nabsent 7\n")
    assert w2v("train", corpus, "-o", output, "-read-vocab", words).exit_code == 0
    assert KeyedVectors.load_word2vec_format(str(output)).index_to_key == ["mat", "dog", "absent"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"mat 50\ndog\n", "line 2: 'dog' is not a word and its count"),
        (b"new york 50\n", "line 1: 'new york 50' is not a word and its count"),
        (b"mat 50\nmat 50\n", "the word 'mat' comes twice"),
        (b"", "a vocabulary needs at least one word"),
        (b"</s> 0\n", "a vocabulary needs at least one word"),
        (b"mat 3\ndog 4\n", "highest count 4 < -min-count 5: lower -min-count"),
        (b"mat 9223372036854775807\ndog 50\n", "the counts add up to more than 64 bits hold"),
        (b"caf\xe9 5\n", "can't decode byte 0xe9"),
    ],
)
def test_a_vocabulary_that_cannot_be_read_is_named(corpus, output, tmp_path, content, complaint):
    words = tmp_path / "words"
    words.write_bytes(content)
    result = w2v("train", corpus, "-o", output, "-read-vocab", words)
    assert result.exit_code == 2
    assert f"Error: {words}: " in result.stderr
    assert complaint in result.stderr


@pytest.mark.parametrize("ends", [0, 100])
def test_the_vocabulary_of_word2vec_c_is_read(corpus, output, tmp_path, ends):
    words = tmp_path / "words"
    words.write_text(f"</s> {ends}\nthe 200\nmat 50\nrare 4\n")
    assert w2v("train", corpus, "-o", output, "-read-vocab", words).exit_code == 0
    assert KeyedVectors.load_word2vec_format(str(output)).index_to_key == ["the", "mat"]
    assert w2v("train", corpus, "-o", output, "-read-vocab", words, "-min-count", 60).exit_code == 0
    assert KeyedVectors.load_word2vec_format(str(output)).index_to_key == ["the"]


def test_classes_are_written_in_place_of_vectors(corpus, output):
    assert w2v("train", corpus, "-o", output, "-classes", 2).exit_code == 0
    lines = [line.split() for line in output.read_text().splitlines()]
    assert {word for word, _ in lines} == {"the", "cat", "sat", "on", "mat", "dog"}
    assert {number for _, number in lines} <= {"0", "1"}


def test_classes_that_cannot_be_are_refused_before_training(corpus, output):
    for classes, complaint in (
        (-1, "-1 is not in the range"),
        (7, "'--classes': 7 must be from 1 to the number of words, 6"),
    ):
        result = w2v("train", corpus, "-o", output, "-classes", classes)
        assert result.exit_code == 2
        assert complaint in result.stderr
        assert "epoch" not in result.stderr
        assert not os.listdir(output.parent)


class StopAfterTwoEpochs(CallbackAny2Vec):
    def __init__(self):
        self.begun = 0

    def on_epoch_begin(self, model):
        self.begun += 1
        if self.begun == 3:
            raise InterruptedError


def test_a_run_goes_on_from_its_checkpoint_which_is_removed_at_the_end(corpus, output, tmp_path):
    checkpoint = tmp_path / "run.ckpt"
    options = [corpus, "-o", output, "-threads", 1, "--checkpoint", checkpoint, "--checkpoint-minutes", 0]
    assert w2v("train", *options, "--resume").exit_code == 0
    straight = output.read_text()
    assert not checkpoint.exists()

    half = Word2Vec(alpha=0.05, workers=1)
    half.build_vocab(corpus_file=corpus)
    with pytest.raises(InterruptedError):
        half.train(checkpoint=checkpoint, callbacks=[StopAfterTwoEpochs()])
    resumed = w2v("train", *options, "--resume")
    assert resumed.stderr.startswith("goes on from its checkpoint: 2 of 5 epochs done, 40.0 % of all words\n")
    assert resumed.stdout.startswith(f"{output}: 6 vectors; 1,800 words trained at ")  # three epochs of five
    assert output.read_text() == straight
    assert not checkpoint.exists()


def test_a_checkpoint_is_neither_overwritten_nor_trusted(corpus, output, tmp_path):
    checkpoint = tmp_path / "run.ckpt"
    options = [corpus, "-o", output, "--checkpoint", checkpoint]
    checkpoint.write_text("")
    result = w2v("train", *options)
    assert result.exit_code == 2
    assert "run.ckpt is there already: add --resume" in result.stderr
    result = w2v("train", *options, "--resume")
    assert result.exit_code == 2
    assert "run.ckpt is no checkpoint" in result.stderr


def test_the_checkpoint_of_another_run_is_like_wrong_usage(corpus, output, tmp_path):
    other = Word2Vec(workers=1)
    other.build_vocab(corpus_file=corpus)
    other.train(checkpoint=tmp_path / "run.ckpt")
    result = w2v("train", corpus, "-o", output, "--checkpoint", tmp_path / "run.ckpt", "--resume")
    assert result.exit_code == 2
    assert "is the checkpoint of another run (alpha: 0.025 there, 0.05 here)" in result.stderr
    assert not os.listdir(output.parent)


def test_a_run_without_a_checkpoint_to_go_on_from_says_so(corpus, output, tmp_path):
    checkpoint = tmp_path / "run.ckpt"
    result = w2v("train", corpus, "-o", output, "--checkpoint", checkpoint, "--resume")
    assert result.stderr.startswith(f"{checkpoint} is not there: training begins anew\n")
    assert result.exit_code == 0


def test_a_long_run_is_foretold(corpus, output, monkeypatch):
    monkeypatch.setattr(w2v_train, "LONG_RUN_WORDS", 1000)
    result = w2v("train", corpus, "-o", output)
    assert result.exit_code == 0
    assert "600 words, 6 of them distinct and kept: about " in result.stderr


def test_a_run_of_days_is_foretold_in_hours():
    expected = SimpleNamespace(memory={"total": 1000}, seconds=100_000)
    model = SimpleNamespace(estimate_run=lambda: expected, corpus_total_words=5, wv="abc")
    told = "5 words, 3 of them distinct and kept: about 1.0 kB of memory and 27:46:40 hours to train"
    assert w2v_train.foretold(model) == told


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
        (b"a b c\n", "Error: 3 distinct words seen, highest count 1 < -min-count 5: lower -min-count or "),
    ],
)
def test_a_corpus_that_cannot_be_read_is_one_line_and_like_wrong_usage(tmp_path, output, content, message):
    path = tmp_path / "bad.txt"
    if content is not None:
        path.write_bytes(content)
    for result in w2v("train", path, "-o", output), w2v("plan", path):
        assert result.exit_code == 2
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert not os.listdir(output.parent)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--trainer", "exat"], "Error: no trainer is called 'exat': did you mean 'exact'?"),
        (["--workers", "0"], "Error: Invalid value for '-threads' / '--workers': 0 must be from 1"),
        (["--alpha", "nan"], "Error: Invalid value for '-alpha' / '--alpha': nan is not a finite number"),
        (["-hs", "2"], "Error: Invalid value for '-hs' / '--hs': 2 is not in the range 0<=x<=1"),
        (["--resume"], "Error: --resume needs --checkpoint FILE"),
        (["--checkpoint-minutes", "5"], "Error: --checkpoint-minutes needs --checkpoint FILE"),
        (["--checkpoint", "run.ckpt", "--checkpoint-minutes", "-1"], "-1.0 is not in the range x>=0"),
        (["-o", ""], "'--output': the name of the file is empty"),
        (["-read-vocab", "absent"], "Error: no such file: 'absent'"),
        (["-read-vocab", "min_count.txt"], "Error: no such file: 'min_count.txt'"),
        (["-read-vocab", "/"], "Error: / is a folder: name the file in it"),
        (["-save-vocab", "absent/words"], "Error: there is no folder absent: make it, or name a file elsewhere"),
        (["--cache", "absent/cache"], "Error: there is no folder absent: make it, or name a file elsewhere"),
        (["--checkpoint", "absent/run"], "Error: there is no folder absent: make it, or name a file elsewhere"),
        (["-train", "again.txt"], "Error: name one text: CORPUS, or -train FILE"),
        (["--vectr-size", "5"], "Did you mean '--vector-size'?"),
        (["-sz", "5"], "No such option '-sz'. Did you mean '-size'?"),
        (["-save-vocab", "-"], "Error: - would be standard output, but what is written is a file"),
    ],
)
def test_wrong_usage_names_the_value_and_the_cure(corpus, output, options, message):
    result = w2v("train", corpus, "-o", output, *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_the_output_is_checked_before_the_corpus_is_read(tmp_path):
    absent = tmp_path / "absent.txt"
    for output, message in [
        (tmp_path, "is a folder: name a file in it"),
        (tmp_path / "no" / "folder", "there is no folder"),
        ("/proc/vectors.txt", "/proc/vectors.txt: can't be written"),
    ]:
        result = w2v("train", absent, "-o", output)
        assert result.exit_code == 2
        assert message in result.stderr


def test_processes_on_the_same_cores_share_them_out(corpus, output, monkeypatch):
    monkeypatch.setattr(w2v_train, "usable_cores", lambda: 8)
    monkeypatch.setattr(w2v_train, "Ranks", lambda comm: SimpleNamespace(rank=0, size=1, sharing_cores=3))
    workers = []
    monkeypatch.setattr(w2v_train, "Word2Vec", lambda **settings: workers.append(settings["workers"]) or Word2Vec())
    for options in [], ["-threads", 5]:
        w2v("train", corpus, "-o", output, *options)
    assert workers == [2, 5]


def test_the_package_runs_as_the_command(corpus):
    done = subprocess.run([sys.executable, "-m", "w2v", "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: python -m w2v ")


def test_the_corpus_is_not_overwritten(corpus):
    before = corpus.read_text()
    result = w2v("train", corpus, "-o", corpus)
    assert result.exit_code == 2
    assert "is the corpus itself" in result.stderr
    assert corpus.read_text() == before


@pytest.mark.parametrize("option", ["-o", "-save-vocab", "--cache", "--checkpoint"])
def test_nothing_is_written_among_the_texts_of_a_folder(corpus, output, option):
    folder = corpus.parent
    result = w2v("train", folder, "-o", output, option, output.parent / ".." / "new")
    assert result.exit_code == 2
    assert "new would be read with the corpus next time: write to another folder" in result.stderr
    assert sorted(os.listdir(folder)) == ["corpus.txt", "out"]
    hidden = ["-o", output, option, folder / ".new"]  # and not of the text
    assert w2v("train", folder, *hidden, "-debug", 0).exit_code == 0


@pytest.mark.parametrize("option", ["-save-vocab", "--cache", "--checkpoint"])
def test_no_file_is_written_for_two_things(corpus, output, option):
    result = w2v("train", corpus, "-o", output, option, output.parent / ".." / "out" / output.name)
    assert result.exit_code == 2
    assert "is named for two things to write" in result.stderr


def test_the_vocabulary_that_is_read_is_not_overwritten(corpus, output):
    output.write_text("the 5\n")
    result = w2v("train", corpus, "-read-vocab", output, "-o", output)
    assert result.exit_code == 2
    assert "is the vocabulary to read" in result.stderr
    assert output.read_text() == "the 5\n"


def test_a_trainer_that_cannot_run_here_says_so_in_a_line(corpus, output, monkeypatch):
    def unavailable(params):
        raise RuntimeError("no NVIDIA driver found: install one")

    monkeypatch.setattr("w2v.trainers.reference.Reference.check", unavailable, raising=False)
    result = w2v("train", corpus, "-o", output, "--trainer", "reference")
    assert (result.exit_code, result.stderr) == (2, "Error: no NVIDIA driver found: install one\n")


def test_an_error_without_words_is_told_by_its_name(corpus, output, monkeypatch):
    def exhausted(*given, **named):
        raise MemoryError

    monkeypatch.setattr(Word2Vec, "train", exhausted)
    result = w2v("train", corpus, "-o", output)
    assert (result.exit_code, result.stderr) == (1, "Error: MemoryError\n")


def test_a_text_in_which_no_word_has_a_neighbour_is_warned_about(tmp_path, output, caplog):
    (tmp_path / "text").write_text("a\nb\n")
    assert w2v("train", tmp_path / "text", "-o", output, "-min-count", 1, "--compute-loss").exit_code == 0
    assert caplog.messages[-1].startswith("nothing was trained: no word had a neighbour left; raise sample=0.001")


def test_a_full_disk_is_told_by_the_file_and_is_no_wrong_usage(corpus, output, monkeypatch):
    def fill(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fill)
    for option in "-o", "-save-vocab", "--cache":
        result = w2v("train", corpus, "-o", output.with_name("other"), "-debug", 0, option, output)
        assert (result.exit_code, result.stderr) == (1, f"Error: {output}: No space left on device\n")
        assert not os.listdir(output.parent)


def test_a_failed_run_leaves_the_former_file(corpus, output):
    output.write_text("former")
    result = w2v("train", corpus, "-o", output, "--alpha", "1e6", "--sample", 0)
    assert result.exit_code == 1
    assert "lower alpha=1000000.0" in result.stderr
    assert output.read_text() == "former"
    assert os.listdir(output.parent) == ["vectors.txt"]


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="standard input has no name here")
@pytest.mark.parametrize("packed", [gzip.compress, bytes])
def test_a_text_comes_from_a_pipe(corpus, output, packed):
    command = [sys.executable, "-m", "w2v", "train", "-", "-threads", "1", "-debug", "0", "-o"]
    subprocess.run([*command, output], input=packed(corpus.read_bytes()), check=True)
    assert w2v("train", corpus, "-threads", 1, "-o", output.with_name("other")).exit_code == 0
    assert output.read_text() == output.with_name("other").read_text()


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="standard input has no name here")
def test_a_zip_from_a_pipe_is_refused(corpus, output):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("text", corpus.read_bytes())
    command = [sys.executable, "-m", "w2v", "train", "-", "-o", output]
    done = subprocess.run(command, input=packed.getvalue(), capture_output=True)
    assert (done.returncode, done.stderr) == (2, b"Error: /dev/stdin is a zip from a pipe: unpack it first\n")


def test_what_is_told_of_one_is_told_in_the_singular(tmp_path, output):
    (tmp_path / "text").write_text("a a a a a a\n")
    result = w2v("train", tmp_path / "text", "-o", output)
    assert result.stdout.startswith(f"{output}: 1 vector; 30 words trained at ")


# A shell's background jobs ignore Ctrl-C, and so would their children.
HEEDED = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"


def interrupted(arguments, until, signal_):
    """The exit code, and what was said, of a command that is sent a signal when something has come to be."""
    program = f"{HEEDED}; from w2v.__main__ import main; main()"
    piped = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=piped) as run:
        while run.poll() is None and not until():
            time.sleep(0.05)
        time.sleep(0.3)  # into the training, most likely; what is promised holds before, too
        run.send_signal(signal_)
        _, errors = run.communicate()
    return run.returncode, errors


@pytest.mark.parametrize(
    ("signal_", "code", "what"), [(signal.SIGINT, 130, "Interrupted"), (signal.SIGTERM, 143, "Terminated")]
)
def test_a_signal_leaves_no_file(corpus, output, signal_, code, what):
    arguments = ["train", corpus, "-o", output, "--epochs", 10_000_000, "-debug", 0]
    told = f"{what}: {output} was not written.\n"
    assert interrupted(arguments, lambda: os.listdir(output.parent), signal_) == (code, told)
    assert not os.listdir(output.parent)


@pytest.mark.parametrize(("signal_", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_keeps_what_was_trained(corpus, output, tmp_path, signal_, code):
    checkpoint = tmp_path / "run.ckpt"
    arguments = ["train", corpus, "-o", output, "--epochs", 10_000_000, "-debug", 0, "--checkpoint", checkpoint]
    returned, told = interrupted(arguments, checkpoint.exists, signal_)
    assert returned == code
    assert told.endswith(f"ed: {output} was not written. {kept(checkpoint)}: go on with --resume.\n")
    assert not os.listdir(output.parent)


def test_ctrl_c_while_the_command_is_being_imported_is_a_line(output):
    slow = f"""if True:
        {HEEDED}
        import sys, time, types
        from w2v.__main__ import main
        def find_spec(name, path, target=None):
            if name == "numpy":
                print("importing", flush=True)
                time.sleep(60)
        sys.meta_path.insert(0, types.SimpleNamespace(find_spec=find_spec))
        main()
    """
    command = [sys.executable, "-c", slow, "train"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "importing\n"
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate()
    assert (run.returncode, errors) == (130, "Interrupted.\n")


def test_ctrl_c_in_any_command_is_130(corpus, monkeypatch):
    def interrupt(self, **given):
        raise KeyboardInterrupt

    monkeypatch.setattr(Word2Vec, "build_vocab", interrupt)
    result = w2v("plan", corpus)
    assert (result.exit_code, result.stderr) == (130, "Interrupted.\n")
