"""Names that are not here, gensim 3's above all, fail with those that are."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from typing import NoReturn

ARGUMENTS = {"size": "vector_size", "iter": "epochs", "sentences": "corpus_iterable", "corpus_iterable": "sentences"}

OF_MODEL = {
    "iter": "epochs",
    "vocab": "wv.key_to_index",
    "vocabulary": "wv.key_to_index",
    "trainables": "syn1neg, syn1 and wv.vectors",
    "index2word": "wv.index_to_key",
    "syn0": "wv.vectors",
    "accuracy": "wv.evaluate_word_analogies",
    **{
        name: f"wv.{name}"
        for name in (
            "most_similar",
            "most_similar_cosmul",
            "similar_by_word",
            "similar_by_vector",
            "doesnt_match",
            "similarity",
            "n_similarity",
            "wmdistance",
            "evaluate_word_pairs",
            "save_word2vec_format",
            "intersect_word2vec_format",
        )
    },
}

OF_VECTORS = {
    "vocab": "key_to_index, and get_vecattr(key, 'count') for counts",
    "index2word": "index_to_key",
    "index2entity": "index_to_key",
    "syn0": "vectors",
    "syn0norm": "get_normed_vectors()",
    "vectors_norm": "get_normed_vectors()",
    "accuracy": "evaluate_word_analogies",
}


def refuse_arguments(names: Iterable[str], called: str, function: Callable) -> None:
    """TypeError for the first argument that `function` doesn't have, with its name there, or the near one there is."""
    parameters = inspect.signature(function).parameters
    for name in names:
        if ARGUMENTS.get(name) in parameters:
            raise TypeError(f"{called}: {name}= is called {ARGUMENTS[name]}= here")
        near = difflib.get_close_matches(name, parameters, n=1)
        raise TypeError(f"{called} has no argument {name}={f': did you mean {near[0]}=?' if near else ''}")


def refuse_attribute(owner: object, name: str, new_names: dict[str, str]) -> NoReturn:
    """AttributeError for an attribute that `owner` lacks, with its new name if it was gensim 3's."""
    if name in new_names:
        raise AttributeError(f"{name} was gensim 3's name: it is {new_names[name]} now", name=name, obj=owner)
    raise AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}", name=name, obj=owner)
