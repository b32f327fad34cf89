"""The weight tables of a model: made, enlarged and copied together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from w2v.params import Params
from w2v.tables import as_table, initial_syn0, new_table


@dataclass
class Weights:
    """Tables of `w2v.tables`.

    syn0: float32 (V, d), the input rows: the vectors of the words.
    syn1neg: float32 (V, d), the output rows of negative sampling; None without it.
    syn1: float32 (V - 1, d), the output rows of hierarchical softmax, one an inner node; None without it.
    """

    syn0: np.ndarray
    syn1neg: np.ndarray | None
    syn1: np.ndarray | None

    @classmethod
    def initial(cls, words: int, params: Params) -> Weights:
        """gensim's start: input rows drawn with the seed, output rows of zeros."""
        return cls(
            initial_syn0(words, params.vector_size, params.seed),
            new_table(words, params.vector_size) if params.negative else None,
            new_table(words - 1, params.vector_size) if params.hs else None,
        )

    def enlarged(self, words: int, params: Params) -> Weights:
        """With rows at the start values for the words above the present ones."""
        larger = Weights.initial(words, params)
        for name, old in vars(self).items():
            new = getattr(larger, name)
            if old is not None and new is not None:
                new[: len(old)] = old
        return larger

    def check(self, words: int, params: Params) -> None:
        """ValueError unless these are tables that `params` can train for so many words."""
        rows = {"syn0": words, "syn1neg": words if params.negative else 0, "syn1": words - 1 if params.hs else 0}
        for name, table in vars(self).items():
            wanted = (rows[name], params.vector_size)
            if rows[name] and (table is None or table.shape != wanted):
                has = "missing" if table is None else f"of shape {table.shape}"
                raise ValueError(
                    f"{name} is {has} where hs={params.hs}, negative={params.negative} and "
                    f"vector_size={params.vector_size} need {wanted}: settings changed after build_vocab(); "
                    "call init_weights() to start anew"
                )

    def used(self, params: Params) -> Weights:
        """Without the tables of a head that `params` doesn't train, or no more."""
        return Weights(self.syn0, self.syn1neg if params.negative else None, self.syn1 if params.hs else None)

    def trainable(self) -> Weights:
        """With tables in memory, if these are mapped from a file."""
        return Weights(*(as_table(table) if isinstance(table, np.memmap) else table for table in vars(self).values()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Copies and pickles of a table are plain arrays: give them the padding that trainers need.
        for name, values in state.items():
            setattr(self, name, None if values is None else as_table(values))
