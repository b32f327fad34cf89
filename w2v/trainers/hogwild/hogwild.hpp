// Hogwild in window mode: what threads share, what each keeps to itself, and the way of a chunk through sampling and kernel.
//
// Threads write to the shared rows without locks (Niu et al. 2011, "Hogwild!", arXiv:1106.5730): an update lost now and then
// does no harm. What does not scale is every thread writing to the rows of the few most frequent words, whose cache lines
// then travel between cores at each step. So each thread keeps its own copy of those and merges its changes often.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "sampler.hpp"

#define INLINE inline __attribute__((always_inline))

constexpr int FLOATS_PER_LINE = 16;
constexpr int OUTPUT_TILE = 6;        // outputs whose dot products are computed together
constexpr int CONTEXT_BATCH = 16;     // contexts that meet the same outputs at once: more would add up and overshoot
constexpr int PREFETCH_DISTANCE = 4;  // centres between asking for a row and using it
constexpr int BLOCK_CENTRES = 256;    // centres sampled at a time: their samples stay in L1
constexpr int HOT_ROWS = 256;         // rows of which each thread keeps a copy
constexpr int MAX_SENTENCE = 10000;   // words; the corpus holds none longer
constexpr int UNMERGED_WORDS = 20000; // words that all threads together may train between merges; 160,000 diverged

// Zeroed float32 on cache-line boundaries.
class AlignedFloats {
    std::vector<float> memory;
    size_t offset, length;

  public:
    explicit AlignedFloats(size_t length) : memory(length + FLOATS_PER_LINE), length(length) {
        const size_t line = FLOATS_PER_LINE * sizeof(float), past = (uintptr_t)memory.data() % line;
        offset = (line - past) % line / sizeof(float);
    }
    AlignedFloats(const AlignedFloats &) = delete;
    float *data() { return memory.data() + offset; }
    float &operator[](size_t i) { return memory[offset + i]; }
    size_t size() const { return length; }
};

// A thread's view of a table: its own copy of the first `hot` rows, the shared ones after. Row -1 is a row of zeros of the
// thread's own, which stands in for outputs that are passed over.
struct Rows {
    float *shared, *own;
    int32_t hot;
    size_t stride;
    INLINE float *operator[](int32_t word) const { return (word < hot ? own : shared) + (ptrdiff_t)word * (ptrdiff_t)stride; }
};

// The windows of a chunk: the context of centre i is tokens[first[i]:last[i]] without i itself.
struct Windows {
    std::vector<int32_t> tokens, first, last;
    void clear() { tokens.clear(), first.clear(), last.clear(); }
    int32_t size() const { return (int32_t)tokens.size(); }
};

// The outputs of centres [begin, end): the true word, then the negatives. A negative that repeats an output has weight 0
// and id -1; one drawn n times has weight n, so that no loop needs to know of repeats.
struct Block {
    int begin = 0, end = 0;
    const int outputs, pitch;  // pitch: floats from one centre's weights, or one context's steps, to the next's; a tile writes 8
    std::vector<int32_t> ids;
    std::vector<float> weights;

    explicit Block(int negative)
        : outputs(negative + 1), pitch(outputs <= OUTPUT_TILE ? 8 : (outputs + 7 + 7) / 8 * 8),
          ids((size_t)outputs * BLOCK_CENTRES), weights((size_t)pitch * BLOCK_CENTRES) {}
    INLINE int32_t id(int i, int q) const { return ids[(size_t)q * BLOCK_CENTRES + i - begin]; }
    INLINE const float *weights_of(int i) const { return weights.data() + (size_t)(i - begin) * pitch; }
};

// What one thread needs to train one centre.
struct Scratch {
    std::vector<float *> contexts, outputs, ahead;
    AlignedFloats steps, changes;

    Scratch(int max_contexts, const Block &block)
        : contexts(max_contexts), outputs(block.outputs), ahead(block.outputs + 1),
          steps((size_t)CONTEXT_BATCH * block.pitch), changes((size_t)block.outputs * FLOATS_PER_LINE) {}
};

#define KERNEL "hogwild/window_kernel.hpp"  // as seen from foreach_isa.hpp
#include "../foreach_isa.hpp"
#undef KERNEL

// What all threads share. syn0, syn1neg: float32 (words, stride), stride a multiple of 16; keep: uint32 (words,), a word is
// kept if 32 random bits are at most this; noise: float64 (words,), the probabilities of negatives.
struct Model {
    float *const syn0, *const syn1neg;
    const int32_t words;
    const size_t stride;
    const uint32_t *const keep;
    const AliasTable noise;
    const int window, negative;
    const bool shrink_windows;
    const int threads;
    std::mutex merging_syn0, merging_syn1neg;

    Model(float *syn0, float *syn1neg, int32_t words, size_t stride, const uint32_t *keep, const double *noise, int window,
          int negative, bool shrink_windows, int threads)
        : syn0(syn0), syn1neg(syn1neg), words(words), stride(stride), keep(keep), noise(noise, words), window(window),
          negative(negative), shrink_windows(shrink_windows), threads(threads) {}
};

// A thread's copy of the first rows of a table. `base` is that copy as of the last merge, so the difference is what this
// thread has learnt since.
class HotRows {
    AlignedFloats own, base;
    std::mutex &merging;

  public:
    Rows rows;

