// Hogwild in window mode: what threads share, what each keeps to itself, and the way of a chunk through sampling and kernel.
//
// Threads write to the shared rows without locks (Niu et al. 2011, "Hogwild!", arXiv:1106.5730): an update lost now and then
// does no harm. What does not scale is every thread writing to the rows of the few most frequent words, whose cache lines
// then travel between cores at each step. So each thread keeps its own copy of those and merges its changes often.
#pragma once
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "block.hpp"
#include "sampler.hpp"
#include "tables.hpp"

constexpr int MOST_IN_GROUP = 2;      // neighbouring centres that share their negatives
constexpr int CONTEXT_BATCH = 16;     // contexts that meet the same outputs at once: more would add up and overshoot
constexpr int PREFETCH_CENTRES = 6;   // between asking for a row and using it
constexpr int PREFETCH_NODES = 4;     // of a path, the deepest: those nearer the root are in use all the time
constexpr int MAX_SENTENCE = 10000;   // words; the corpus holds none longer
// Words that all other threads train between a thread's merges. Measured in lockstep, 20 MB of text: with 1000, two to sixteen
// threads have a loss 0.3 % above one thread's; with 2000, two have 0.4 % and gain a twentieth in speed, four have 1 %; with 4000,
// 0.7 and 2.5 %; with 20000 sixteen diverge.
constexpr int unmerged_words(int threads) { return threads == 2 ? 2000 : 1000; }
// A band of rows is shared until it has waited for its first merge as long as it will so many times between others. At first
// rows of zeros grow from what others learn, and a copy that lacks much of it grows more slowly.
constexpr int GROWTH = 4;
// How far an example takes a row towards where it comes to rest, at a learning rate of 1. Measured on sixteen threads in
// lockstep: skip-gram's trees diverge on 2 million words with 0.03, at twice the learning rate with 0.06, and learn 0.3 % less in a
// first epoch with 0.1; of negative sampling, sixteen threads learn more slowly than one with 0.1. CBOW bears 0.03.
constexpr float TREE_CURVATURE = 0.1f, NEGATIVE_CURVATURE = 0.06f, CBOW_CURVATURE = 0.03f;

// What all threads share. A table is float32 (rows, stride), stride a multiple of 16.
struct Model {
    float *syn0, *syn1neg, *syn1;  // null without that head
    int32_t words;
    size_t stride;
    const uint32_t *keep;  // (words,), a word is kept if 32 random bits are at most this
    const float *lockf;    // (words,), the share of its updates that an input row learns; null for all of them
    const float *syn0_traffic, *syn1neg_traffic, *syn1_traffic;  // see SharedRows; null without that table
    Tree tree;             // empty without hierarchical softmax
    int window;
    int group;              // centres that share their negatives, at most MOST_IN_GROUP
    int drawn;              // negatives of a group
    float negative_weight;  // how much each of them counts
    bool shrink_windows, skip_gram, cbow_mean, compute_loss;
    int threads;
};

// Room for one thread's current step.
struct Scratch {
    const int most_contexts;  // of one centre
    std::vector<float *> contexts, inputs, outputs, ahead;
    std::vector<int32_t> words;
    AlignedFloats weights, labels, group_labels, dots, changes, hidden, before;

    Scratch(const Model &model, int most_outputs)
        : most_contexts(2 * std::min(model.window, MAX_SENTENCE)), contexts((size_t)model.group * most_contexts),
          inputs(CONTEXT_BATCH), outputs(most_outputs), ahead(std::max(most_outputs, PREFETCH_NODES) + model.group),
          words(CONTEXT_BATCH), weights((size_t)CONTEXT_BATCH * pitch_of(most_outputs)), labels(pitch_of(most_outputs)),
          group_labels(pitch_of(most_outputs)), dots((size_t)CONTEXT_BATCH * pitch_of(most_outputs)),
          changes((size_t)most_outputs * FLOATS_PER_LINE), hidden(model.group * model.stride),
          before(CONTEXT_BATCH * model.stride) {
        std::fill(group_labels.data(), group_labels.data() + model.group, 1.f);
    }
};

#define KERNEL "w2v/trainers/hogwild/window_kernel.hpp"
#include "include/foreach_isa.hpp"
#undef KERNEL

// What a chunk of training did.
struct Trained {
    int64_t kept_words = 0;
    double loss = 0;
    int64_t examples = 0;
};

// What threads share beside the model: the rows that they keep copies of, and the distribution of negatives.
struct Shared {
    const Model model;
    const AliasTable noise;
    SharedRows syn0, syn1neg, syn1;

    // noise: (words,), the distribution of negatives; null without any.
    Shared(const Model &model, const AliasTable::Slot *noise)
        : model(model), noise{noise, (uint32_t)model.words},
          syn0{model.syn0, model.stride, false, hot(model.words), model.syn0_traffic, model.threads},
          syn1neg{model.syn1neg, model.stride, false, hot(model.syn1neg ? model.words : 0), model.syn1neg_traffic, model.threads},
          syn1{model.syn1 ? model.syn1 + (size_t)std::max(model.words - 2, 0) * model.stride : nullptr, model.stride, true,
               hot(model.syn1 ? model.words - 1 : 0), model.syn1_traffic, model.threads} {
        if (model.group < 1 || model.group > MOST_IN_GROUP) throw std::invalid_argument("no group has so many centres");
    }

