"""Runs that are killed and go on."""

import dataclasses
import errno
import os
import random
import signal
import subprocess
import sys
import time

import checkpointed_run
import numpy as np
import pytest
from checkpointed_run import SENTENCES, WORDS, new_task, run

from w2v.checkpoint import Checkpoint, kept, resume
from w2v.corpus import EncodedCorpus
from w2v.driver import Diverged, Hook, Position
from w2v.tables import initial_syn0, new_table
from w2v.trainers import Task

TRAINERS = ["hogwild", "exact"]


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_run_killed_at_any_moment_ends_as_if_it_had_not_been(trainer, tmp_path):
    checkpoint, result = tmp_path / "run.ckpt", tmp_path / "result.npz"
    command = [sys.executable, checkpointed_run.__file__, trainer, checkpoint, result]
    dice = random.Random(trainer)
    for _ in range(3):
        before = checkpoint.stat().st_ino if checkpoint.exists() else None
        with subprocess.Popen(command) as process:
            while not checkpoint.exists() or checkpoint.stat().st_ino == before:
                assert process.poll() is None
                time.sleep(0.001)
            time.sleep(dice.uniform(0, 0.02))
            process.kill()
    assert not result.exists()  # so that it was killed, each time
    subprocess.run(command, check=True)

    straight = new_task()
    run(trainer, straight)
    with np.load(result) as resumed:
        for name, table in straight.tables.items():
            np.testing.assert_array_equal(resumed[name], table)


class Stop(Hook):
    """Ends a run before some chunk of the second epoch."""

    def due(self, epoch, chunk):
        return (epoch, chunk) == (1, 7)

    def on_pause(self, position):
        if self.due(position.epoch, position.chunk):
            raise InterruptedError


def interrupted(trainer, path, minutes=0.0, **params):
    """Train and be stopped, with a checkpoint of the last moment unless `minutes` is not 0; return what was trained."""
    task = new_task(**params)
    with pytest.raises(InterruptedError):
        run(trainer, task, Checkpoint(path, trainer, task, minutes), Stop())
    return task


@pytest.mark.parametrize("trainer", TRAINERS)
def test_several_workers_go_on_with_the_same_words_schedule_and_loss(trainer, tmp_path):
    straight = run(trainer, new_task(workers=3))
    interrupted(trainer, tmp_path / "x", workers=3)
    task = new_task(workers=2)  # the number may change
    resumed = run(trainer, task, start=resume(tmp_path / "x", trainer, task))
    if trainer == "hogwild":  # in "exact", what is drawn depends on the threads' timing
        assert [done.kept_words for done in resumed.epochs] == [done.kept_words for done in straight.epochs]
    for one, other in zip(resumed.epochs, straight.epochs, strict=True):  # how far threads drift apart varies
        assert one.loss / max(one.examples, 1) == pytest.approx(other.loss / max(other.examples, 1), rel=0.2)


def test_a_checkpoint_restores_weights_and_position(tmp_path):
    stopped = interrupted("hogwild", tmp_path / "x")
    task = new_task()
    position = resume(tmp_path / "x", "hogwild", task)
    assert (position.epoch, position.chunk, len(position.trained)) == (1, 7, 2)
    for name, table in stopped.tables.items():
        np.testing.assert_array_equal(task.tables[name], table)


def test_before_its_time_only_the_end_of_an_epoch_is_saved(tmp_path):
    interrupted("hogwild", tmp_path / "x", minutes=60)
    position = resume(tmp_path / "x", "hogwild", new_task())
    assert (position.epoch, position.chunk, len(position.trained)) == (1, 0, 1)


def test_ranks_save_at_the_end_of_an_epoch_alone(tmp_path):
    task = dataclasses.replace(new_task(), ranks=2)
    with pytest.raises(InterruptedError):
        run("hogwild", task, Checkpoint(tmp_path / "x", "hogwild", task, minutes=0), Stop())
    assert resume(tmp_path / "x", "hogwild", task).chunk == 0


@pytest.mark.parametrize(
    ("minutes", "complaint"), [(-1, "must be 0 or more"), ("5", "is not a finite number"), (None, "is not a finite")]
)
def test_bad_minutes_are_refused(tmp_path, minutes, complaint):
    with pytest.raises(ValueError, match=f"checkpoint_minutes={minutes!r} {complaint}"):
        Checkpoint(tmp_path / "x", "hogwild", new_task(), minutes=minutes)


def test_minutes_may_be_of_a_type_that_holds_no_hour_of_seconds(tmp_path):
    Checkpoint(tmp_path / "x", "hogwild", new_task(), minutes=np.int8(60))


class Signal(Hook):
    """Sends a signal to this process before some chunk of the second epoch, and waits until `saver` knows of it."""

    def __init__(self, number, saver):
        self.number, self.saver = number, saver

    def due(self, epoch, chunk):
        if (epoch, chunk) == (1, 7):
            os.kill(os.getpid(), self.number)
            while not self.saver.due(epoch, chunk):
                time.sleep(0.001)
        return False


def exit_in_order(number, frame):
    raise SystemExit(143)


@pytest.mark.parametrize(
    ("number", "handler", "raised"),
    [(signal.SIGINT, signal.default_int_handler, KeyboardInterrupt), (signal.SIGTERM, exit_in_order, SystemExit)],
)
def test_a_run_that_is_stopped_is_saved_and_goes_on_from_there(tmp_path, number, handler, raised):
    former = signal.signal(number, handler)
    try:
        task = new_task()
        with pytest.raises(raised), Checkpoint(tmp_path / "x", "hogwild", task) as saver:
            run("hogwild", task, saver, Signal(number, saver))
        assert signal.getsignal(number) is handler
    finally:
        signal.signal(number, former)
    resumed = new_task()
    start = resume(tmp_path / "x", "hogwild", resumed)
    assert (start.epoch, start.chunk) == (1, 8)
    run("hogwild", resumed, start=start)
    straight = new_task()
    run("hogwild", straight)
    np.testing.assert_array_equal(resumed.syn0, straight.syn0)


