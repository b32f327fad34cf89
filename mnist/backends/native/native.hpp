// An epoch of SGD in one call, on threads that share every layer's units (see epoch_kernel.hpp).
#pragma once
#include <cmath>
#include <cstdint>
#include <deque>
#include <exception>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "matrix.hpp"
#include "team.hpp"

#define INLINE inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))
#define UNROLL _Pragma("GCC unroll 8")  // before the compiler decides what stays in registers

// What is trained, and on what.
template <class Real> struct Epoch {
    Real *weights;  // W1, b1, W2, b2, ..., each in C order; trained in place
    const uint8_t *images, *labels;  // (n, sizes.front()), (n,)
    const int64_t *order;            // (examples,): which of them, in this order
    int64_t examples, batch;
    Real learning_rate;
    int threads;
    std::vector<int> sizes;  // pixels, units of each hidden layer, classes
};

#define KERNEL "mnist/backends/native/epoch_kernel.hpp"
#include "include/foreach_isa.hpp"

#if MULTIPLE_ISAS && !defined(__clang__)
#define BF16_KERNEL 1
#include <immintrin.h>
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,avx512bf16,avx2,fma,bmi2,prfchw")
namespace x86_64_bf16 {
constexpr int LANES = 16, REGISTERS = 32;
#include "epoch_kernel.hpp"
#include "bf16.hpp"
}
#pragma GCC pop_options
#else
#define BF16_KERNEL 0
#endif

// The name of the instruction set whose products take bfloat16 numbers, for float32 weights.
constexpr const char *BF16 = "x86-64-v4-bf16";

inline bool has_bf16() {
#if BF16_KERNEL
    return __builtin_cpu_supports("avx512bf16");
#else
    return false;
#endif
}

// Trains an epoch by an instruction set of `usable_isas()`, or BF16 if `has_bf16()`. Returns the sum of the examples'
// losses, each taken before its batch's update.
template <class Real> double train_epoch(const Epoch<Real> &epoch, const std::string &isa) {
#if BF16_KERNEL
    if constexpr (std::is_same_v<Real, float>)
        if (isa == BF16) return x86_64_bf16::train_with<x86_64_bf16::BFloat16>(epoch);
#endif
    return ISA_DISPATCH(isa, train_plain<Real>)(epoch);
}
