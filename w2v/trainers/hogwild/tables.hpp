// The tables as one thread sees them: shared rows, and its own copy of those used most.
#pragma once
#include <algorithm>
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
