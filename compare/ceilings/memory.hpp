// The memory kernels, each in the best instruction set that the processor has.
#pragma once
#include <cstddef>
#include <cstdint>

constexpr size_t FLOATS_PER_LINE = 16;

#define KERNEL "compare/ceilings/memory_kernel.hpp"
#include "include/foreach_isa.hpp"
#undef KERNEL

inline const std::string &best_isa() {
    static const std::string isa = usable_isas().front();
    return isa;
}
inline float gather(const float *table, const int32_t *rows, size_t n, size_t length) {
    return ISA_DISPATCH(best_isa(), gather)(table, rows, n, length);
}
inline void update(float *table, const int32_t *rows, size_t n, size_t length, float step) {
    ISA_DISPATCH(best_isa(), update)(table, rows, n, length, step);
}
inline void triad(float *a, const float *b, const float *c, size_t n, float factor) {
    ISA_DISPATCH(best_isa(), triad)(a, b, c, n, factor);
}