    HotRows(float *shared, size_t stride, int32_t hot, std::mutex &merging)
        : own((size_t)(hot + 1) * stride), base((size_t)hot * stride), merging(merging),
          rows{shared, own.data() + stride, hot, stride} {
        merge();
    }
    // Publishes what this thread has learnt and takes over what the others have.
    void merge() {
        std::lock_guard<std::mutex> lock(merging);
        float *shared = rows.shared, *mine = rows.own;
        for (size_t i = 0; i < base.size(); i++) shared[i] = mine[i] = base[i] = shared[i] + (mine[i] - base[i]);
    }
};

class Thread {
    Model &model;
    decltype(&baseline::train_block) train_block;
    HotRows syn0, syn1neg;
    Windows windows;
    Block block;
    Scratch scratch;
    int64_t unmerged = 0;

  public:
    Thread(Model &model, const std::string &isa)
        : model(model), train_block(ISA_DISPATCH(isa, train_block)),
          syn0(model.syn0, model.stride, hot_rows(model), model.merging_syn0),
          syn1neg(model.syn1neg, model.stride, hot_rows(model), model.merging_syn1neg), block(model.negative),
          scratch(2 * std::min(model.window, MAX_SENTENCE), block) {}

    // Trains on sentences [begin, end) and returns the words kept. ids: int32, offsets: int64, where sentences begin.
    int64_t train_chunk(const int32_t *ids, const int64_t *offsets, int64_t begin, int64_t end, float alpha, uint64_t seed) {
        Rng rng{seed};
        windows.clear();
        for (int64_t s = begin; s < end; s++) sample_sentence(ids + offsets[s], ids + offsets[s + 1], rng);
        for (int i = 0; i < windows.size(); i = block.end) {
            open_block(i);
            for (int q = 1; q < block.outputs; q++)
                for (int c = 0; c < block.end - i; c++) block.ids[(size_t)q * BLOCK_CENTRES + c] = model.noise.draw(rng);
            train_open_block(alpha);
        }
        return windows.size();
    }

    // Trains on given samples, windows of n centres and negatives (n, negative): for tests against the reference.
    void train_windows(const int32_t *tokens, const int32_t *first, const int32_t *last, const int32_t *negatives, int n,
                       float alpha) {
        windows.tokens.assign(tokens, tokens + n);
        windows.first.assign(first, first + n);
        windows.last.assign(last, last + n);
        for (int i = 0; i < n; i = block.end) {
            open_block(i);
            for (int q = 1; q < block.outputs; q++)
                for (int c = 0; c < block.end - i; c++)
                    block.ids[(size_t)q * BLOCK_CENTRES + c] = negatives[(size_t)(i + c) * (block.outputs - 1) + q - 1];
            train_open_block(alpha);
        }
    }

    void merge() {
        syn0.merge();
        syn1neg.merge();
        unmerged = 0;
    }

  private:
    // One thread alone has nobody to share cache lines with.
    static int32_t hot_rows(const Model &model) { return model.threads > 1 ? std::min(HOT_ROWS, model.words) : 0; }

    void sample_sentence(const int32_t *word, const int32_t *end, Rng &rng) {
        const int32_t begin = windows.size();
        for (; word < end; word++) {
            const uint64_t bits = rng.next();
            if ((uint32_t)(bits >> 32) > model.keep[*word]) continue;
            windows.tokens.push_back(*word);
            windows.first.push_back(model.shrink_windows ? 1 + (int32_t)scale((uint32_t)bits, model.window) : model.window);
        }
        for (int32_t i = begin; i < windows.size(); i++) {
            const int32_t reach = windows.first[i];
            windows.first[i] = std::max(begin, i - reach);
            windows.last.push_back(std::min(windows.size(), i + reach + 1));
        }
    }

    void open_block(int begin) {
        block.begin = begin;
        block.end = std::min(begin + BLOCK_CENTRES, windows.size());
        memcpy(block.ids.data(), windows.tokens.data() + begin, (block.end - begin) * sizeof(int32_t));
        for (size_t i = 0; i < block.weights.size(); i++) block.weights[i] = (int)(i % block.pitch) < block.outputs;
    }

    void train_open_block(float alpha) {
        weigh_repeats();
        train_block(windows, block, syn0.rows, syn1neg.rows, alpha, scratch);
        unmerged += block.end - block.begin;
        if (model.threads > 1 && unmerged >= UNMERGED_WORDS / model.threads) merge();
    }

    // Repeats are rare: they are looked for by whole columns, which the compiler vectorises, then mended one by one.
    void weigh_repeats() {
        const int centres = block.end - block.begin;
        std::array<uint8_t, BLOCK_CENTRES> repeats{};
        for (int q = 1; q < block.outputs; q++)
            for (int r = 0; r < q; r++) {
                const int32_t *a = &block.ids[(size_t)q * BLOCK_CENTRES], *b = &block.ids[(size_t)r * BLOCK_CENTRES];
                for (int c = 0; c < centres; c++) repeats[c] |= a[c] == b[c];
            }
        for (int c = 0; c < centres; c++)
            if (repeats[c]) weigh_repeats_of(&block.ids[c], &block.weights[(size_t)c * block.pitch]);
    }
    void weigh_repeats_of(int32_t *ids, float *weights) {
        for (int q = 1; q < block.outputs; q++)
            for (int r = 0; r < q; r++)
                if (int32_t &id = ids[(size_t)q * BLOCK_CENTRES]; id == ids[(size_t)r * BLOCK_CENTRES]) {
                    if (r > 0) weights[r]++;
                    weights[q] = 0;
                    id = -1;
                    break;
                }
    }
};
