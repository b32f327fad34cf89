"""A run that saves a checkpoint after every chunk: a program for test_checkpoint.py to kill.

usage: checkpointed_run.py TRAINER CHECKPOINT RESULT
"""

import os
import sys

import numpy as np

from w2v.checkpoint import Checkpoint, resume
from w2v.corpus import EncodedCorpus
from w2v.driver import Hook, Position, Summary, train
from w2v.params import Params
from w2v.tables import initial_syn0, new_table
from w2v.trainers import Task, trainer_class

WORDS, SENTENCES = 50, 40


def new_task(**params) -> Task:
    """A task of 40 chunks an epoch."""
    tokens = np.random.default_rng(1).integers(WORDS, size=(SENTENCES, 6000))
    settings = Params(**{"sg": 1, "vector_size": 16, "epochs": 2, "workers": 1, "compute_loss": True, **params})
    corpus = EncodedCorpus.from_arrays(tokens, min_count=1)
    return Task(corpus, settings, initial_syn0(WORDS, 16, seed=1), new_table(WORDS, 16))


def run(trainer: str, task: Task, *hooks: Hook, **position: Position) -> Summary:
    """Train, from the start or another position."""
    return train(trainer_class(trainer)(task), task, hooks=hooks, **position)


if __name__ == "__main__":
    trainer, checkpoint, result = sys.argv[1:]
    task = new_task()
    start = resume(checkpoint, trainer, task) if os.path.exists(checkpoint) else Position()
    run(trainer, task, Checkpoint(checkpoint, trainer, task, minutes=0), start=start)
    np.savez(result, **task.tables)
