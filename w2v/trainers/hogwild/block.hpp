// The samples of a chunk: windows, and the outputs that their centres are to predict.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tables.hpp"

constexpr int BLOCK_GROUPS = 64;  // groups sampled at a time: their samples stay in L1

// Floats from one row of pairs to the next: the sigmoids of a row are taken eight at a time.
constexpr int pitch_of(int outputs) { return (outputs + 7) / 8 * 8; }

// The windows of a chunk: the context of centre i is tokens[first[i]:last[i]] without i itself.
struct Windows {
    std::vector<int32_t> tokens, first, last;
    void resize(size_t words) { tokens.resize(words), first.resize(words), last.resize(words); }
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

// The outputs of groups of centres, [begin, end) in all: the true words, then the negatives. An output that repeats one before
// it has id -1 and no weight; a negative drawn n times weighs n times as much, so that no loop needs to know of repeats.
struct Block {
    int begin = 0, end = 0, groups = 0;
    const int group, outputs, pitch;  // group: centres in each; pitch: floats from one row of weights to the next
    const float weight;               // of a negative that is drawn once
    std::vector<int32_t> ids;
    AlignedFloats weights;  // of negatives; 0 for the true words

    Block(int group, int drawn, float weight)
        : group(group), outputs(group + drawn), pitch(pitch_of(outputs)), weight(weight), ids((size_t)outputs * BLOCK_GROUPS),
          weights((size_t)pitch * BLOCK_GROUPS) {}
    INLINE int32_t *column(int q) { return ids.data() + (size_t)q * BLOCK_GROUPS; }
    INLINE int32_t id(int g, int q) const { return ids[(size_t)q * BLOCK_GROUPS + g]; }
    INLINE const float *weights_of(int g) const { return weights.data() + (size_t)g * pitch; }

    // Takes at most so many centres from `at` on: their words; the negatives, columns from `group` on, are still to be drawn.
    void open(const Windows &windows, int at, int most) {
        begin = at;
        end = std::min(begin + std::min(group * BLOCK_GROUPS, most), windows.size());
        groups = (end - begin + group - 1) / group;
        for (int k = 0; k < group; k++)
            for (int g = 0; g < groups; g++) {
                const int centre = begin + g * group + k;
                column(k)[g] = centre < end ? windows.tokens[centre] : -1;
            }
        for (int g = 0; g < groups; g++)
            for (int q = 0; q < pitch; q++) weights[(size_t)g * pitch + q] = group <= q && q < outputs ? weight : 0;
    }

    // Repeats are rare: they are looked for by whole columns, which the compiler vectorises, then mended one by one.
    void weigh_repeats() {
        std::array<uint8_t, BLOCK_GROUPS> repeats{};
        for (int q = 1; q < outputs; q++)
            for (int r = 0; r < q; r++) {
                const int32_t *a = column(q), *b = column(r);
                for (int g = 0; g < groups; g++) repeats[g] |= a[g] == b[g];
            }
        for (int g = 0; g < groups; g++)
            if (repeats[g]) weigh_repeats_of(g);
    }

  private:
    void weigh_repeats_of(int g) {
        float *of_group = weights.data() + (size_t)g * pitch;
        for (int q = 1; q < outputs; q++)
            for (int r = 0; r < q; r++)
                if (column(q)[g] == column(r)[g]) {
                    if (r >= group) of_group[r] += weight;
                    of_group[q] = 0;
                    column(q)[g] = -1;
                    break;
                }
    }
};
