"""What every mode learns: hogwild, the exact trainer and gensim, trained on the same text and judged alike.

TEXT is a text file, plain, gzip or zip (default: a small one that gensim carries, too small to judge by). Each row is
trained with every seed and shown as mean and standard deviation: analogies, WordSim-353 and SimLex-999 as gensim
evaluates them (see compare/quality.py), and the loss of the trained weights, the mean of -log likelihood over the same
examples for all rows of a mode. gensim reads an iterator, for its file mode's learning rate depends on its workers.
The table is written again after each run, so a run that ends early leaves what it has.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any

import click
import gensim
import numpy as np
from gensim.models.word2vec import LineSentence
from rich.console import Console
from rich.progress import track

from compare import datasets
from compare.options import NameList
from compare.quality import evaluate, mean_loss
from w2v import EncodedCorpus, Word2Vec
from w2v.params import Params
from w2v.trainers import Task

MODES: dict[str, dict[str, int]] = {
    "skip-gram, negative sampling": {"sg": 1},
    "skip-gram, hierarchical softmax": {"sg": 1, "hs": 1, "negative": 0},
    "CBOW, negative sampling": {"sg": 0},
    "CBOW, hierarchical softmax": {"sg": 0, "hs": 1, "negative": 0},
}
MEASURES = {"analogies": "analogies", "WordSim-353": "wordsim", "SimLex-999": "simlex", "loss": "loss"}


def ours(trainer: str) -> Callable[..., Any]:
    """Trains this package's Word2Vec with a trainer."""
    return lambda path, **settings: Word2Vec(corpus_file=path, trainer=trainer, **settings)


def gensims(path: str, **settings: Any) -> gensim.models.Word2Vec:
    """Trains gensim's Word2Vec."""
    return gensim.models.Word2Vec(LineSentence(path), **settings)


ROWS = {"hogwild": ours("hogwild"), "exact": ours("exact"), "gensim": gensims}


@click.command(help=__doc__)
@click.argument("text", type=click.Path(exists=True, dir_okay=False), required=False)
@click.option("--modes", default=";".join(MODES), show_default=True, help="Of these, separated by semicolons.")
@click.option("--trainers", default=",".join(ROWS), show_default=True, type=NameList("trainer", ROWS))
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(min=1))
@click.option("--epochs", default=5, show_default=True, type=click.IntRange(min=1))
@click.option("--dim", default=100, show_default=True, type=click.IntRange(min=1))
@click.option("--min-count", default=5, show_default=True, type=click.IntRange(min=1))
@click.option("--workers", default=1, show_default=True, type=click.IntRange(min=1))
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Markdown file for the table.")
def main(
    text: str | None,
    modes: str,
    trainers: list[str],
    seeds: int,
    epochs: int,
    dim: int,
    min_count: int,
    workers: int,
    output: Path | None,
) -> None:
    chosen = [mode.strip() for mode in modes.split(";")]
    if unknown := [mode for mode in chosen if mode not in MODES]:
        raise click.BadParameter(
            f"no mode is called {unknown[0]!r}: choose from {'; '.join(MODES)}", param_hint="--modes"
        )
    with tempfile.TemporaryDirectory() as folder:
        laid_out = datasets.lay_out(Path(datasets.locate(text).path), Path(folder, "corpus.txt"), min_count)
        corpus = EncodedCorpus.from_file(laid_out.path, min_count)
        found: dict[tuple[str, str], list[dict[str, float | None]]] = {}
        runs = list(product(range(1, seeds + 1), chosen, trainers))
        heading = (
            f"{corpus.raw_words:,} words, {len(corpus.vocabulary):,} different ones at min_count {min_count}, dimension"
            f" {dim}, {epochs} epochs, workers={workers}, gensim {gensim.__version__};"
            f" mean and standard deviation of {seeds} seeds.\n\n"
        )
        for seed, mode, row in track(runs, console=Console(stderr=True), transient=True):
            settings: dict[str, Any] = {"vector_size": dim, "min_count": min_count, "epochs": epochs, **MODES[mode]}
            model = ROWS[row](str(laid_out.path), seed=seed, workers=workers, **settings)
            loss = mean_loss(tables(model, corpus, Params(**settings)))
            found.setdefault((mode, row), []).append({**evaluate(model.wv), "loss": loss})
            if output:
                output.write_text(heading + markdown(found), encoding="utf-8")
    click.echo(heading + markdown(found))


def tables(model: Any, corpus: EncodedCorpus, params: Params) -> Task:
    """What a model has learnt, as a task of ours, whoever trained it."""
    vocabulary = corpus.vocabulary
    if model.wv.index_to_key != list(vocabulary.words):
        raise ValueError("this model's words are in another order than the corpus's")
    syn1neg = model.syn1neg if params.negative else None
    return Task(corpus, params, model.wv.vectors, syn1neg, model.syn1[: len(vocabulary) - 1] if params.hs else None)


def markdown(found: dict[tuple[str, str], list[dict[str, float | None]]]) -> str:
    """A table with a line for each mode and trainer."""
    lines = [["mode", "trained by", *MEASURES], ["---"] * (2 + len(MEASURES))]
    for (mode, row), results in found.items():
        lines.append([mode, row, *(spread(result[key] for result in results) for key in MEASURES.values())])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def spread(values: Iterable[float | None]) -> str:
    """`0.352 ± 0.004`, or `not measured` where too few words were known."""
    known = [value for value in values if value is not None]
    return f"{np.mean(known):.3f} ± {np.std(known, ddof=min(1, len(known) - 1)):.3f}" if known else "not measured"


if __name__ == "__main__":
    main()
