"""`w2v plan`: what a run on many machines will take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich import filesize

from w2v.commands.bad_input import refusing, told
from w2v.commands.options import CBOW_ALPHA, SWITCH, TEXT, Command, setting
from w2v.cores import usable_cores
from w2v.distributed.averaging import LEAST_WORDS, SHARE
from w2v.distributed.plan import LATENCY_SECONDS, Plan, bytes_per_second, plan
from w2v.model import Word2Vec
from w2v.params import Params
from w2v.tables import table_bytes
from w2v.trainers import TRAINERS


def _bandwidth(context: click.Context, parameter: click.Parameter, text: str) -> float:
    try:
        return bytes_per_second(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command("plan", cls=Command, short_help="What a run on many machines will take.")
@click.argument("corpus", type=TEXT)
@click.option("--ranks", type=click.IntRange(1), default=4, show_default=True, help="Processes, one a machine.")
@click.option("--bandwidth", callback=_bandwidth, default="10Gb", show_default=True, help="Of each machine's network.")
@setting("vector-size", "Numbers in a vector.", "size")
@setting("window", "Words of context on each side, at most.")
@setting("negative", "Noise words for each word to predict.")
@setting("workers", "Threads of a rank.", "threads", default=usable_cores, show_default="all cores", type=int)
@setting("min-count", "Ignore words seen less often.")
@click.option("-cbow", "--cbow", type=SWITCH, default=1, show_default=True, help="0: skip-gram.")
@click.option("--trainer", default="hogwild", show_default=True, metavar="|".join(TRAINERS), help="As in w2v train.")
@click.pass_context
def plan_(
    context: click.Context, corpus: Path, ranks: int, bandwidth: float, cbow: int, trainer: str, **settings: Any
) -> None:
    """Foretell the time of an epoch over CORPUS on many machines like this one.

    Reads CORPUS and trains on it for some seconds, to measure this machine. It
    is the least that a run takes: docs/mpi.md has plans beside measurements.

    \b
    Example:
      w2v plan corpus.txt --ranks 64 --bandwidth 100Gb
    """
    with refusing(context):
        model = Word2Vec(sg=1 - cbow, alpha=CBOW_ALPHA if cbow else Params.alpha, trainer=trainer, **settings)
        model.build_vocab(corpus_file=corpus)
    try:
        speed = model.estimate_run().words_per_second
    except (OSError, MemoryError, RuntimeError, ValueError) as error:
        raise click.ClickException(told(error)) from error
    rows, tables = len(model.wv), sum(table is not None for table in (model.wv.vectors, model.syn1neg, model.syn1))
    row_bytes = tables * table_bytes(1, model.vector_size)
    shape = model.corpus_total_words, speed, model.workers, rows, row_bytes
    alone, many = plan(*shape, 1, bandwidth), plan(*shape, ranks, bandwidth)
    click.echo(planned(alone, many, ranks, speed, rows * row_bytes, bandwidth))


def planned(alone: Plan, many: Plan, ranks: int, speed: float, weights: int, bandwidth: float) -> str:
    """What is foretold and what it assumes, for people."""
    lines = [
        f"one machine like this: {_seconds(alone.seconds)} an epoch, measured at {speed:,.0f} words/s",
        f"  {filesize.decimal(weights)} of weights",
    ]
    if ranks == 1:
        return "\n".join(lines)
    return "\n".join(
        [
            *lines,
            f"{ranks} ranks: {_seconds(many.seconds)} an epoch, {alone.seconds / many.seconds:,.2f} times as fast",
            f"  training {_seconds(many.training)}, averaging {_seconds(many.averaging)}, "
            f"waiting {_seconds(many.waiting)}",
            f"  {many.syncs:,} syncs, {many.words_between:,.0f} words of a rank from one to the next"
            if many.syncs
            else "  one sync, at the epoch's end, for a rank has few words: many ranks learn less",
            "Assumed: every rank as fast as this machine and with an equal part; a network",
            f"  to themselves, of {bandwidth * 8 / 1e9:g} Gb/s each way and a latency of {LATENCY_SECONDS * 1e6:g} µs;",
            f"  syncs for {SHARE:.0%} of the time, but after {LEAST_WORDS:,} words at least, and once",
            "  an epoch of all rows; before each, all threads wait for the last to end its",
            "  chunk; no time to read the text.",
        ]
    )


def _seconds(value: float) -> str:
    """`1,234.56 s`; what would be told as nothing, by what it is less than."""
    return f"{value:,.2f} s" if value >= 0.01 else "< 0.01 s"
