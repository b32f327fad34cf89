"""Chunks and learning rates against gensim's own job producer."""

from queue import Queue

import gensim.models
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from w2v.params import Params
from w2v.schedule import CHUNK_WORDS, alpha_at, alpha_on_ranks, chunk_bounds

lengths = st.lists(st.one_of(st.integers(0, 40), st.integers(0, CHUNK_WORDS), st.just(CHUNK_WORDS)), min_size=1)


@given(lengths, st.integers(1, 4), st.floats(0.001, 1), st.floats(0, 0.001))
def test_chunks_and_rates_are_those_of_gensims_jobs(lengths, epochs, alpha, min_alpha):
    params = Params(epochs=epochs, alpha=alpha, min_alpha=min_alpha)
    bounds = chunk_bounds(np.array(lengths, np.int32)).tolist()
    model = gensim.models.Word2Vec(epochs=epochs, alpha=alpha, min_alpha=min_alpha, workers=1)
    for epoch in range(epochs):
        jobs = Queue()
        model._job_producer(map(range, lengths), jobs, epoch, total_examples=len(lengths))
        expected = [(len(sentences), rate) for sentences, rate in iter(jobs.get, None) if sentences]
        rates = [alpha_at((epoch + begin / len(lengths)) / epochs, params) for begin in bounds[:-1]]
        assert list(zip(np.diff(bounds), rates, strict=True)) == expected


def test_a_smaller_alpha_than_min_alphas_default_stays():
    params = Params(alpha=5e-5)
    assert {alpha_at(share, params) for share in (0, 0.5, 1)} == {5e-5}


def test_the_rate_falls_in_a_line_from_alpha_to_min_alpha():
    params = Params(alpha=0.5, min_alpha=0.1)
    np.testing.assert_allclose([alpha_at(share, params) for share in (0, 0.25, 1)], [0.5, 0.4, 0.1])


def test_the_rate_is_multiplied_by_the_ranks_up_to_a_bound():
    assert [alpha_on_ranks(0.02, ranks) for ranks in (1, 2, 4, 8)] == [0.02, 0.04, 0.08, 0.1]
    assert [alpha_on_ranks(alpha, 8) for alpha in (0.01, 0.1, 0.3)] == [0.08, 0.1, 0.3]
