// Compiles the file named by the macro KERNEL, a path from the root of the sources, once per instruction set, each in a
// namespace of its own, so that one build is fast everywhere. The kernel sees two constants: LANES, float32 values in a
// vector register, and REGISTERS, how many such registers there are. Targets are set here, not by -march, so that
// nothing outside the kernel needs a new processor. (prfchw asks for a row to be written; the processors with AVX2 that
// lack the instruction pass over it.) ISA_DISPATCH(isa, function) is the copy of a kernel's function for an instruction
// set of `usable_isas()`.
#pragma once
#include <string>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#define MULTIPLE_ISAS 1
#else
#define MULTIPLE_ISAS 0
#endif

#if MULTIPLE_ISAS
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,bmi2,prfchw"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,bmi2,prfchw")
#endif
namespace x86_64_v4 {
constexpr int LANES = 16, REGISTERS = 32;
#include KERNEL
}
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi2,prfchw"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi2,prfchw")
#endif
namespace x86_64_v3 {
constexpr int LANES = 8, REGISTERS = 16;
#include KERNEL
}
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace baseline {
#if defined(__aarch64__)
constexpr int LANES = 4, REGISTERS = 32;
#else
constexpr int LANES = 4, REGISTERS = 16;
#endif
#include KERNEL
}

// The instruction sets that this processor can run, best first.
inline std::vector<std::string> usable_isas() {
    std::vector<std::string> isas;
#if MULTIPLE_ISAS
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        isas.push_back("x86-64-v4");
    if (v3) isas.push_back("x86-64-v3");
#endif
    isas.push_back("baseline");
    return isas;
}

#if MULTIPLE_ISAS
#define ISA_DISPATCH(isa, function) \
    ((isa) == "x86-64-v4" ? x86_64_v4::function : (isa) == "x86-64-v3" ? x86_64_v3::function : baseline::function)
#else
#define ISA_DISPATCH(isa, function) baseline::function
#endif
