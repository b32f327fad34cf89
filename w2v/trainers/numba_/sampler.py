"""Draws the samples of a chunk: which words are kept, how far each window reaches, which noise words it meets."""

from __future__ import annotations

import numpy as np

from w2v.trainers.numba_.compiled import compiled, inlined

# uint64 throughout: Numba makes a float64 of a uint64 and a signed integer.
WEYL, FIRST_FACTOR, SECOND_FACTOR = (
    np.uint64(value) for value in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
HALF_BITS, LOW_BITS = np.uint64(32), np.uint64(2**32 - 1)


@inlined
def mixed(state: int) -> int:
    """64 random bits from a counter that grows by WEYL: SplitMix64 (Steele et al., doi:10.1145/2660193.2660195)."""
    bits = (state ^ (state >> np.uint64(30))) * FIRST_FACTOR
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND_FACTOR
    return bits ^ (bits >> np.uint64(31))


@inlined
def scaled(bits: int, bound: int) -> int:
    """A whole number in [0, bound) from 32 random bits (Lemire 2019, arXiv:1805.10941, without the rejection)."""
    return np.int64((bits * np.uint64(bound)) >> HALF_BITS)


@compiled
def draw_windows(
    ids: np.ndarray,
    offsets: np.ndarray,
    begin: int,
    end: int,
    keep: np.ndarray,
    window: int,
    shrink_windows: bool,
    seed: int,
    tokens: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
) -> int:
    """Draw the windows of sentences [begin, end) into `tokens`, `first` and `last`; return how many words are kept.

    keep: uint32 (V,), a word is kept if 32 random bits are at most this. seed: uint64.
    The arrays to fill are longer by one than there are words.
    """
    state, kept = seed, 0
    for s in range(begin, end):
        sentence = kept
        for i in range(offsets[s], offsets[s + 1]):
            state += WEYL
            bits = mixed(state)
            tokens[kept] = ids[i]
            first[kept] = 1 + scaled(bits & LOW_BITS, window) if shrink_windows else window
            kept += (bits >> HALF_BITS) <= np.uint64(keep[ids[i]])  # a branch here would be mispredicted often
        for i in range(sentence, kept):
            reach = first[i]
            first[i] = max(sentence, i - reach)
            last[i] = min(kept, i + reach + 1)
    return kept


@compiled
def draw_negatives(slots: np.ndarray, group: int, seed: int, negatives: np.ndarray) -> None:
    """Fill every `group`-th row of `negatives` with noise words; seed: uint64.

    slots: uint32 (V, 2), the alias table of `w2v.trainers.alias`.
    """
    state = ~seed  # another stream than that of the windows
    for i in range(0, len(negatives), group):
        for k in range(negatives.shape[1]):
            state += WEYL
            bits = mixed(state)
            slot = scaled(bits >> HALF_BITS, len(slots))
            own = (bits & LOW_BITS) <= np.uint64(slots[slot, 0])
            negatives[i, k] = slot if own else np.int64(slots[slot, 1])
