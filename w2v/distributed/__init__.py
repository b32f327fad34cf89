"""One run on many processes by MPI: each trains its part of the corpus, and their weights are averaged."""

from w2v.distributed.ranks import ALONE, Ranks

__all__ = ["ALONE", "Ranks"]
