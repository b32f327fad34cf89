"""The training loop, with trainers that only record what they are told."""

import threading
import time
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from w2v.corpus import EncodedCorpus
from w2v.driver import Diverged, Hook, Position, train
from w2v.params import Params
from w2v.tables import initial_syn0, new_table
from w2v.trainers import Task, Trained
from w2v.trainers.hogwild import Hogwild

WORDS = 5


class Recorder:
    """A trainer, and every thread's worker, that notes what each chunk was given."""

    def __init__(self):
        self.calls = defaultdict(list)
        self.finished = 0

    def worker(self, index):
        return self

    def train_chunk(self, begin, end, alpha, seed):
        self.calls[begin].append((end, alpha, seed))
        return Trained(end - begin)

    def finish(self):
        self.finished += 1


def task(sentences: int = 20, length: int = 6000, **params) -> Task:
    """A task of a chunk a sentence, for two of 6,000 words don't go into one."""
    corpus = EncodedCorpus.from_arrays(np.arange(sentences * length).reshape(sentences, length) % WORDS, min_count=1)
    settings = Params(**{"vector_size": 16, "epochs": 3, **params})
    return Task(corpus, settings, initial_syn0(WORDS, 16, seed=1), new_table(WORDS, 16))


def training_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("w2v")]


def test_every_chunk_is_trained_once_an_epoch_and_every_worker_finishes():
    trainer, given = Recorder(), task(workers=3)
    summary = train(trainer, given)
    assert sorted(trainer.calls) == list(range(20))
    assert {len(calls) for calls in trainer.calls.values()} == {3}
    assert trainer.finished == 3 * 3
    assert (summary.trained.kept_words, summary.raw_words) == (20 * 3, 20 * 6000 * 3)


def test_what_a_chunk_is_given_does_not_depend_on_the_number_of_threads():
    alone, together = Recorder(), Recorder()
    train(alone, task(workers=1))
    train(together, task(workers=4))
    assert alone.calls == together.calls


def test_seeds_differ_between_chunks_epochs_and_runs():
    recorders = [Recorder(), Recorder()]
    for seed, trainer in enumerate(recorders):
        train(trainer, task(seed=seed))
    seeds = [seed for trainer in recorders for calls in trainer.calls.values() for _, _, seed in calls]
    assert len(set(seeds)) == len(seeds) == 20 * 3 * 2


def test_progress_rises_to_all_words():
    seen = []
    train(Recorder(), task(workers=2), lambda *progress: seen.append((*progress, threading.current_thread())))
    done, totals, losses, _, threads = zip(*seen, strict=True)
    assert list(done) == sorted(done)
    assert (done[-1], set(totals), set(losses)) == (20 * 6000 * 3, {20 * 6000 * 3}, {None})
    assert set(threads) == {threading.main_thread()}


@pytest.mark.parametrize("seconds", [0, 1000])
def test_progress_tells_the_end_of_an_epoch_once_however_many_threads_end(seconds, monkeypatch):
    monkeypatch.setattr("w2v.driver.PROGRESS_SECONDS", seconds)
    seen = []
    train(Recorder(), task(workers=3), lambda done, *_: seen.append(done), hooks=[Pausing(5, 12)])
    ends = [20 * 6000 * epoch for epoch in range(1, 4)]
    assert [seen.count(end) for end in ends] == [1, 1, 1]
    assert seen == [0, *ends] or seconds == 0


def test_a_loss_beyond_the_integers_of_float32_still_grows():
    assert Trained(0, 2.0**27, 1).plus(Trained(0, 0.25, 1)).loss == 2.0**27 + 0.25


def test_progress_tells_the_mean_loss_of_the_epoch():
    class Losing(Recorder):
        def train_chunk(self, begin, end, alpha, seed):
            return Trained(1, loss=2.0 * (begin + 1), examples=4)

    losses = []
    summary = train(Losing(), task(workers=2), lambda done, total, loss, alpha: losses.append(loss))
    assert losses[-1] == 2 * 210 / (4 * 20)
    assert summary.epochs == (Trained(20, 420.0, 80),) * 3


def test_progress_tells_the_rate_that_is_trained_with():
    tokens = [np.zeros(6000 + 100 * sentence, np.int64) for sentence in range(20)]
    given = replace(task(), corpus=EncodedCorpus.from_arrays(tokens, min_count=1))
    trainer, rates = Recorder(), []
    start = Position(1, 11, (Trained(20), Trained(11)))
    train(trainer, given, lambda done, total, loss, alpha: rates.append(alpha), start=start)
    assert rates[0] == trainer.calls[11][0][1]
    assert rates[-1] == given.params.min_alpha


