"""`compare w2v`: who trains word2vec fastest, and does it learn as much?"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click

from compare.cell import Cell
from compare.conduct import conduct
from compare.options import COUNT, THREADS, Real, Whole, as_options, backends_option, measuring_options
from compare.plan import Measuring, Plan
from compare.view import View
from compare.workloads.w2v import Trial, device_of
from w2v.commands.bad_input import BadInput
from w2v.cores import usable_cores


@click.command("w2v", short_help="Who trains word2vec fastest, and learns as much?")
@click.option(
    "--corpus",
    metavar="text8|PATH",
    help="text8 (17 M words, downloaded once) or a text file, plain, .gz or .zip, or a folder of them. "
    "Default: 453,000 words of Wikipedia that gensim carries.",
)
@backends_option(Trial.backends)
@click.option("--dim", default=100, show_default=True, type=COUNT, help="Vector size.")
@click.option("--workers", default=usable_cores, show_default="all cores", type=THREADS, help="Threads that train.")
@click.option("--epochs", default=5, show_default=True, type=COUNT)
@click.option("--window", default=5, show_default=True, type=COUNT)
@click.option("--negative", default=5, show_default=True, type=COUNT, help="Negative samples per pair.")
@click.option(
    "--sample",
    default=1e-3,
    show_default=True,
    type=Real(min=0),
    help="Subsampling threshold of frequent words; 0 keeps all.",
)
@click.option(
    "--min-count",
    default=5,
    show_default=True,
    type=Whole(0, 10**12),
    help="Ignore words seen less often.",
)
@measuring_options(repeats=5)
def command(
    corpus: str | None,
    backends: tuple[str, ...],
    dim: int,
    workers: int,
    measuring: Measuring,
    **hyper: Any,
) -> None:
    """Train word2vec (skip-gram, negative sampling) by our trainers and gensim's, and say who wins.

    Rows: hogwild, numba, exact and cupy (on a GPU) are this package's; gensim reads an iterator of sentences
    (LineSentence), gensim-file its corpus_file. All read one file with the same words, a sentence of at most 1,000 a
    line.

    \b
    Examples:
      compare w2v
      compare w2v --corpus text8 --epochs 1 --repeats 5 --out result.json
      compare w2v --corpus my-text.txt.gz --backends hogwild,gensim --workers 1
    """
    from w2v.params import Params

    try:
        Params(vector_size=dim, workers=workers, **hyper)
    except ValueError as error:
        raise click.UsageError(as_options(str(error))) from error

    with tempfile.TemporaryDirectory(prefix="compare-w2v-") as folder:
        content, files = lay_out(corpus, Path(folder), hyper["min_count"])
        cells = [
            Cell("w2v", backend, device_of(backend), {"dim": dim}, workers, options={**content, **hyper}, files=files)
            for backend in backends
        ]
        conduct(Plan(cells, measuring.repeats, measuring.seed, View("w2v")), measuring)


def lay_out(corpus: str | None, folder: Path, min_count: int) -> tuple[dict[str, Any], dict[str, str]]:
    """What is in the text, and the files that hold it: as it was found, and in `folder` as every row reads it."""
    from compare import datasets

    try:
        source = datasets.locate(corpus)
        text = datasets.lay_out(source.path, folder / "corpus.txt", min_count)
    except datasets.Unavailable as error:
        raise BadInput(as_options(str(error))) from error
    content = {"text": source.name, "words": text.words, "types": text.types, "sha256": text.sha256}
    return content, {"source": str(source.path), "corpus": str(text.path)}
