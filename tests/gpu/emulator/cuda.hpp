// The part of CUDA C++ that the kernels use, for g++: the kernels' own source is compiled after this header, unchanged.
//
// Not modelled: the order in which a device may make writes visible, speed, occupancy, bank conflicts, and code that only
// some architectures have (`__CUDA_ARCH__` is not defined).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "fibres.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__ __restrict
#define __shared__

struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

// All kernels call their dynamic shared memory this.
constexpr size_t SHARED_BYTES = 227 * 1024;
inline float4 dynamic_shared[SHARED_BYTES / sizeof(float4)];

#define threadIdx (emulator::self().thread)
#define blockIdx (emulator::grid.block)
#define blockDim (emulator::grid.threads)
#define gridDim (emulator::grid.blocks)

inline void __syncthreads() { emulator::wait(emulator::State::IN_BLOCK); }
inline void __syncwarp(unsigned mask = ~0u) { emulator::meet(mask, 0, "__syncwarp"); }
template <class T> T __shfl_sync(unsigned mask, T value, int source) {
    return emulator::shuffle(mask, value, source % emulator::WARP, "__shfl_sync");
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, int bits) {
    return emulator::shuffle(mask, value, emulator::self().lane ^ bits, "__shfl_xor_sync");
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
    const unsigned parity = emulator::meet(mask, predicate != 0, "__ballot_sync");
    unsigned votes = 0;
    const emulator::Fibre *lanes = &emulator::grid.fibres[emulator::self().warp * emulator::WARP];
    for (unsigned lane = 0; lane < emulator::WARP; lane++)
        if (mask >> lane & 1) votes |= (unsigned)lanes[lane].value[parity] << lane;
    return votes;
}

template <class T> T __ldcg(const T *address) { return *address; }
template <class T> T __ldg(const T *address) { return *address; }
template <class T> T atomicAdd(T *address, T value) {
    const T old = *address;  // fibres share one CPU thread
    *address = old + value;
    return old;
}

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __ffs(unsigned x) { return __builtin_ffs((int)x); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
inline float __expf(float x) { return expf(x); }
inline float __fdividef(float x, float y) { return x / y; }
using std::max;
using std::min;

namespace emulator {

// Past the end of the launch's shared memory: any write is noticed, with AddressSanitizer any access.
struct SharedMemory {
    char *end, *limit;
    explicit SharedMemory(size_t bytes) : end((char *)dynamic_shared + bytes), limit((char *)(dynamic_shared) + SHARED_BYTES) {
        memset(dynamic_shared, 0xff, SHARED_BYTES);  // not a number, until written
#if defined(__SANITIZE_ADDRESS__)
        ASAN_POISON_MEMORY_REGION(end, limit - end);
#endif
    }
    ~SharedMemory() {
#if defined(__SANITIZE_ADDRESS__)
        ASAN_UNPOISON_MEMORY_REGION(end, limit - end);
#endif
    }
    bool overrun() const {
#if defined(__SANITIZE_ADDRESS__)
        return false;
#else
        return !std::all_of(end, limit, [](char c) { return c == (char)0xff; });
#endif
    }
};

inline const char *run_grid(dim3 blocks, dim3 threads, size_t shared_bytes, unsigned seed) {
    if (shared_bytes > SHARED_BYTES) return "more shared memory than any device has";
    grid.error.clear();
    grid.blocks = blocks, grid.threads = threads;
    grid.shuffled = seed != 0, grid.random.seed(seed);
    grid.fibres.resize((size_t)threads.x * threads.y * threads.z);
    for (Fibre &fibre : grid.fibres)
        if (!fibre.stack) fibre.stack.reset(new char[STACK_BYTES]);
    for (unsigned index : order(blocks.x * blocks.y * blocks.z)) {
        grid.block = {index % blocks.x, index / blocks.x % blocks.y, index / blocks.x / blocks.y};
        const SharedMemory memory(shared_bytes);
        run_block();
        if (grid.error.empty() && memory.overrun()) grid.error = "a write past the end of the dynamic shared memory";
        if (!grid.error.empty()) return grid.error.c_str();
    }
    return nullptr;
}

// Launches a kernel as cuLaunchKernel does: `arguments` point to the values, whose sizes must be those of the parameters.
template <class... P>
const char *launch(void (*kernel)(P...), dim3 blocks, dim3 threads, size_t shared_bytes, unsigned seed, void **arguments,
                   const size_t *sizes, size_t count) {
    if (count != sizeof...(P)) return "another number of arguments than the kernel has parameters";
    size_t i = 0;
    if (!((sizes[i++] == sizeof(P)) && ...)) return "an argument is not of its parameter's size";
    i = 0;
    const std::tuple<P...> values{*(P *)arguments[i++]...};
    grid.kernel = [kernel, values] { std::apply(kernel, values); };
    return run_grid(blocks, threads, shared_bytes, seed);
}

}  // namespace emulator

#define EMULATE(kernel)                                                                                                    \
    extern "C" __attribute__((visibility("default"))) const char *emulate_##kernel(                                        \
        unsigned blocks, unsigned threads, size_t shared_bytes, unsigned seed, void **arguments, const size_t *sizes,      \
        size_t count) {                                                                                                    \
        return emulator::launch(kernel, {blocks, 1, 1}, {threads, 1, 1}, shared_bytes, seed, arguments, sizes, count);     \
    }