  private:
    // The rows of a table that each thread keeps copies of: the fewer the more threads there are, for each of them merges
    // as often as all do. One thread alone has nobody to share cache lines with.
    int32_t hot(int32_t rows) const {
        return model.threads == 1 ? 0 : std::min(rows, std::max(256, 2 * MOST_HOT_ROWS / model.threads));
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
    int unmerged = 0;  // words
    uint32_t merges = 0;
    int copied = 0;  // bands

  public:
    Thread(Shared &shared, const std::string &isa)
        : shared(shared), model(shared.model), train_block(ISA_DISPATCH(isa, train_block)),
          syn0(shared.syn0, ISA_DISPATCH(isa, merge_row)), syn1neg(shared.syn1neg, ISA_DISPATCH(isa, merge_row)),
          syn1(shared.syn1, ISA_DISPATCH(isa, merge_row)),
          tables{syn0.view(), syn1neg.view(), syn1.view()}, block(model.group, model.drawn, model.negative_weight),
          scratch(model, std::max(block.outputs, model.tree.longest)) {}

    // Trains on sentences [begin, end). ids: int32, offsets: int64, where sentences begin.
    Trained train_chunk(const int32_t *ids, const int64_t *offsets, int64_t begin, int64_t end, float alpha, uint64_t seed) {
        Rng rng{seed};
        windows.resize(offsets[end] - offsets[begin]);
        int32_t kept = 0;
        for (int64_t s = begin; s < end; s++) kept = sample_sentence(ids + offsets[s], ids + offsets[s + 1], kept, rng);
        windows.resize(kept);
        return train(alpha, [&](int q) {
            int32_t *column = block.column(q);
            for (int g = 0; g < block.groups; g++) column[g] = shared.noise.draw(rng);
        });
    }

    // Trains on given samples, windows of n centres; a group takes the negatives (n, drawn) of its first: for tests.
    Trained train_windows(const int32_t *tokens, const int32_t *first, const int32_t *last, const int32_t *negatives, int n,
                          float alpha) {
        windows.tokens.assign(tokens, tokens + n);
        windows.first.assign(first, first + n);
        windows.last.assign(last, last + n);
        return train(alpha, [&](int q) {
            int32_t *column = block.column(q);
            for (int g = 0; g < block.groups; g++)
                column[g] = negatives[(size_t)(block.begin + g * block.group) * model.drawn + q - block.group];
        });
    }

    void merge() { merge(copied); }

  private:
    void merge(int bands) {
        for (HotRows *rows : {&syn0, &syn1neg, &syn1}) rows->merge(bands);
        copied = std::max(copied, bands);
        unmerged = 0;
    }
    // Writes the windows of a sentence, `begin` and on, and returns where they end.
    int32_t sample_sentence(const int32_t *word, const int32_t *end_of_words, int32_t begin, Rng &rng) {
        int32_t end = begin;
        for (; word < end_of_words; word++) {
            const uint64_t bits = rng.next();
            windows.tokens[end] = *word;
            windows.first[end] = model.shrink_windows ? 1 + (int32_t)scale((uint32_t)bits, model.window) : model.window;
            end += (uint32_t)(bits >> 32) <= model.keep[*word];  // added: a branch here would be mispredicted often
        }
        for (int32_t i = begin; i < end; i++) {
            const int32_t reach = windows.first[i];
            windows.first[i] = std::max(begin, i - reach);
            windows.last[i] = std::min(end, i + reach + 1);
        }
        return end;
    }

    // Trains the windows by blocks; `draw(q)` fills column q of the block's ids with negatives.
    template <class Draw> Trained train(float alpha, Draw draw) {
        Trained trained{windows.size()};
        for (int i = 0; i < windows.size(); i = block.end) {
            block.open(windows, i, until_merge());
            for (int q = block.group; q < block.outputs; q++) draw(q);
            block.weigh_repeats();
            train_block(model, windows, block, tables, alpha, scratch, model.compute_loss ? &trained.loss : nullptr);
            learnt(block.end - block.begin, alpha);
        }
        if (model.compute_loss)
            for (int i = 0; i < windows.size(); i++) {
                const int contexts = windows.last[i] - windows.first[i] - 1;
                trained.examples += model.skip_gram ? contexts : contexts > 0;
            }
        return trained;
    }

    // Words that this thread may still train before it merges: no end of them when it is alone.
    int until_merge() const {
        return model.threads == 1 ? INT_MAX / 2 : std::max(1, unmerged_words(model.threads) / (model.threads - 1)) - unmerged;
    }
    void learnt(int words, float alpha) {
        if (model.threads == 1) return;
        const float curvature = !model.skip_gram ? CBOW_CURVATURE : model.tree ? TREE_CURVATURE : NEGATIVE_CURVATURE;
        for (HotRows *rows : {&syn0, &syn1neg, &syn1}) rows->advance(curvature * alpha * words);
        unmerged += words;
        if (until_merge() > 0) return;
        merges++;
        int due = 0;  // bands: band b every 2^b merges, from GROWTH times as many on
        while (due < BANDS && merges % (1u << due) == 0 && merges >= (uint32_t)GROWTH << due) due++;
        merge(due);
    }
};
