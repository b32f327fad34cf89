"""Neighbouring centres share negatives where that does no harm."""

import numpy as np
import pytest

from w2v.params import Params
from w2v.trainers.grouping import centres_in_group, negatives_of_group
from w2v.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("words", "params", "group"),
    [
        (1000, {"sg": 1, "window": 8}, 2),
        (1000, {"sg": 1, "window": 9}, 1),
        (1000, {"sg": 1, "window": 500}, 1),
        (1000, {"sg": 0, "window": 500}, 2),
        (1000, {"sg": 0, "cbow_mean": 0, "window": 500}, 1),
        (999, {"sg": 0, "window": 1}, 1),
    ],
)
def test_where_steps_would_add_up_in_a_row_groups_are_smaller(words, params, group):
    assert centres_in_group(Params(**params), Vocabulary(range(words), np.full(words, 10))) == group


def test_a_word_that_fills_much_of_the_text_makes_no_groups():
    counts = np.full(2000, 10)
    counts[0] = 2000
    assert centres_in_group(Params(sample=0), Vocabulary(range(2000), counts)) == 1
    assert centres_in_group(Params(sample=1e-3), Vocabulary(range(2000), counts)) == 2


@pytest.mark.parametrize(
    ("negative", "centres", "drawn"), [(5, 1, 5), (5, 2, 6), (20, 2, 21), (1, 2, 2), (0, 1, 0), (0, 2, 0)]
)
def test_the_negatives_of_a_group_weigh_as_much_as_those_of_a_centre(negative, centres, drawn):
    found, weight = negatives_of_group(negative, centres)
    assert found == drawn
    assert found * weight == pytest.approx(negative)
