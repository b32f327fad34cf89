"""Checkpoints: weights and position of a run in a file, from which it goes on as if it had never stopped."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from typing import Any

import numpy as np

from w2v.archive import Archive, write_archive
from w2v.driver import Hook, Position, require_finite
from w2v.files import writable
from w2v.trainers import Task, Trained

FORMAT = 1
HEADER = "checkpoint.json"


class Checkpoint(Hook):
    """Saves a run while it trains. The file is whole at every moment: each save takes the place of the last.

    With one worker, a run that goes on from the file gives the weights of one that never stopped, bit for bit; with
    several, the order in which threads meet is never the same twice, but words, learning rates and samples are.

    Parameters
    ----------
    path : path
        An uncompressed `.npz` file, about as large as the weight tables.
    trainer : str
        The trainer's name.
    minutes : float, optional
        The time from one save to the next, in the midst of an epoch if need be; None for a save after every epoch.

    Raises
    ------
    ValueError, OSError
        On construction, if `minutes` is below 0 or `path` can't be written.
    """

    def __init__(self, path: str | os.PathLike[str], trainer: str, task: Task, minutes: float | None = None) -> None:
        if minutes is not None and not minutes >= 0:
            raise ValueError(f"checkpoint_minutes={minutes!r} must be 0 or more, or None to save after every epoch")
        self._path, self._trainer, self._task = writable(path), trainer, task
        self._seconds = None if minutes is None else 60 * minutes
        self._saved_at = time.monotonic()

    def due(self, epoch: int, chunk: int) -> bool:
        """Whether the time is up."""
        return self._seconds is not None and time.monotonic() >= self._saved_at + self._seconds

    def on_pause(self, position: Position) -> None:
        """Save if it was this hook that asked for the pause."""
        if self.due(position.epoch, position.chunk):
            self._save(position)

    def on_epoch_end(self, position: Position) -> None:
        """Save if that is due, or done after every epoch."""
        if self._seconds is None or self.due(position.epoch, position.chunk):
            self._save(position)

    def _save(self, position: Position) -> None:
        require_finite(self._task, position.epoch)
        header = {
            "format": FORMAT,
            "run": _identity(self._trainer, self._task),
            "position": asdict(position),
            "random": _random_state(self._task.random),
        }
        write_archive(self._path, self._task.tables, {HEADER: json.dumps(header)})
        self._saved_at = time.monotonic()


def resume(path: str | os.PathLike[str], trainer: str, task: Task) -> Position:
    """Load the weights of a checkpoint into the tables of `task`, and return where the run goes on.

    Raises
    ------
    OSError
        If the file can't be read.
    ValueError
        If it is not a checkpoint, or that of a run with another trainer, corpus or settings: naming them. Only
        `workers` may differ.
    """
    with Archive(path, "checkpoint") as saved:
        header = json.loads(saved.text(HEADER))
        _check_same_run(path, header, _identity(trainer, task))
        for name, table in task.tables.items():
            saved.read_into(table, name)
    task.random.set_state(header["random"])
    position = header["position"]
    return Position(position["epoch"], position["chunk"], tuple(Trained(*done) for done in position["trained"]))


def _check_same_run(path: str | os.PathLike[str], header: dict[str, Any], here: dict[str, Any]) -> None:
    if header["format"] != FORMAT:
        raise ValueError(f"{path} is a checkpoint of format {header['format']}, where format {FORMAT} is read")
    there = header["run"]
    differences = [name for name, value in here.items() if name in there and there[name] != value]
    if differences:
        told = "; ".join(f"{name}: {there.get(name)!r} there, {here[name]!r} here" for name in differences)
        raise ValueError(
            f"{path} is the checkpoint of another run ({told}): go on as that run was begun, or remove the file or "
            "name another"
        )


def _identity(trainer: str, task: Task) -> dict[str, Any]:
    """What must be the same for a run to go on."""
    settings = {name: value for name, value in asdict(task.params).items() if name != "workers"}
    corpus = task.corpus
    run = {
        "trainer": trainer,
        **settings,
        "trainings of the model before this one": task.run,
        "words of the vocabulary": len(corpus.vocabulary),
        "checksum of the vocabulary": corpus.vocabulary.checksum,
    }
    # A part of the corpus changes with the number of ranks, which may differ; the vocabulary is that of all parts.
    if task.ranks > 1:
        return run
    return {
        **run,
        "sentences": len(corpus.raw_lengths),
        "words of the corpus": corpus.raw_words,
        "checksum of the corpus": corpus.checksum,
    }


def _random_state(random: np.random.RandomState) -> dict[str, Any]:
    state: dict[str, Any] = random.get_state(legacy=False)
    state["state"]["key"] = state["state"]["key"].tolist()
    return state
