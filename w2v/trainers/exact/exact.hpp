// word2vec as gensim 4 computes it (gensim/models/word2vec_inner.pyx): its random stream, its examples in its order,
// its table of sigmoids. Only the order in which a dot product is summed differs.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
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

// -log sigmoid(x) where the code is 0, -log sigmoid(-x) where it is 1.
inline double log_loss(float x, uint8_t code) {
    const double wrong = code ? x : -x;
    return (wrong > 0 ? wrong : 0) + std::log1p(std::exp(-std::fabs(wrong)));
}

// The head of hierarchical softmax: word w has the path [offsets[w]:offsets[w + 1]] of points (rows of syn1) and codes.
struct Tree {
    float *syn1;
    const int32_t *points;
    const uint8_t *codes;
    const int64_t *offsets;
};

struct Settings {
    int window, negative;
    bool sg, cbow_mean, compute_loss;
};

// What all chunks share: the input rows, and a head or two that learn with them.
struct Model : Settings {
    float *syn0;
    int64_t stride;            // floats a row, its zero padding to whole cache lines included
    const float *lockf;        // what each input row's steps are multiplied by; null for 1
    float *syn1neg = nullptr;  // null without negative sampling
    std::unique_ptr<Noise> noise;
    Tree tree{};  // its syn1 null without hierarchical softmax

    Model(float *syn0, int64_t stride, const float *lockf, const Settings &settings)
        : Settings(settings), syn0(syn0), stride(stride), lockf(lockf) {}
    void add_negative_sampling(float *table, const uint32_t *cumulative, int64_t words) {
        syn1neg = table;
        noise = std::make_unique<Noise>(cumulative, words);
    }
    void add_hierarchical_softmax(float *syn1, const int32_t *points, const uint8_t *codes, const int64_t *offsets) {
        tree = {syn1, points, codes, offsets};
    }
};

// Some whole sentences after subsampling.
struct Chunk {
    const int32_t *words;
    const int64_t *ends;  // where in `words` each sentence ends
    int64_t sentences;
    const int64_t *reduced_windows;  // by how much the window of each word falls short of the largest
};

// Inputs that together predict the word at `centre`: words[first:last] without the centre itself, one in skip-gram.
// The targets of negative sampling are that word, then noise.
struct Example {
    int64_t first = 0, last = 0, centre = 0;
    std::vector<int32_t> targets;
    int count = 0;
    int64_t inputs() const { return last - first - (first <= centre && centre < last); }
};

// What inputs predict by one head: rows of a table, each with its code, 0 for true and 1 for false.
struct Outputs {
    float *table;
    const int32_t *rows;
    const uint8_t *codes;
    int count;
    bool distinct;  // whether no row can come twice
};

struct Totals {
    double loss = 0;
    int64_t examples = 0;
};

constexpr int CACHE_LINE = 64;
constexpr int AHEAD = 2;  // examples between the draw, which prefetches the rows, and the arithmetic

// What one thread needs to train an example: rows for the mean or sum of its inputs and for their step.
struct Scratch {
    struct alignas(CACHE_LINE) Line {
        float values[CACHE_LINE / sizeof(float)];
    };
    std::vector<Line> mean, change;
    std::vector<uint8_t> codes;  // of the targets: one true, then noise

    explicit Scratch(const Model &model)
        : mean(model.stride * sizeof(float) / CACHE_LINE), change(mean.size()), codes(model.negative + 1, 1) {
        codes[0] = 0;
    }
};

#define INLINE static inline __attribute__((always_inline))
#define KERNEL "w2v/trainers/exact/example_kernel.hpp"
#include "include/foreach_isa.hpp"

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

inline Totals train(const std::string &isa, const Model &model, const Chunk &chunk, float alpha, Random random) {
    Scratch scratch(model);
    Example queue[AHEAD];
    for (Example &example : queue) example.targets.resize(model.negative + 1);
    Totals totals;
    ISA_DISPATCH(isa, train_chunk)(model, chunk, alpha, random, queue, scratch, totals);
    return totals;
}
