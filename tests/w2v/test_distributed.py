"""Real jobs of several ranks on this machine."""

import json
import shutil
import sys

import numpy as np
import pytest
from mpi import mpiexec, needs_mpi, program, topic_score, write_topics

from w2v import Word2Vec

pytestmark = needs_mpi

SHELL = "from w2v.cli import main; main()"

TRAINED = """
path, folder = sys.argv[1:]
model = Word2Vec(corpus_file=path, **settings)
np.savez(f"{folder}/{comm.rank}", syn0=model.wv.vectors, syn1neg=model.syn1neg, counts=model.wv.expandos["count"],
         words=model.wv.index_to_key, total=model.corpus_total_words)
"""


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return write_topics(tmp_path_factory.mktemp("text") / "topics.txt")


@pytest.fixture(scope="module")
def local(text):
    return Word2Vec(corpus_file=text, sg=1, vector_size=20, window=3, min_count=1, workers=1, sample=0.0)


def trained(ranks, text, folder):
    """What each of so many ranks holds after training."""
    job = program(ranks, TRAINED, text, folder)
    assert job.returncode == 0, job.stderr
    return [dict(np.load(folder / f"{rank}.npz")) for rank in range(ranks)]


def assert_ends(job, *messages):
    """That a job failed, with one of these messages."""
    assert job.returncode != 0
    assert any(message in job.stderr for message in messages), job.stderr


def test_one_rank_is_the_local_run_bit_for_bit(text, local, tmp_path):
    (alone,) = trained(1, text, tmp_path)
    np.testing.assert_array_equal(alone["syn0"], local.wv.vectors)
    np.testing.assert_array_equal(alone["syn1neg"], local.syn1neg)


@pytest.mark.parametrize("ranks", [2, 4])
def test_all_ranks_end_with_one_model_of_the_whole_text_as_good_as_the_local_one(ranks, text, local, tmp_path):
    first, *others = trained(ranks, text, tmp_path)
    assert list(first["words"]) == local.wv.index_to_key
    np.testing.assert_array_equal(first["counts"], local.wv.expandos["count"])
    assert first["total"] == local.corpus_total_words
    for other in others:
        for name in first:
            np.testing.assert_array_equal(other[name], first[name])
    assert (
        topic_score(list(first["words"]), first["syn0"]) >= topic_score(local.wv.index_to_key, local.wv.vectors) - 0.05
    )


def test_parts_of_unequal_size_do_the_same_syncs():
    job = program(
        3,
        """
sentences = [["a", "b", "c", "d"] * 2500] * (1 + 9 * comm.rank)  # so many chunks, too
model = Word2Vec(sentences, epochs=2, **settings)
assert model.corpus_total_words == 10_000 * (1 + 10 + 19)
checksums = comm.allgather(model.wv.vectors.tobytes())
assert len(set(checksums)) == 1
""",
    )
    assert job.returncode == 0, job.stderr


def test_a_rank_that_raises_ends_the_job_with_its_message(text):
    job = program(
        2,
        """
from gensim.models.callbacks import CallbackAny2Vec
class Failing(CallbackAny2Vec):
    def on_epoch_begin(self, model):
        if comm.rank:
            raise RuntimeError("no more paper")
Word2Vec(corpus_file=sys.argv[1], callbacks=[Failing()], **settings)
""",
        text,
    )
    assert_ends(job, "RuntimeError: no more paper")


def test_a_rank_that_is_killed_ends_the_job(text):
    job = program(
        2,
        """
import os, signal
model = Word2Vec(progress=lambda *_: None, **settings)
model.build_vocab(corpus_file=sys.argv[1])
if comm.rank:
    os.kill(os.getpid(), signal.SIGKILL)
model.train()
""",
        text,
    )
    assert_ends(job, "")


OTHER_TEXTS = """
from pathlib import Path
text = Path(sys.argv[1]).read_text()
mine = Path(sys.argv[1]).with_name(f"of rank {comm.rank}")
mine.write_text(text.replace("7", str(7 + comm.rank)))
Word2Vec(corpus_file=mine, **settings)
"""


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("Word2Vec(corpus_file=sys.argv[1], alpha=0.01 + 0.01 * comm.rank, **settings)", "alpha: 0.01 and 0.02"),
        (
            "from w2v.distributed import ranks; ranks.version = lambda _: f'1.{comm.rank}'; Word2Vec(**settings)",
            "version of w2v-compare: '1.0' and '1.1'",
        ),
        (
            "Word2Vec(corpus_file=sys.argv[1] if comm.rank else sys.executable, **settings)",
            "bytes of the corpus's files: [",
        ),
        (OTHER_TEXTS, "checksums of samples of them: ["),
        ("Word2Vec([['a']], **settings)", "all ranks have the same corpus: give each its own part"),
        ("Word2Vec([['a', 'b']] * (1 - comm.rank), **settings)", "rank 1: no word of the corpus is in the vocabulary"),
        (
            "Word2Vec(corpus_file=sys.argv[1] if comm.rank else 'nowhere', **settings)",
            "rank 0: no such file: 'nowhere'",
        ),
    ],
    ids=[
        "settings",
        "versions",
        "sizes of files",
        "contents of files",
        "the same corpus twice",
        "no corpus on one",
        "no file on one",
    ],
)
def test_ranks_that_cannot_train_together_are_told_so(code, message, text):
    job = program(2, code, text)
    assert_ends(job, message)


RESUMED = """
from gensim.models.callbacks import CallbackAny2Vec
path, checkpoint = sys.argv[1:]
class Stop(CallbackAny2Vec):
    def on_epoch_end(self, model):
        if len(model.epoch_losses) == 2 and comm.size == 4:
            sys.exit(3)
model = Word2Vec(epochs=3, compute_loss=True, **settings)
model.build_vocab(corpus_file=path)
kept, words = model.train(checkpoint=checkpoint, callbacks=[Stop()])
if comm.rank == 0:
    print(json.dumps([kept, words, *model.epoch_losses]))
"""


def test_a_checkpoint_goes_on_with_another_number_of_ranks(text, tmp_path):
    assert program(4, RESUMED, text, tmp_path / "run").returncode == 3
    results = []
    for ranks in 1, 2:
        checkpoint = shutil.copy(tmp_path / "run", tmp_path / f"copy{ranks}")
        job = program(ranks, RESUMED, text, checkpoint)
        assert job.returncode == 0, job.stderr
        results.append(json.loads(job.stdout))
    for kept, words, *losses in results:
        assert kept == words == 3 * 60_000
        assert (
            losses[0] == results[0][2] > losses[1] > losses[2]
        )  # of the first epoch only what is in the file is known


def test_the_shell_trains_on_ranks_and_writes_once(text, tmp_path):
    output, cache = tmp_path / "vectors.txt", tmp_path / "cache"
    command = [sys.executable, "-c", SHELL, "train", text, "-o", output, "-threads", 1, "-iter", 1, "--cache", cache]
    job = mpiexec(2, *command)
    assert job.returncode == 0, job.stderr
    assert job.stdout.startswith(f"{output}: 80 vectors; 60,000 words trained")
    assert len(output.read_text().splitlines()) == 81


def test_the_shell_tells_of_an_error_of_one_rank(tmp_path):
    (tmp_path / "short.txt").write_text("a b c d")
    job = mpiexec(9, sys.executable, "-c", SHELL, "train", tmp_path / "short.txt", "-o", tmp_path / "x")
    assert_ends(job, "short.txt has no text for part")
