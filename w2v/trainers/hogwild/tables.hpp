// The tables as one thread sees them: shared rows, and its own copy of those used most.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#define INLINE inline __attribute__((always_inline))

constexpr int FLOATS_PER_LINE = 16;

// Zeroed float32 on cache-line boundaries. The system gives them by the page, when they are first written.
class AlignedFloats {
    std::unique_ptr<void, decltype(&std::free)> memory;
    float *first;

  public:
    explicit AlignedFloats(size_t length)
        : memory(std::calloc(length + FLOATS_PER_LINE, sizeof(float)), &std::free) {
        if (!memory) throw std::bad_alloc();
        const size_t line = FLOATS_PER_LINE * sizeof(float), past = (uintptr_t)memory.get() % line;
        first = (float *)memory.get() + (line - past) % line / sizeof(float);
    }
    float *data() { return first; }
    const float *data() const { return first; }
    float &operator[](size_t i) { return first[i]; }
};

// A thread's view of a table: its own copy of the `hot` rows that come first, the shared ones after. Row w lies w steps from
// row 0. Row -1 is a row of zeros of the thread's own, which stands in for outputs that are passed over.
struct Rows {
    float *first[2];  // row 0, of the shared rows and of the own
    int32_t hot;
    ptrdiff_t step;  // in floats; negative where the rows most used come last
    size_t stride;
    // Looked up, not chosen: of a choice GCC makes a branch, which is mispredicted all the time and cost two threads a tenth of
    // their speed.
    INLINE float *operator[](int32_t row) const { return first[row < hot] + row * step; }
};

// What one thread sees.
struct Tables {
    const Rows &syn0, &syn1neg, &syn1;
};

constexpr int HOTTEST_ROWS = 16;  // the first band: the rows merged most often
constexpr int BANDS = 8;          // each after it has as many rows as all before, and is merged half as often
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
    std::array<std::mutex, MOST_HOT_ROWS / HOTTEST_ROWS> merging{};  // HOTTEST_ROWS of the rows each
};

// A thread's copy of them. `base` is that copy as of the last merge, so the difference is what this thread has learnt since.
class HotRows {
    SharedRows &table;
    MergeRow *const kernel;
    AlignedFloats own, base;
    std::array<float, BANDS> way{};
    Rows rows;

  public:
    HotRows(SharedRows &table, MergeRow *kernel)
        : HotRows(table, kernel, table.backwards ? -(ptrdiff_t)table.stride : (ptrdiff_t)table.stride) {}
    const Rows &view() const { return rows; }

    // The thread has trained: an example a word would take a row so far towards where it comes to rest.
    void advance(float further) {
        for (float &each : way) each += further;
    }
    // Publishes what this thread has learnt and takes over what the others have, in the first bands; copies a band that it has
    // shared so far.
    void merge(int bands) {
        int32_t row = 0;
        for (int band = 0; band < bands; way[band++] = 0)
            for (const int32_t end = std::min(HOTTEST_ROWS << band, table.hot); row < end; row += HOTTEST_ROWS)
                merge_rows(row, std::min(row + HOTTEST_ROWS, end), way[band]);
        rows.hot = std::max(rows.hot, std::min(row, table.hot));
    }

  private:
    // step: from a row to the next. The row of zeros, -1, is the last of all that lie backwards, else the first.
    HotRows(SharedRows &table, MergeRow *kernel, ptrdiff_t step)
        : table(table), kernel(kernel), own((size_t)(table.hot + 1) * table.stride), base((size_t)table.hot * table.stride),
          rows{{table.first, own.data() + (table.backwards ? table.hot * table.stride : 0) + step}, 0, step, table.stride} {}
    void merge_rows(int32_t row, int32_t end, float way) {
        std::lock_guard<std::mutex> lock(table.merging[row / HOTTEST_ROWS]);
        for (; row < end; row++) {
            const ptrdiff_t at = row * rows.step;
            const float share = share_of(way * table.traffic[row]);
            kernel(rows.first[0] + at, rows.first[1] + at, base.data() + row * rows.stride, rows.stride, share);
        }
    }
    // Where a thread's words take a row by the share 1 - exp(-x) of its way to where it comes to rest, n threads that start
    // from one copy go n times as far in all: no farther than there, so that they never overshoot. (Warps of a GPU, which
    // are thousands, get as far as a single one in as many words: see cuda/damping.py.)
    float share_of(float x) const { return table.threads * x <= 1 ? 1 : std::min(1.f, -1 / (table.threads * std::expm1(-x))); }
};
