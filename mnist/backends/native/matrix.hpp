// Views of matrices, and the memory behind them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

constexpr int LINE = 64;  // bytes of a cache line

// A view of rows that lie `stride` numbers apart.
template <class T> class Matrix {
    T *data;

  public:
    size_t stride;
    Matrix(T *data, size_t stride) : data(data), stride(stride) {}
    Matrix(Matrix whole, ptrdiff_t shift) : data(whole.data + shift), stride(whole.stride) {}
    T *row(size_t i) const { return data + i * stride; }
};

// Zeroed memory. Rows begin at cache lines and take an odd number of them, so that a column's lines don't compete for
// one place in the cache.
template <class T> class Table {
    struct Free {
        void operator()(T *memory) const { free(memory); }
    };
    std::unique_ptr<T, Free> memory;
    size_t stride;

  public:
    Table(size_t rows, size_t columns) : stride((((columns * sizeof(T) + LINE - 1) / LINE) | 1) * LINE / sizeof(T)) {
        const size_t bytes = std::max<size_t>(rows, 1) * stride * sizeof(T);
        memory.reset((T *)aligned_alloc(LINE, bytes));
        if (!memory) throw std::bad_alloc();
        memset((void *)memory.get(), 0, bytes);
    }
    operator Matrix<T>() const { return {memory.get(), stride}; }
    T *row(size_t i) const { return memory.get() + i * stride; }
};
