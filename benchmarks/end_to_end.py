"""From a text file to saved vectors, every stage counted: `w2v train`, this package's Word2Vec and gensim's, in turns.

TEXT is a text file, plain, gzip or zip (default: a small one that gensim carries). Laying it out in lines, which
gensim's corpus_file needs, is not counted; all rows read the same lines, make the same calls, and write word2vec's text
format. Every measurement is a fresh process, timed from outside; what its stages leave is the start of the interpreter.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table

from compare import datasets

STAGES = ("import", "vocabulary", "training", "saving")
PROGRAM = """
import json, sys, time

times = [time.perf_counter()]
module, text, vectors, settings = sys.argv[1:]
settings = json.loads(settings)
Word2Vec = __import__(module, fromlist=["Word2Vec"]).Word2Vec
times.append(time.perf_counter())
model = Word2Vec(**settings)
model.build_vocab(corpus_file=text)
times.append(time.perf_counter())
totals = {"total_examples": model.corpus_count, "total_words": model.corpus_total_words}
model.train(corpus_file=text, epochs=model.epochs, **totals)
times.append(time.perf_counter())
model.wv.save_word2vec_format(vectors)
times.append(time.perf_counter())
print(json.dumps([end - begin for begin, end in zip(times, times[1:])]))
"""
SHELL, OURS, GENSIM = "w2v train", "w2v", "gensim, corpus_file"
MODULES = {OURS: "w2v", GENSIM: "gensim.models"}
FLAGS = {"vector_size": "-size", "epochs": "-iter", "workers": "-threads", "min_count": "-min-count"}


@click.command(help=__doc__)
@click.argument("text", type=click.Path(exists=True, dir_okay=False), required=False)
@click.option("--rounds", default=3, show_default=True, type=click.IntRange(min=1))
@click.option("--workers", default=2, show_default=True, type=click.IntRange(min=1))
@click.option("--epochs", default=5, show_default=True, type=click.IntRange(min=1))
@click.option("--dim", default=100, show_default=True, type=click.IntRange(min=1))
@click.option("--min-count", default=5, show_default=True, type=click.IntRange(min=1))
@click.option("--cbow", is_flag=True, help="CBOW in place of skip-gram.")
def main(text: str | None, rounds: int, workers: int, epochs: int, dim: int, min_count: int, cbow: bool) -> None:
    settings = {"vector_size": dim, "epochs": epochs, "workers": workers, "min_count": min_count, "sg": int(not cbow)}
    rows = (SHELL, OURS, GENSIM)
    seconds: dict[str, list[float]] = {row: [] for row in rows}
    stages: dict[str, list[list[float]]] = {row: [] for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        corpus = datasets.lay_out(Path(datasets.locate(text).path), Path(folder, "corpus.txt"), min_count)
        turns = [row for round_ in range(rounds) for row in random.Random(round_).sample(rows, len(rows))]
        for row in track(turns, console=Console(stderr=True), transient=True):
            arguments = command(row, corpus.path, Path(folder, "vectors.txt"), settings)
            began = time.perf_counter()
            run = subprocess.run(arguments, check=True, stdout=subprocess.PIPE)
            seconds[row].append(time.perf_counter() - began)
            if row != SHELL:
                stages[row].append(json.loads(run.stdout))

    table = Table("", "seconds", "times gensim", *STAGES)
    for row in rows:
        ratios = [theirs / mine for theirs, mine in zip(seconds[GENSIM], seconds[row], strict=True)]
        speed = f"{statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
        parts = [f"{statistics.median(each):.2f}" for each in zip(*stages[row], strict=True)]
        table.add_row(row, f"{statistics.median(seconds[row]):.2f}", speed, *parts)
    console = Console(width=100)
    console.print(f"{'CBOW' if cbow else 'skip-gram'}, {corpus.words:,} words, dimension {dim}, {epochs} epochs")
    console.print(f"{workers} workers; median of {rounds} rounds, ratios with their range")
    console.print(table)


def command(row: str, text: Path, vectors: Path, settings: dict[str, int]) -> list[str]:
    """What runs a row."""
    if row == SHELL:
        flags = [word for name, flag in FLAGS.items() for word in (flag, str(settings[name]))]
        cbow, alpha = str(1 - settings["sg"]), "0.025"
        run = [sys.executable, "-c", "from w2v.cli import main; main()", "train", str(text), "-o", str(vectors)]
        return [*run, *flags, "-cbow", cbow, "-alpha", alpha]
    return [sys.executable, "-c", PROGRAM, MODULES[row], str(text), str(vectors), json.dumps(settings)]


if __name__ == "__main__":
    main()
