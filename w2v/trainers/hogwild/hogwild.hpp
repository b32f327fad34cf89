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
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sampler.hpp"

#define INLINE inline __attribute__((always_inline))

constexpr int FLOATS_PER_LINE = 16;
constexpr int MOST_IN_GROUP = 3;      // neighbouring centres that share their negatives
constexpr int CONTEXT_BATCH = 16;     // contexts that meet the same outputs at once: more would add up and overshoot
constexpr int PREFETCH_CENTRES = 6;   // between asking for a row and using it
constexpr int BLOCK_GROUPS = 64;      // groups sampled at a time: their samples stay in L1
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
    const float *data() const { return memory.data() + offset; }
    float &operator[](size_t i) { return memory[offset + i]; }
    size_t size() const { return length; }
};

// A thread's view of a table: its own copy of the `hot` rows that come first, the shared ones after. Row w lies w steps from
// row 0. Row -1 is a row of zeros of the thread's own, which stands in for outputs that are passed over.
struct Rows {
    float *shared, *own;
    int32_t hot;
    ptrdiff_t step;  // in floats; negative where the rows most used come last
    size_t stride;
    INLINE float *operator[](int32_t row) const { return (row < hot ? own : shared) + row * step; }
};

// What one thread sees.
struct Tables {
    const Rows syn0, syn1neg, syn1;
};

// The windows of a chunk: the context of centre i is tokens[first[i]:last[i]] without i itself.
struct Windows {
    std::vector<int32_t> tokens, first, last;
    void clear() { tokens.clear(), first.clear(), last.clear(); }
    int32_t size() const { return (int32_t)tokens.size(); }
};

// The way to a word in the tree of hierarchical softmax.
struct Path {
    const int32_t *nodes;  // counted from the root, which is 0
    const uint8_t *codes;
    int length;
};
struct Tree {
    const int32_t *nodes = nullptr;
    const uint8_t *codes = nullptr;    // 7 bytes more than there are nodes
    const int64_t *offsets = nullptr;  // (words + 1,)
    int longest = 0;
    explicit operator bool() const { return nodes; }
    INLINE Path path(int32_t word) const {
        const int64_t begin = offsets[word];
        return {nodes + begin, codes + begin, (int)(offsets[word + 1] - begin)};
    }
};

// What all threads share. A table is float32 (rows, stride), stride a multiple of 16.
struct Model {
    float *syn0, *syn1neg, *syn1;  // null without that head
    int32_t words;
    size_t stride;
    const uint32_t *keep;  // (words,), a word is kept if 32 random bits are at most this
    const float *lockf;    // (words,), the share of its updates that an input row learns; null for all of them
    Tree tree;             // empty without hierarchical softmax
    int window, negative;
    int group;  // centres that share their negatives, at most MOST_IN_GROUP
    bool shrink_windows, skip_gram, cbow_mean, compute_loss;
    int threads;
};

// The outputs of groups of centres, [begin, end) in all: the true words, then the negatives. An output that repeats one before
// it has id -1 and no weight; a negative drawn n times has weight n, so that no loop needs to know of repeats.
struct Block {
    int begin = 0, end = 0, groups = 0;
    const int group, outputs, pitch;  // group: centres in each; pitch: floats from one row of weights to the next
    std::vector<int32_t> ids;
    AlignedFloats weights;  // of negatives; 0 for the true words

    Block(int group, int negative)
        : group(group), outputs(group + negative), pitch((outputs + 7) / 8 * 8), ids((size_t)outputs * BLOCK_GROUPS),
          weights((size_t)pitch * BLOCK_GROUPS) {}
    INLINE int32_t *column(int q) { return ids.data() + (size_t)q * BLOCK_GROUPS; }
    INLINE int32_t id(int g, int q) const { return ids[(size_t)q * BLOCK_GROUPS + g]; }
    INLINE const float *weights_of(int g) const { return weights.data() + (size_t)g * pitch; }
};

// Room for one thread's current step.
struct Scratch {
    const int most_contexts;  // of one centre
    std::vector<float *> contexts, inputs, outputs, ahead;
    std::vector<int32_t> words;
    AlignedFloats weights, labels, group_labels, dots, changes, hidden, before;

