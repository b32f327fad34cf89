// Skip-gram with negative sampling as gensim 4 computes it (gensim/models/word2vec_inner.pyx): its random stream, its
// pairs in its order, its table of sigmoids. Only the order in which a dot product is summed differs.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

// Java's 48-bit linear congruential generator: a draw is the upper 32 bits of the state before it steps on.
struct Random {
    uint64_t state;
    uint32_t next() {
        const uint32_t drawn = (uint32_t)(state >> 16);
        state = (state * 25214903917ULL + 11) & ((1ULL << 48) - 1);
        return drawn;
    }
};

// Draws a noise word: the first whose cumulative weight reaches a random value. The guide holds the answer for every
// 2^shift-th value, about four for each word, so that few steps of search are left, where bisection takes log2(V).
class Noise {
    const uint32_t *cumulative;
    std::vector<uint32_t> guide;
    int shift = 31;

  public:
    static constexpr uint32_t DOMAIN = 0x7fffffff;  // the cumulative weight of the last word

    Noise(const uint32_t *cumulative, int64_t words) : cumulative(cumulative) {
        while (shift > 0 && (DOMAIN >> shift) + 1LL < 4 * words) shift--;
        guide.resize((DOMAIN >> shift) + 1LL);
        uint32_t word = 0;
        for (size_t entry = 0; entry < guide.size(); entry++) {
            while (cumulative[word] < entry << shift) word++;
            guide[entry] = word;
        }
    }
    int32_t draw(Random &random) const {
        const uint32_t value = random.next() % DOMAIN;
        uint32_t word = guide.data()[value >> shift];
        while (cumulative[word] < value) word++;
        return (int32_t)word;
    }
};

// The logistic function at 1000 points of [-6, 6). gensim takes 1000 / 6 / 2 points a unit, in integers: 83; so do we.
class Sigmoid {
    static constexpr int SIZE = 1000, MAX_EXP = 6;
    float table[SIZE];

  public:
    Sigmoid() {
        for (int i = 0; i < SIZE; i++) {
            const float power = (float)std::exp(((float)i / (float)SIZE * 2.0 - 1.0) * MAX_EXP);
            table[i] = (float)(power / (power + 1.0));
        }
    }
    // (label - sigmoid(x)) * alpha, or 0 beyond the table, where gensim makes no update.
    float step(float x, float label, float alpha) const {
        if (!(x > -MAX_EXP && x < MAX_EXP)) return 0;
        return (label - table[(int)((x + (double)MAX_EXP) * (SIZE / MAX_EXP / 2))]) * alpha;
    }
};
static const Sigmoid SIGMOID;

struct Model {
    float *syn0, *syn1neg;
    int64_t stride;  // floats a row, its zero padding to whole cache lines included
    Noise noise;
    int window, negative;
    Model(float *syn0, float *syn1neg, int64_t words, int64_t stride, const uint32_t *cumulative, int window,
          int negative)
        : syn0(syn0), syn1neg(syn1neg), stride(stride), noise(cumulative, words), window(window),
          negative(negative) {}
};

// Some whole sentences after subsampling.
struct Chunk {
    const int32_t *words;
    const int64_t *ends;  // where in `words` each sentence ends
    int64_t sentences;
    const int64_t *reduced_windows;  // by how much the window of each word falls short of the largest
};

// A word of syn0 and the words of syn1neg that it is trained against: the one it should predict, then noise.
struct Pair {
    int32_t input;
    int count;
    int32_t *targets;
};

constexpr int CACHE_LINE = 64;
constexpr int AHEAD = 2;  // pairs between the draw, which prefetches the rows, and the arithmetic

#define INLINE static inline __attribute__((always_inline))
#define KERNEL "exact/pairwise_kernel.hpp"  // as seen from foreach_isa.hpp
#include "../foreach_isa.hpp"

// Copies the words that survive subsampling to `kept`, and where each sentence then ends to `ends`.
inline int64_t subsample(const int32_t *ids, const int64_t *offsets, int64_t sentences, const uint32_t *thresholds,
                         Random &random, int32_t *kept, int64_t *ends) {
    int64_t count = 0;
    for (int64_t s = 0; s < sentences; s++) {
        for (int64_t i = offsets[s]; i < offsets[s + 1]; i++) {
            kept[count] = ids[i];
            count += thresholds[ids[i]] >= random.next();
        }
        ends[s] = count;
    }
    return count;
}

inline void train(const std::string &isa, const Model &model, const Chunk &chunk, float alpha, Random random) {
    struct alignas(CACHE_LINE) Line {
        float values[CACHE_LINE / sizeof(float)];
    };
    std::vector<Line> work(model.stride * sizeof(float) / CACHE_LINE);
    std::vector<int32_t> targets(AHEAD * (model.negative + 1));
    Pair queue[AHEAD];
    for (int slot = 0; slot < AHEAD; slot++) queue[slot] = {0, 0, &targets[slot * (model.negative + 1)]};
    ISA_DISPATCH(isa, train_chunk)(model, chunk, alpha, random, queue, work[0].values);
}
