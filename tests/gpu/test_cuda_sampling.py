"""Samples are drawn on the device as the counters of Philox say, and have the chances they should."""

import numpy as np
import pytest
from injected import task

from w2v.trainers.alias import alias_slots
from w2v.trainers.cuda import TALLY, Cupy

KEEP, REACH, NOISE = range(3)


def philox(index, purpose, repeat, seed):
    """uint64 (n, 4): Philox4x32-10 of the counters (index, purpose, repeat, 0), in NumPy."""
    index = np.atleast_1d(np.asarray(index, np.uint64))
    x, y, z, w = index, *(np.full_like(index, word) for word in (purpose, repeat, 0))
    low = np.uint64(2**32 - 1)
    key0, key1 = seed % 2**32, seed >> 32
    for _ in range(10):
        a, b = x * np.uint64(0xD2511F53), z * np.uint64(0xCD9E8D57)
        x, y, z, w = (b >> 32) ^ y ^ np.uint64(key0), b & low, (a >> 32) ^ w ^ np.uint64(key1), a & low
        key0, key1 = (key0 + 0x9E3779B9) % 2**32, (key1 + 0xBB67AE85) % 2**32
    return np.stack([x, y, z, w], axis=-1)


def test_the_generator_is_philox():
    # The known answers of its authors' library Random123 for 4x32, 10 rounds.
    zeros = philox(0, 0, 0, 0)[0]
    assert [f"{word:08x}" for word in zeros] == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]


def sampled(device, task, begin, end, seed=12345678901234567):
    model = Cupy(task, device)
    worker = model.worker(0)
    tally = worker._new_tally()
    windows = worker._sample(begin, end, np.uint64(seed), tally)
    done = device.to_host(tally).view(TALLY)[0]
    return done, [device.to_host(array)[: done["tokens"]] for array in windows]


@pytest.mark.parametrize("shrink", [True, False])
def test_the_samples_are_those_of_the_counters(device, shrink):
    drawn, seed, (begin, end) = task(sentences=400, sample=0.02, window=4, shrink_windows=shrink), 2**40 + 7, (3, 391)
    done, (tokens, first, last, negatives) = sampled(device, drawn, begin, end, seed)

    corpus, vocabulary = drawn.corpus, drawn.corpus.vocabulary
    stream = np.concatenate([[*corpus.ids[corpus.offsets[s] : corpus.offsets[s + 1]], -1] for s in range(begin, end)])
    keep = philox(np.arange(len(stream)), KEEP, 0, seed)[:, 0]
    kept = stream[(stream < 0) | (keep <= vocabulary.keep_thresholds(0.02)[stream])]
    np.testing.assert_array_equal(tokens, kept)
    assert done["kept_words"] == np.count_nonzero(kept >= 0) < 0.9 * len(stream)

    place = np.arange(len(kept))
    reach = 1 + (philox(place, REACH, 0, seed)[:, 0] * np.uint64(4) >> np.uint64(32)).astype(int) if shrink else 4
    ends = np.flatnonzero(kept < 0)
    nth = np.searchsorted(ends, place)
    sentence = np.concatenate([[-1], ends])[nth] + 1
    inside = kept >= 0
    np.testing.assert_array_equal(first[inside], np.maximum(place - reach, sentence)[inside])
    np.testing.assert_array_equal(last[inside], np.minimum(place + reach + 1, ends[nth])[inside])

    slots = alias_slots(vocabulary.noise_probabilities(0.75))
    for k in range(5):
        bits = philox(place, NOISE, k // 2, seed)[:, 2 * (k % 2) :]
        slot = (bits[:, 0] * np.uint64(len(slots)) >> np.uint64(32)).astype(int)
        np.testing.assert_array_equal(negatives[:, k], np.where(bits[:, 1] <= slots[slot, 0], slot, slots[slot, 1]))


def test_a_sentence_end_has_no_context(device):
    _, (tokens, first, last, _) = sampled(device, task(sentences=70), 0, 70)
    ends = tokens < 0
    assert np.count_nonzero(ends) == 70
    np.testing.assert_array_equal((last - first)[ends], 1)


@pytest.mark.parametrize("exponent", [0.75, 0.0, -1.0])
@pytest.mark.parametrize("counts", [[5], [3, 3, 3], [1000, 100, 10, 1], range(1, 400)], ids=str)
def test_the_alias_table_has_the_probabilities_it_was_made_of(counts, exponent):
    weights = np.array(counts, float) ** exponent
    probabilities = weights / weights.sum()
    thresholds, alias = alias_slots(probabilities).T
    own = (thresholds + 1.0) / 2**32
    found = own + np.bincount(alias, 1 - own, len(own))
    np.testing.assert_allclose(found / len(own), probabilities, rtol=1e-6, atol=1e-9)
