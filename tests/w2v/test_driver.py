"""The training loop, with trainers that only record what they are told."""

import threading
import time
from collections import defaultdict

import numpy as np
import pytest

from w2v.corpus import EncodedCorpus
from w2v.driver import Diverged, train
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
    done, totals, threads = zip(*seen, strict=True)
    assert list(done) == sorted(done)
    assert (done[-1], set(totals)) == (20 * 6000 * 3, {20 * 6000 * 3})
    assert set(threads) == {threading.main_thread()}


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

    def interrupt(done, total):
        raise KeyboardInterrupt

    trainer = Slow()
    with pytest.raises(KeyboardInterrupt):
        train(trainer, task(sentences=500, workers=2), interrupt)
    assert 0 < len(trainer.calls) < 250
    assert not training_threads()


def test_weights_that_overflow_are_reported_with_the_cure():
    given = task(alpha=1e6, sample=0.0)
    with pytest.raises(Diverged, match=r"weights are not finite after epoch \d: lower alpha=1000000\.0"):
        train(Hogwild(given), given)