class Pausing(Hook):
    """Pauses at some chunks, and notes what it is told."""

    def __init__(self, *chunks, trainer=None):
        self.chunks, self.trainer, self.seen = chunks, trainer, []

    def due(self, epoch, chunk):
        return chunk in self.chunks

    def on_pause(self, position):
        self.seen.append(("pause", position.epoch, position.chunk))
        if self.trainer:
            self.seen.append((len(self.trainer.calls), self.trainer.finished, len(training_threads())))

    def on_epoch_begin(self, epoch):
        self.seen.append(("begin", epoch))

    def on_epoch_end(self, position):
        self.seen.append(("end", position.epoch, len(position.trained)))


def test_hooks_are_told_of_every_pause_and_epoch_in_turn():
    hook, bystander = Pausing(7, 8), Pausing()
    train(Recorder(), task(epochs=2), hooks=[hook, bystander])
    first, second = ([("begin", e), ("pause", e, 7), ("pause", e, 8), ("end", e + 1, e + 1)] for e in range(2))
    assert hook.seen == bystander.seen == first + second


def test_at_a_pause_every_thread_has_published_and_ended():
    trainer = Recorder()
    hook = Pausing(7, trainer=trainer)
    train(trainer, task(epochs=1, workers=3), hooks=[hook])
    assert hook.seen[2] == (7, 3, 0)


def test_a_hook_that_is_always_due_pauses_after_each_chunk():
    hook = Pausing(*range(20))
    train(Recorder(), task(epochs=1), hooks=[hook])
    assert [event[2] for event in hook.seen if event[0] == "pause"] == list(range(1, 20))


@pytest.mark.parametrize("workers", [1, 3])
def test_pauses_change_nothing_in_what_is_trained(workers):
    straight, paused = Recorder(), Recorder()
    assert train(straight, task()).trained == train(paused, task(workers=workers), hooks=[Pausing(3, 11)]).trained
    assert straight.calls == paused.calls


def test_a_run_goes_on_from_a_pause_as_if_there_had_been_none():
    class Stop(Pausing):
        def on_pause(self, position):
            if position.epoch == 1:
                raise InterruptedError(position)

    straight, broken = Recorder(), Recorder()
    summary = train(straight, task())
    with pytest.raises(InterruptedError) as stop:
        train(broken, task(), hooks=[Stop(11)])
    (position,) = stop.value.args
    assert position == Position(1, 11, (Trained(20), Trained(11)))
    seen = []
    rest = train(broken, task(), lambda done, *_: seen.append(done), start=position)
    assert broken.calls == straight.calls
    assert rest.epochs == summary.epochs
    assert min(seen) >= (20 + 11) * 6000


def test_a_finished_run_has_nothing_left_to_do():
    trainer = Recorder()
    done = Position(3, 0, (Trained(20),) * 3)
    assert train(trainer, task(), start=done).trained == Trained(60)
    assert not trainer.calls


def test_a_trainer_may_want_larger_chunks():
    trainer = Recorder()
    trainer.chunk_words = 12_000
    train(trainer, task(epochs=1))
    assert sorted(trainer.calls) == list(range(0, 20, 2))


def test_an_error_in_one_thread_reaches_the_caller_and_stops_the_others():
    class Failing(Recorder):
        def train_chunk(self, begin, end, alpha, seed):
            if begin == 1:
                raise RuntimeError("chunk 1 failed")
            time.sleep(0.01)
            return super().train_chunk(begin, end, alpha, seed)

    trainer = Failing()
    with pytest.raises(RuntimeError, match="chunk 1 failed"):
        train(trainer, task(sentences=500, workers=2))
    assert len(trainer.calls) < 250
    assert not training_threads()


def test_ctrl_c_stops_every_thread():
    class Slow(Recorder):
        def train_chunk(self, begin, end, alpha, seed):
            time.sleep(0.01)
            return super().train_chunk(begin, end, alpha, seed)

    def interrupt(done, *_):
        if done:
            raise KeyboardInterrupt

    trainer = Slow()
    with pytest.raises(KeyboardInterrupt):
        train(trainer, task(sentences=500, workers=2), interrupt)
    assert 0 < len(trainer.calls) < 250
    assert not training_threads()


def test_weights_that_overflow_are_reported_with_the_cure():
    given = task(alpha=1e6, sample=0.0)
    with pytest.raises(Diverged, match=r"weights stopped being finite in epoch \d: lower alpha=1000000\.0"):
        train(Hogwild(given), given)


def test_weights_that_were_not_finite_before_are_not_laid_to_the_learning_rate():
    given = task()
    given.syn0[0, 0] = np.nan
    with pytest.raises(Diverged, match="weights are not finite before training: set others"):
        train(Hogwild(given), given)


def test_bad_weights_reach_no_hook():
    given, hook = task(alpha=1e6, sample=0.0), Pausing()
    with pytest.raises(Diverged):
        train(Hogwild(given), given, hooks=[hook])
    assert "end" not in {event[0] for event in hook.seen}
