"""Hyper-parameters: gensim's defaults, and every bad value named."""

import inspect
import re
from dataclasses import asdict

import gensim.models
import numpy as np
import pytest

from w2v import Word2Vec
from w2v.params import Params


def defaults(function) -> dict:
    return {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}


@pytest.mark.parametrize("function", [gensim.models.Word2Vec, Word2Vec])
def test_names_and_defaults_are_gensims(function):
    assert asdict(Params()).items() <= defaults(function).items()


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("vector_size", 0, "must be at least 1"),
        ("vector_size", 10.0, "is not a whole number"),
        ("window", 0, "must be at least 1"),
        ("min_count", -1, "must be 0 or more"),
        ("sample", -1e-3, "must be 0 (keep every word) or more"),
        ("negative", -1, "must be at least 1"),
        ("negative", 0, "must be at least 1: this trainer learns by negative sampling"),
        ("epochs", 0, "must be at least 1"),
        ("workers", 0, "must be at least 1 (this machine has"),
        ("workers", -2, "must be at least 1"),
        ("workers", True, "is not a whole number"),
        ("seed", -1, "must be 0 or more"),
        ("alpha", 0.0, "must be above 0"),
        ("alpha", float("nan"), "is not a finite number"),
        ("alpha", "0.025", "is not a finite number"),
        ("min_alpha", 0.5, "must be between 0 and alpha=0.025"),
        ("min_alpha", -0.1, "must be between 0 and alpha=0.025"),
        ("ns_exponent", float("inf"), "is not a finite number"),
    ],
)
def test_a_bad_value_is_named(name, value, complaint):
    with pytest.raises(ValueError, match=re.escape(f"{name}={value!r} {complaint}")):
        Params(**{name: value})


def test_numpy_numbers_are_numbers():
    params = Params(epochs=np.int64(3), alpha=np.float32(0.5))
    assert (params.epochs, params.alpha) == (3, 0.5)
