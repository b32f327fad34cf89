"""Hyper-parameters: gensim's defaults, and every bad value named."""

import inspect
import re
from dataclasses import asdict

import gensim.models
import numpy as np
import pytest

from w2v.params import Params


def defaults(function) -> dict:
    return {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}


def test_names_and_defaults_are_gensims():
    assert asdict(Params()).items() <= defaults(gensim.models.Word2Vec).items()


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("vector_size", 0, "must be from 1 to 65536"),
        ("vector_size", 10.0, "is not a whole number"),
        ("window", 2**31, "must be from 1 to 1048576"),
        ("min_count", -1, "must be from 0 to"),
        ("sample", -1e-3, "must be 0 (keep every word) or more"),
        ("negative", 2**31 - 1, "must be from 0 to 4096"),
        ("negative", 0, "must be 1 or more, or hs=1: else nothing is learnt"),
        ("sg", 2, "must be from 0 to 1"),
        ("epochs", 0, "must be from 1 to"),
        ("workers", 0, "must be from 1 to 1024 (this process may use"),
        ("workers", -2, "must be from 1 to"),
        ("workers", True, "is not a whole number"),
        ("seed", 2**32, "must be from 0 to"),
        ("alpha", 0.0, "must be above 0"),
        ("alpha", float("nan"), "is not a finite number"),
        ("alpha", "0.025", "is not a finite number"),
        ("alpha", 10**400, "is not a finite number"),
        ("min_alpha", 0.5, "must be from 0 to 0.025, which is alpha"),
        ("min_alpha", -0.1, "must be from 0 to 0.025"),
        ("alpha", True, "is not a finite number"),
        ("ns_exponent", float("inf"), "is not a finite number"),
        ("ns_exponent", 1000.0, "must be from -10 to 10"),
        ("shrink_windows", "no", "is neither True nor False"),
        ("shrink_windows", 2, "is neither True nor False"),
    ],
)
def test_a_bad_value_is_named(name, value, complaint):
    with pytest.raises(ValueError, match=re.escape(f"{name}={value!r} {complaint}")):
        Params(**{name: value})


def test_numpy_numbers_are_numbers():
    params = Params(epochs=np.int8(3), alpha=np.float32(0.5))
    assert (params.epochs, params.alpha) == (3, 0.5)
    assert type(params.epochs) is int


def test_switches_are_turned_by_0_and_1_or_false_and_true_as_in_gensim():
    params = Params(sg=True, cbow_mean=np.False_, shrink_windows=0, compute_loss=1)
    assert params == Params(sg=1, cbow_mean=0, shrink_windows=False, compute_loss=True)
    assert type(params.sg) is int
    assert params.shrink_windows is False
