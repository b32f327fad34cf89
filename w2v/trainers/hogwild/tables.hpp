// The tables as one thread sees them: shared rows, and its own copy of those used most.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#define INLINE inline __attribute__((always_inline))

constexpr int FLOATS_PER_LINE = 16;

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

constexpr int HOTTEST_ROWS = 16;  // merged every time; twice as many every second time, and so on
constexpr int BANDS = 8;          // of rows merged equally often
constexpr int MOST_HOT_ROWS = HOTTEST_ROWS << (BANDS - 1);

// merge_row of merge_kernel.hpp, for one instruction set.
using MergeRow = void(float *shared, float *own, float *base, size_t stride, float share);

// The first rows of a table, of which threads keep copies.
struct SharedRows {
    float *const first;   // null without the table
    const size_t stride;
    const bool backwards;  // whether the rows lie in memory before the first
    const int32_t hot;
    const float *traffic;  // (hot,), the examples of each row that a word trains, on average
    const int threads;
    std::array<std::mutex, MOST_HOT_ROWS> merging{};
};

// A thread's copy of them. `base` is that copy as of the last merge, so the difference is what this thread has learnt since.
class HotRows {
    SharedRows &table;
    MergeRow *const kernel;
    AlignedFloats own, base;
    std::array<float, BANDS> way{};

  public:
    const Rows rows;

    HotRows(SharedRows &table, MergeRow *kernel)
        : HotRows(table, kernel, table.backwards ? -(ptrdiff_t)table.stride : (ptrdiff_t)table.stride) {
        merge();
    }
    // The thread has trained: an example a word would take a row so far towards where it comes to rest.
    void advance(float further) {
        for (float &each : way) each += further;
    }
    // Publishes what this thread has learnt and takes over what the others have, in the first bands.
    void merge(int bands = BANDS) {
        for (int band = 0, row = 0; band < bands; way[band++] = 0)
            for (; row < std::min(HOTTEST_ROWS << band, table.hot); row++) merge_row(row, share_of(way[band] * table.traffic[row]));
    }

  private:
    // step: from a row to the next. The row of zeros, -1, is the last of all that lie backwards, else the first.
    HotRows(SharedRows &table, MergeRow *kernel, ptrdiff_t step)
        : table(table), kernel(kernel), own((size_t)(table.hot + 1) * table.stride), base((size_t)table.hot * table.stride),
          rows{table.first, own.data() + (table.backwards ? table.hot * table.stride : 0) + step, table.hot, step, table.stride} {}
    void merge_row(int32_t row, float share) {
        std::lock_guard<std::mutex> lock(table.merging[row]);
        kernel(rows.shared + row * rows.step, rows[row], base.data() + row * rows.stride, rows.stride, share);
    }
    // Where a thread's words take a row by the share 1 - exp(-x) of its way to where it comes to rest, n threads that start
    // from one copy go n times as far in all: no farther than there, so that they never overshoot. (Warps of a GPU, which
    // are thousands, get as far as a single one in as many words: see cuda/damping.py.)
    float share_of(float x) const { return table.threads * x <= 1 ? 1 : std::min(1.f, -1 / (table.threads * std::expm1(-x))); }
};
