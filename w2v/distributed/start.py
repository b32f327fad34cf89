"""What must be the same on all ranks before they train, and is made so where it can be."""

from __future__ import annotations

from dataclasses import asdict

from w2v.distributed.ranks import Ranks
from w2v.driver import Observer, Position
from w2v.tables import padded
from w2v.trainers import Task


def begin(ranks: Ranks, trainer: str, task: Task, start: Position) -> Position:
    """Give all ranks rank 0's weights, and return its position.

    Raises
    ------
    ValueError
        On every rank, unless all have the same settings, but `workers`, and vocabulary, and not the same text.
    """
    if ranks.size == 1:
        return start
    settings = {name: value for name, value in asdict(task.params).items() if name != "workers"}
    ranks.require_same(
        "train()",
        {
            "trainer": trainer,
            **settings,
            "words of the vocabulary": len(task.corpus.vocabulary),
            "checksum of the vocabulary": task.corpus.vocabulary.checksum,
            "tables": list(task.tables),
        },
    )
    cure = "give each its own part, as corpus.part(comm.rank, comm.size) does, or all of them the path of a text"
    ranks.require_distinct("corpus", task.corpus.checksum, cure)
    for table in task.tables.values():
        ranks.copy_first(padded(table))
    return ranks.from_first(start)


def observer_of_all(ranks: Ranks, task: Task, observe: Observer) -> Observer | None:
    """`observe`, on rank 0 alone, told of the words of all ranks: as far as rank 0 is, so are all, about."""
    words = ranks.total(task.corpus.raw_words) * task.params.epochs
    if ranks.rank:
        return None
    return lambda done, total, loss, alpha: observe(round(done / total * words), words, loss, alpha)