    Scratch(const Model &model, int most_outputs)
        : most_contexts(2 * std::min(model.window, MAX_SENTENCE)), contexts((size_t)model.group * most_contexts),
          inputs(CONTEXT_BATCH), outputs(most_outputs),
          ahead(most_outputs + model.group), words(CONTEXT_BATCH), weights(CONTEXT_BATCH * pitch(most_outputs)),
          labels(pitch(most_outputs)), group_labels(pitch(most_outputs)), dots(CONTEXT_BATCH * pitch(most_outputs)),
          changes((size_t)most_outputs * FLOATS_PER_LINE), hidden(model.group * model.stride),
          before(CONTEXT_BATCH * model.stride) {
        std::fill(group_labels.data(), group_labels.data() + model.group, 1.f);
    }

  private:
    static size_t pitch(int outputs) { return (size_t)(outputs + 7) / 8 * 8; }
};

#define KERNEL "w2v/trainers/hogwild/window_kernel.hpp"
#include "include/foreach_isa.hpp"
#undef KERNEL

// A thread's copy of the first rows of a table. `base` is that copy as of the last merge, so the difference is what this
// thread has learnt since.
class HotRows {
    AlignedFloats own, base;
    std::mutex &merging;

  public:
    const Rows rows;

    // first: row 0; backwards: the rows lie in memory before it.
    HotRows(float *first, size_t stride, bool backwards, int32_t hot, std::mutex &merging)
        : own((size_t)(hot + 1) * stride), base((size_t)hot * stride), merging(merging),
          rows{first, own.data() + (backwards ? std::max(hot - 1, 0) : 1) * stride, hot,
               backwards ? -(ptrdiff_t)stride : (ptrdiff_t)stride, stride} {
        merge();
    }
    // Publishes what this thread has learnt and takes over what the others have.
    void merge() {
        std::lock_guard<std::mutex> lock(merging);
        for (int32_t row = 0; row < rows.hot; row++) {
            float *shared = rows.shared + row * rows.step, *mine = rows[row], *old = base.data() + row * rows.stride;
            for (size_t j = 0; j < rows.stride; j++) shared[j] = mine[j] = old[j] = shared[j] + (mine[j] - old[j]);
        }
    }
};

// What a chunk of training did.
struct Trained {
    int64_t kept_words = 0;
    double loss = 0;
    int64_t examples = 0;
};

// The mutexes of the three tables and the distribution of negatives: what threads share beside the model.
struct Shared {
    const Model model;
    const AliasTable noise;
    std::mutex merging_syn0, merging_syn1neg, merging_syn1;

    // noise: (words,), the distribution of negatives; null without any.
    Shared(const Model &model, const AliasTable::Slot *noise) : model(model), noise{noise, (uint32_t)model.words} {
        if (model.group < 1 || model.group > MOST_IN_GROUP) throw std::invalid_argument("no group has so many centres");
    }
};

class Thread {
    Shared &shared;
    const Model &model;
    decltype(&baseline::train_block) train_block;
    HotRows syn0, syn1neg, syn1;
    const Tables tables;
    Windows windows;
    Block block;
    Scratch scratch;
    int64_t unmerged = 0;

  public:
    Thread(Shared &shared, const std::string &isa)
        : shared(shared), model(shared.model), train_block(ISA_DISPATCH(isa, train_block)),
          syn0(model.syn0, model.stride, false, hot_rows(model.words), shared.merging_syn0),
          syn1neg(model.syn1neg, model.stride, false, hot_rows(model.syn1neg ? model.words : 0), shared.merging_syn1neg),
          syn1(model.syn1 ? model.syn1 + (size_t)std::max(model.words - 2, 0) * model.stride : nullptr, model.stride, true,
               hot_rows(model.syn1 ? model.words - 1 : 0), shared.merging_syn1),
          tables{syn0.rows, syn1neg.rows, syn1.rows}, block(model.group, model.negative),
          scratch(model, std::max(block.outputs, model.tree.longest)) {}

