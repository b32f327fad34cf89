// Draws the samples of a chunk: which words are kept, how far each window reaches, which noise words each centre meets.
#pragma once
#include <cstdint>

// wyrand (Wang Yi, https://github.com/wangyi-fudan/wyhash): 64 good bits for one multiplication.
struct Rng {
    uint64_t state;
    uint64_t next() {
        state += 0xa0761d6478bd642fULL;
        const unsigned __int128 product = (unsigned __int128)state * (state ^ 0xe7037ed1a0b428dbULL);
        return (uint64_t)(product >> 64) ^ (uint64_t)product;
    }
};

// A whole number in [0, bound) from 32 random bits (Lemire 2019, arXiv:1805.10941, without the rejection: bias < bound / 2^32).
static inline uint32_t scale(uint32_t bits, uint32_t bound) { return (uint32_t)((uint64_t)bits * bound >> 32); }

// The alias method, from a table of w2v.trainers.alias: one 8-byte look-up a draw, so the table stays in L2.
struct AliasTable {
    struct Slot {
        uint32_t threshold, alias;
    };
    const Slot *slots;
    uint32_t words;

    int32_t draw(Rng &rng) const {
        const uint64_t bits = rng.next();
        const int32_t i = (int32_t)scale((uint32_t)(bits >> 32), words);
        const Slot slot = slots[i];
        const int32_t taken = -(int32_t)((uint32_t)bits <= slot.threshold);  // a branch here would be mispredicted often
        return (i & taken) | ((int32_t)slot.alias & ~taken);
    }
};
