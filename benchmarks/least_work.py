"""What each mode of word2vec must do at least, and how fast this machine could do that: docs/profile.md.

TEXT is a text file, its words' counts make the model of `compare.work.w2v`, which gives negative sampling.
Hierarchical softmax is counted here in the same way: with paths of L nodes on average, each kept word takes L dot
products and updates in place of K + 1, and moves L rows of nodes in place of its own and K negatives. One thread;
PROFILE is what `compare machine --out PROFILE` wrote.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from compare import profile as profiles
from compare.work import w2v as model
from compare.work.quantities import RowMoves, Work
from compare.work.roofline import bound
from w2v.corpus import EncodedCorpus
from w2v.params import Params
from w2v.vocabulary import Vocabulary


def hierarchical_softmax(vocabulary: Vocabulary, params: Params, raw_words: float) -> Work:
    """As `compare.work.w2v.sgns`, of which it keeps what is the same."""
    tree, d = vocabulary.tree, params.vector_size
    same = model.sgns(vocabulary, params, raw_words, pairwise=False)
    kept = raw_words * vocabulary.counts / vocabulary.counts.sum() * vocabulary.keep_probabilities(params.sample)
    lengths = np.diff(tree.offsets)
    nodes = np.bincount(tree.points, np.repeat(kept, lengths), len(vocabulary) - 1)
    contexts = params.window + 1
    dots = float(kept @ lengths)
    flops = 6 * d * contexts * dots if params.sg else 6 * d * dots + 2 * d * contexts * kept.sum()
    moves = np.concatenate([kept, nodes])
    return replace(same, flops=flops, row_moves=RowMoves(same.row_moves.row_bytes, np.ones(len(moves)), moves))


@click.command(help=__doc__)
@click.argument("text", type=click.Path(exists=True, dir_okay=False))
@click.argument("profile", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--dim", default=100, show_default=True, type=click.IntRange(min=1))
def main(text: str, profile: Path, dim: int) -> None:
    corpus = EncodedCorpus.from_file(text, 5)
    vocabulary, words = corpus.vocabulary, float(corpus.raw_words)
    machine = profiles.load(profile)
    keep = vocabulary.keep_probabilities(1e-3)
    kept = words * float(vocabulary.counts @ keep) / vocabulary.counts.sum()
    print(f"{words:,.0f} words, {kept:,.0f} kept, {len(vocabulary):,} distinct")
    print(f"{'per kept word':34} rows moved  multiply-adds   at most, thousand words a second")
    for sg in 1, 0:
        params = Params(sg=sg, vector_size=dim)
        rows = {
            "negative sampling, shared": model.sgns(vocabulary, params, words, pairwise=False),
            "negative sampling, exact": model.sgns(vocabulary, params, words, pairwise=True),
            "hierarchical softmax": hierarchical_softmax(vocabulary, params, words),
        }
        for name, work in rows.items():
            limit = bound(work, machine, "cpu", 1)
            if limit is None:
                raise click.ClickException(f"{profile} lacks a ceiling that the model needs")
            rates = (f"{words / limit.terms[term] / 1e3:7,.0f} by {term}" for term in ("memory", "arithmetic"))
            title = f"{'skip-gram' if sg else 'CBOW'}, {name}"
            print(f"{title:36} {work.row_moves.moves.sum() / kept:8.1f} {work.flops / 2 / kept:14,.0f}  ", *rates)


if __name__ == "__main__":
    main()