    // Trains on sentences [begin, end). ids: int32, offsets: int64, where sentences begin.
    Trained train_chunk(const int32_t *ids, const int64_t *offsets, int64_t begin, int64_t end, float alpha, uint64_t seed) {
        Rng rng{seed};
        windows.clear();
        for (int64_t s = begin; s < end; s++) sample_sentence(ids + offsets[s], ids + offsets[s + 1], rng);
        return train(alpha, [&](int q) {
            int32_t *column = block.column(q);
            for (int g = 0; g < block.groups; g++) column[g] = shared.noise.draw(rng);
        });
    }

    // Trains on given samples, windows of n centres; a group takes the negatives (n, negative) of its first: for tests.
    Trained train_windows(const int32_t *tokens, const int32_t *first, const int32_t *last, const int32_t *negatives, int n,
                          float alpha) {
        windows.tokens.assign(tokens, tokens + n);
        windows.first.assign(first, first + n);
        windows.last.assign(last, last + n);
        return train(alpha, [&](int q) {
            int32_t *column = block.column(q);
            for (int g = 0; g < block.groups; g++)
                column[g] = negatives[(size_t)(block.begin + g * block.group) * model.negative + q - block.group];
        });
    }

    void merge() {
        syn0.merge();
        syn1neg.merge();
        syn1.merge();
        unmerged = 0;
    }

  private:
    // One thread alone has nobody to share cache lines with.
    int32_t hot_rows(int32_t rows) const { return model.threads > 1 ? std::min(HOT_ROWS, rows) : 0; }

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

    // Trains the windows by blocks; `draw(q)` fills column q of the block's ids with negatives.
    template <class Draw> Trained train(float alpha, Draw draw) {
        Trained trained{windows.size()};
        for (int i = 0; i < windows.size(); i = block.end) {
            open_block(i);
            for (int q = block.group; q < block.outputs; q++) draw(q);
            weigh_repeats();
            train_block(model, windows, block, tables, alpha, scratch, model.compute_loss ? &trained.loss : nullptr);
            unmerged += block.end - block.begin;
            if (model.threads > 1 && unmerged >= UNMERGED_WORDS / model.threads) merge();
        }
        if (model.compute_loss)
            for (int i = 0; i < windows.size(); i++) {
                const int contexts = windows.last[i] - windows.first[i] - 1;
                trained.examples += model.skip_gram ? contexts : contexts > 0;
            }
        return trained;
    }

    void open_block(int begin) {
        block.begin = begin;
        block.end = std::min(begin + block.group * BLOCK_GROUPS, windows.size());
        block.groups = (block.end - begin + block.group - 1) / block.group;
        for (int k = 0; k < block.group; k++)
            for (int g = 0; g < block.groups; g++) {
                const int centre = begin + g * block.group + k;
                block.column(k)[g] = centre < block.end ? windows.tokens[centre] : -1;
            }
        for (int g = 0; g < block.groups; g++)
            for (int q = 0; q < block.pitch; q++)
                block.weights[(size_t)g * block.pitch + q] = block.group <= q && q < block.outputs;
    }

    // Repeats are rare: they are looked for by whole columns, which the compiler vectorises, then mended one by one.
    void weigh_repeats() {
        std::array<uint8_t, BLOCK_GROUPS> repeats{};
        for (int q = 1; q < block.outputs; q++)
            for (int r = 0; r < q; r++) {
                const int32_t *a = block.column(q), *b = block.column(r);
                for (int g = 0; g < block.groups; g++) repeats[g] |= a[g] == b[g];
            }
        for (int g = 0; g < block.groups; g++)
            if (repeats[g]) weigh_repeats_of(g);
    }
    void weigh_repeats_of(int g) {
        float *weights = block.weights.data() + (size_t)g * block.pitch;
        for (int q = 1; q < block.outputs; q++)
            for (int r = 0; r < q; r++)
                if (block.column(q)[g] == block.column(r)[g]) {
                    if (r >= block.group) weights[r]++;
                    weights[q] = 0;
                    block.column(q)[g] = -1;
                    break;
                }
    }
};
