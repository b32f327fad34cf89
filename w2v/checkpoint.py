"""Checkpoints: weights and position of a run in a file, from which it goes on as if it had never stopped."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from typing import Any

import numpy as np

from w2v.archive import Archive, write_archive
from w2v.checks import finite, require
from w2v.driver import Hook, Position, require_finite
from w2v.files import complaint, writable
from w2v.progress import logger, tell
from w2v.signals import STOPPING, HeldSignals
from w2v.trainers import Task, Trained

FORMAT = 1
HEADER = "checkpoint.json"
CHECKPOINT_MINUTES = 10


class Checkpoint(Hook):
    """Saves a run while it trains. The file is whole at every moment: each save takes the place of the last.
    One that fails is warned about, and the run goes on.

    Within a `with` block Ctrl-C and SIGTERM save, too, before they end the run; a second ends it at once.

    With one worker, a run that goes on from the file gives the weights of one that never stopped, bit for bit; with
    several, the order in which threads meet is never the same twice, but words, learning rates and samples are.

    Parameters
    ----------
    path : path
        An uncompressed `.npz` file, about as large as the weight tables.
    trainer : str
        The trainer's name.
    minutes : float
        The time from one save to the next within an epoch. The end of each epoch is saved, too; of several ranks, whose
        weights differ until then, nothing else is.

    Raises
    ------
    ValueError, OSError
        On construction, if `minutes` is no time or `path` can't be written.
    """

    def __init__(
        self, path: str | os.PathLike[str], trainer: str, task: Task, minutes: float = CHECKPOINT_MINUTES
    ) -> None:
        self._seconds = 60 * finite("checkpoint_minutes", minutes)
        require(self._seconds >= 0, "checkpoint_minutes", minutes, "0 or more")
        self._path, self._trainer, self._task = writable(path), trainer, task
        self._saved_at = time.monotonic()
        self._signals = HeldSignals(STOPPING if task.ranks == 1 else ())

    def due(self, epoch: int, chunk: int) -> bool:
        """Whether the time is up, or the run is to end."""
        up = time.monotonic() >= self._saved_at + self._seconds
        return self._task.ranks == 1 and (up or self._signals.came is not None)

    def on_pause(self, position: Position) -> None:
        """Save if it was this hook that asked for the pause."""
        if self.due(position.epoch, position.chunk):
            self._save(position)

    def on_epoch_end(self, position: Position) -> None:
        """Save."""
        self._save(position)

    def __enter__(self) -> Checkpoint:
        self._signals.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._signals.__exit__(*error)

    def _save(self, position: Position) -> None:
        """Save, and let a signal that waited for it act."""
        if self._signals.came is not None:
            tell(f"saving {self._path}; a second Ctrl-C ends the run without that")
        require_finite(self._task, len(position.trained))  # a hook before this one may have changed them
        header = {
            "format": FORMAT,
            "run": _identity(self._trainer, self._task),
            "position": asdict(position),
            "random": _random_state(self._task.random),
        }
        try:
            write_archive(self._path, self._task.tables, {HEADER: json.dumps(header)})
        except OSError as error:  # the disk may have room again when the next save is due
            there = kept(self._path) if self._path.exists() else "nothing is kept yet"
            logger.warning("the checkpoint was not written (%s): %s", complaint(error, self._path), there)
        self._saved_at = time.monotonic()
        self._signals.release()


def resume(path: str | os.PathLike[str], trainer: str, task: Task) -> Position:
    """Load the weights of a checkpoint into the tables of `task`, and return where the run goes on.

    Raises
    ------
    OSError
        If the file can't be read.
    ValueError
        If it is not a checkpoint, or damaged, or that of a run with another trainer, corpus or settings: naming them.
        Only `workers` may differ. The tables then are what they were.
    """
    with Archive(path, "checkpoint") as saved:
        header = _header(path, saved)
        _check_same_run(path, header, _identity(trainer, task))
        for name, table in task.tables.items():
            saved.verify(table, name)  # all before any changes: memory has no room for tables to change back to
        for name, table in task.tables.items():
            saved.read_into(table, name)
    task.random.set_state(header["random"])
    position = header["position"]
    return Position(position["epoch"], position["chunk"], tuple(Trained(*done) for done in position["trained"]))


def kept(path: str | os.PathLike[str]) -> str:
    """What a checkpoint holds, for people; OSError or ValueError as from `resume`."""
    with Archive(path, "checkpoint") as saved:
        header = _header(path, saved)
    epoch, chunk, epochs = header["position"]["epoch"], header["position"]["chunk"], header["run"]["epochs"]
    until = f"a point within epoch {epoch + 1}" if chunk else f"the end of epoch {epoch}"
    return f"{path} keeps what was trained until {until} of {epochs}"


def require_checkpoint(path: str | os.PathLike[str]) -> None:
    """ValueError, or OSError, unless there is a checkpoint that can be read."""
    with Archive(path, "checkpoint") as saved:
        _header(path, saved)


def _header(path: str | os.PathLike[str], saved: Archive) -> dict[str, Any]:
    header: dict[str, Any] = json.loads(saved.text(HEADER))
    if header["format"] != FORMAT:
        raise ValueError(f"{path} is a checkpoint of format {header['format']}, where format {FORMAT} is read")
    return header


def _check_same_run(path: str | os.PathLike[str], header: dict[str, Any], here: dict[str, Any]) -> None:
    there = header["run"]
    differences = [name for name, value in here.items() if name in there and there[name] != value]
    if differences:
        told = "; ".join(f"{name}: {there[name]!r} there, {here[name]!r} here" for name in differences)
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
