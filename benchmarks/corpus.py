"""Time from a text file to an encoded corpus, against gensim's vocabulary scan of the same file.

Ours reads, builds the vocabulary and encodes every token; gensim's build_vocab only counts the words, and
will read and split the text again in every epoch. Rounds alternate, so that both meet the same machine.
Without TEXT a small one from gensim's own package is read.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import click
from gensim.models import Word2Vec
from gensim.models.word2vec import LineSentence
from gensim.test.utils import datapath

from w2v.corpus import DEFAULT_WORKERS, EncodedCorpus


def seconds(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


@click.command(help=__doc__)
@click.argument("text", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@click.option("--rounds", default=7, show_default=True, type=click.IntRange(min=1))
@click.option("--workers", default=DEFAULT_WORKERS, show_default=True, help="Our threads; gensim has one.")
@click.option("--min-count", default=5, show_default=True)
def main(text: Path | None, rounds: int, workers: int, min_count: int) -> None:
    path = str(text or datapath("head500.noblanks.cor"))
    corpus = EncodedCorpus.from_file(path, min_count, workers)
    click.echo(f"{path}: {corpus.raw_words:,} tokens, {len(corpus.vocabulary):,} words; {rounds} rounds")

    ours, gensims = [], []
    for _ in range(rounds):
        ours.append(seconds(lambda: EncodedCorpus.from_file(path, min_count, workers)))
        model = Word2Vec(vector_size=1, min_count=min_count)
        gensims.append(seconds(lambda: model.build_vocab(LineSentence(path))))  # noqa: B023 called at once

    for name, times in ((f"w2v, {workers} threads", ours), ("gensim build_vocab", gensims)):
        rate = corpus.raw_words / statistics.median(times) / 1e6
        click.echo(
            f"{name:<20} median {statistics.median(times):7.3f} s   "
            f"range {min(times):.3f} to {max(times):.3f}   {rate:6.1f} M tokens/s"
        )
    ratios = [theirs / mine for mine, theirs in zip(ours, gensims, strict=True)]
    ratio = statistics.median(ratios)
    click.echo(f"{'gensim / w2v':<20} median {ratio:7.1f} x   range {min(ratios):.1f} to {max(ratios):.1f}")


if __name__ == "__main__":
    main()