def test_a_path_that_cannot_be_written_is_refused_before_training(tmp_path):
    for path, complaint in (tmp_path, "is a folder"), (tmp_path / "no" / "x", "there is no folder"):
        with pytest.raises(OSError, match=complaint):
            Checkpoint(path, "hogwild", new_task())


def other_corpus():
    tokens = np.random.default_rng(2).integers(WORDS, size=(SENTENCES, 6000))
    corpus = EncodedCorpus.from_arrays(tokens, min_count=1)
    return Task(corpus, new_task().params, initial_syn0(WORDS, 16, seed=1), new_table(WORDS, 16))


@pytest.mark.parametrize(
    ("trainer", "task", "difference"),
    [
        ("exact", new_task(), r"trainer: 'hogwild' there, 'exact' here"),
        ("hogwild", new_task(window=3, alpha=0.1), r"alpha: 0\.025 there, 0\.1 here; window: 5 there, 3 here"),
        ("hogwild", other_corpus(), r"checksum of the vocabulary: .*; checksum of the corpus: \d+ there, \d+ here"),
    ],
)
def test_the_checkpoint_of_another_run_is_refused_naming_what_differs(tmp_path, trainer, task, difference):
    interrupted("hogwild", tmp_path / "x")
    before = task.syn0.copy()
    with pytest.raises(ValueError, match=rf"x is the checkpoint of another run \({difference}\): go on as"):
        resume(tmp_path / "x", trainer, task)
    np.testing.assert_array_equal(task.syn0, before)


def test_what_is_no_checkpoint_is_refused(tmp_path):
    path = tmp_path / "x"
    with pytest.raises(FileNotFoundError):
        resume(path, "hogwild", new_task())
    path.write_text("the cat sat on the mat")
    with pytest.raises(ValueError, match="x is no checkpoint, or damaged: File is not a zip file"):
        resume(path, "hogwild", new_task())
    with path.open("wb") as file:
        np.savez(file, other=np.zeros(3))
    with pytest.raises(ValueError, match=r"x is no checkpoint, or damaged: There is no item named 'checkpoint.json'"):
        resume(path, "hogwild", new_task())


def test_a_disk_that_is_full_for_a_while_costs_a_save_and_no_more(tmp_path, monkeypatch, caplog):
    path, task, flush, flushed = tmp_path / "x", new_task(), os.fsync, []

    def fill(descriptor):
        flushed.append(descriptor)
        if len(flushed) > 2:  # the first save's file and folder
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", fill)
    run("hogwild", task, Checkpoint(path, "hogwild", task, minutes=60))
    assert kept(path) == f"{path} keeps what was trained until the end of epoch 1 of 2"
    assert caplog.messages == [f"the checkpoint was not written ({path}: No space left on device): {kept(path)}"]
    monkeypatch.undo()
    interrupted("hogwild", path)
    assert kept(path) == f"{path} keeps what was trained until a point within epoch 2 of 2"


def test_numpy_can_open_a_checkpoint(tmp_path):
    stopped = interrupted("hogwild", tmp_path / "x")
    with np.load(tmp_path / "x") as saved:
        for name, table in stopped.tables.items():
            np.testing.assert_array_equal(saved[name], table)


def test_a_damaged_checkpoint_is_refused_and_changes_no_weight(tmp_path):
    path, task = tmp_path / "x", new_task()
    trained = interrupted("hogwild", path)
    content = path.read_bytes()
    last = content.index(trained.syn1neg[-1].tobytes())
    path.write_bytes(content[:last] + b"\0" + content[last + 1 :])
    with pytest.raises(ValueError, match="x is no checkpoint, or damaged: Bad CRC"):
        resume(path, "hogwild", task)
    for name, table in new_task().tables.items():
        np.testing.assert_array_equal(task.tables[name], table)


def test_weights_that_are_not_finite_are_not_saved(tmp_path):
    task = new_task(alpha=1e6, sample=0.0)
    with pytest.raises(Diverged, match="in epoch 1:"):
        run("hogwild", task, Checkpoint(tmp_path / "x", "hogwild", task, minutes=0))
    assert not os.listdir(tmp_path)


class Spoil(Hook):
    """Puts a NaN into the weights when the first epoch is done."""

    def __init__(self, task):
        self._task = task

    def on_epoch_end(self, position):
        self._task.syn0[0, 0] = np.nan


def test_weights_that_a_callback_spoils_are_not_saved_and_laid_to_the_epoch_that_ended(tmp_path):
    task = new_task()
    with pytest.raises(Diverged, match="in epoch 1:"):
        run("hogwild", task, Spoil(task), Checkpoint(tmp_path / "x", "hogwild", task))
    assert not os.listdir(tmp_path)


def test_a_finished_run_resumes_to_its_end(tmp_path):
    task = new_task()
    summary = run("hogwild", task, Checkpoint(tmp_path / "x", "hogwild", task))
    again = new_task()
    start = resume(tmp_path / "x", "hogwild", again)
    assert start == Position(2, 0, summary.epochs)
    assert run("hogwild", again, start=start).epochs == summary.epochs
    np.testing.assert_array_equal(again.syn0, task.syn0)
