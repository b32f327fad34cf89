// Draws the samples of a chunk: which words are kept, how far each window reaches, which noise words each centre meets.
#pragma once
#include <cstdint>
#include <vector>

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

// Walker's alias method: any distribution over n items from one 8-byte look-up, so the table stays in L2.
class AliasTable {
    struct Slot {
        uint32_t threshold;
        int32_t alias;
    };
    std::vector<Slot> slots;

  public:
    AliasTable(const double *probabilities, size_t n) : slots(n) {
        std::vector<double> share(n);
        std::vector<int32_t> below, above;
        for (size_t i = 0; i < n; i++) {
            share[i] = probabilities[i] * (double)n;
            (share[i] < 1 ? below : above).push_back((int32_t)i);
            slots[i] = {UINT32_MAX, (int32_t)i};
        }
        while (!below.empty() && !above.empty()) {
            const int32_t small = below.back(), large = above.back();
            below.pop_back();
            slots[small] = {(uint32_t)(share[small] * UINT32_MAX), large};
            share[large] -= 1 - share[small];
            if (share[large] < 1) {
                above.pop_back();
                below.push_back(large);
            }
        }
    }
    int32_t draw(Rng &rng) const {
        const uint64_t bits = rng.next();
        const int32_t i = (int32_t)scale((uint32_t)(bits >> 32), (uint32_t)slots.size());
        const Slot slot = slots[i];
        const int32_t taken = -(int32_t)((uint32_t)bits <= slot.threshold);  // a branch here would be mispredicted often
        return (i & taken) | (slot.alias & ~taken);
    }
};
