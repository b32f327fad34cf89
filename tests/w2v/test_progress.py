"""What is told of training: to the log, as lines, as a bar."""

import io
import logging
import time

import pytest

import w2v.progress
from w2v import Word2Vec
from w2v.params import Params

SENTENCES = [["a", "b", "c", "d"] * 5] * 40


def train(**settings):
    return Word2Vec(SENTENCES, vector_size=8, workers=1, **{"epochs": 2, **settings})


def test_the_end_of_each_epoch_is_logged(caplog):
    caplog.set_level(logging.INFO, "w2v.progress")
    train(compute_loss=True)
    first, second = (record.getMessage() for record in caplog.records if record.name == "w2v.progress")
    assert first.startswith("epoch 1 of 2 done: 50.0 % of all words, ")
    assert " words/s, alpha 0.01255, loss " in first
    assert second.startswith("epoch 2 of 2 done: 100.0 % of all words, ")


def test_within_an_epoch_a_line_comes_every_few_seconds(caplog, monkeypatch):
    seconds = iter([0, 1, 10, 11, 20])
    monkeypatch.setattr(time, "perf_counter", lambda: next(seconds))
    caplog.set_level(logging.INFO, "w2v.progress")
    log = w2v.progress.Log(Params(epochs=2))
    for done in 100, 150, 200, 250, 300:  # of a run that goes on from 10 %
        log(done, 1000, None, 1 / done)
    assert [record.getMessage() for record in caplog.records] == [
        "goes on from its checkpoint: 0 of 2 epochs done, 10.0 % of all words",
        "epoch 1 of 2: 20.0 % of all words, 10 words/s, alpha 0.005",
        "epoch 1 of 2: 30.0 % of all words, 10 words/s, alpha 0.003333",
    ]


def test_progress_true_writes_lines_where_there_is_no_terminal(monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    written = io.StringIO()
    monkeypatch.setattr("sys.stderr", written)
    train(progress=True)
    assert [line.split(":")[0] for line in written.getvalue().splitlines()] == [
        "epoch 1 of 2 done",
        "epoch 2 of 2 done",
    ]
    train(progress=False)
    assert len(written.getvalue().splitlines()) == 2


def test_lines_that_a_log_puts_on_standard_error_already_are_not_put_there_again(monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    written = io.StringIO()
    monkeypatch.setattr("sys.stderr", written)
    handler = logging.StreamHandler()  # as logging.basicConfig() makes one
    logging.getLogger().addHandler(handler)
    try:
        train(progress=True)
    finally:
        logging.getLogger().removeHandler(handler)
    assert len(written.getvalue().splitlines()) == 2


def test_progress_true_shows_a_bar_on_a_terminal(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    written = io.StringIO()
    monkeypatch.setattr("sys.stderr", written)
    train(progress=True, epochs=50)
    assert "words/s" in written.getvalue()
    assert "epoch" not in written.getvalue()


def test_progress_that_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="progress='yes' must be True, or be called with"):
        Word2Vec(progress="yes")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "level", "told"), [(Terminal(), logging.WARNING, "slow\n"), (Terminal(), logging.INFO, "")]
)
def test_who_sits_at_a_terminal_is_told_what_no_log_takes(stream, level, told, caplog, monkeypatch):
    monkeypatch.setattr("sys.stderr", stream)
    caplog.set_level(level, "w2v.progress")
    w2v.progress.tell("slow")
    assert (stream.getvalue(), [record.getMessage() for record in caplog.records]) == (told, [] if told else ["slow"])
