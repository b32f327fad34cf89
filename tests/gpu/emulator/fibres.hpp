// Runs the threads of one CUDA block on one CPU thread: a fibre each, switched where CUDA threads wait for each other.
//
// A fibre runs until it needs others (a shuffle, a vote, a barrier), then another runs. With a seed, warps and lanes take
// turns in random order, so that a missing barrier shows as a result that depends on the seed. What can't be on a device is
// an error with a message: a mask without its own lane, lanes or barriers that never meet, writes past the shared memory.
#pragma once
#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

struct uint3 {
    unsigned x, y, z;
};
using dim3 = uint3;

namespace emulator {

constexpr unsigned WARP = 32;
constexpr size_t STACK_BYTES = 128 * 1024;

enum class State { READY, IN_WARP, IN_BLOCK, DONE };

struct Fibre {
    State state;
    unsigned warp, lane;
    uint3 thread;
    unsigned mask;      // lanes that this one waits for
    const char *call;   // the collective operation it waits in
    uint64_t value[2];  // what it offers to others, by the parity of its collective operations
    unsigned parity;
    ucontext_t start;
    jmp_buf place;
    bool started;
    std::unique_ptr<char[]> stack;
};

// One grid, its blocks one after another. Everything is global to the process: one launch at a time.
struct Grid {
    dim3 blocks, threads;
    uint3 block;
    std::vector<Fibre> fibres;
    Fibre *running;
    std::function<void()> kernel;
    std::mt19937 random;
    bool shuffled;
    ucontext_t main;
    jmp_buf scheduler;
    std::string error;
};
inline Grid grid;

inline Fibre &self() { return *grid.running; }

[[noreturn]] inline void fail(const std::string &message) {
    grid.error = message;
    _longjmp(grid.scheduler, 1);  // what the fibres hold is abandoned
}

inline void wait(State state) {
    self().state = state;
    if (!_setjmp(self().place)) _longjmp(grid.scheduler, 1);
}

inline void run_fibre() {
    grid.kernel();
    self().state = State::DONE;
    _longjmp(grid.scheduler, 1);
}

// Runs a fibre to where it waits next.
inline void resume(Fibre &fibre) {
    grid.running = &fibre;
    if (_setjmp(grid.scheduler)) return;
    if (fibre.started) _longjmp(fibre.place, 1);
    fibre.started = true;
    getcontext(&fibre.start);
    fibre.start.uc_stack.ss_sp = fibre.stack.get();
    fibre.start.uc_stack.ss_size = STACK_BYTES;
    fibre.start.uc_link = nullptr;
    makecontext(&fibre.start, run_fibre, 0);
    setcontext(&fibre.start);
}

inline std::vector<unsigned> order(unsigned count) {
    std::vector<unsigned> indices(count);
    for (unsigned i = 0; i < count; i++) indices[i] = i;
    if (grid.shuffled) std::shuffle(indices.begin(), indices.end(), grid.random);
    return indices;
}

// Lets go the lanes whose whole mask has arrived at the same operation. True if any were.
inline bool release_warp(Fibre *lanes, unsigned count) {
    bool released = false;
    for (unsigned i = 0; i < count; i++) {
        if (lanes[i].state != State::IN_WARP) continue;
        bool met = true;
        for (unsigned j = 0; j < count && met; j++)
            if (lanes[i].mask >> j & 1)
                met = lanes[j].state == State::IN_WARP && lanes[j].mask == lanes[i].mask && lanes[j].call == lanes[i].call;
        if (!met) continue;
        for (unsigned j = 0, mask = lanes[i].mask; j < count; j++)
            if (mask >> j & 1) lanes[j].state = State::READY;
        released = true;
    }
    return released;
}

// Runs a warp until it waits for other warps, or, in random order, for a while. True if it got anywhere.
inline bool run_warp(Fibre *lanes, unsigned count) {
    bool moved = false;
    for (unsigned turns = grid.shuffled ? 1 + grid.random() % 64 : -1u; turns; turns--) {
        bool ran = false;
        for (unsigned i : order(count))
            if (lanes[i].state == State::READY) {
                resume(lanes[i]);
                if (!grid.error.empty()) return false;
                ran = true;
            }
        if (!ran && !release_warp(lanes, count)) break;
        moved = true;
    }
    return moved;
}

inline void run_block() {
    const unsigned threads = (unsigned)grid.fibres.size();
    const dim3 shape = grid.threads;
    for (unsigned i = 0; i < threads; i++) {
        Fibre &fibre = grid.fibres[i];
        fibre.state = State::READY, fibre.started = false, fibre.parity = 0;
        fibre.warp = i / WARP, fibre.lane = i % WARP;
        fibre.thread = {i % shape.x, i / shape.x % shape.y, i / shape.x / shape.y};
    }
    for (;;) {
        bool moved = false;
        for (unsigned warp : order((threads + WARP - 1) / WARP)) {
            moved |= run_warp(&grid.fibres[warp * WARP], std::min(WARP, threads - warp * WARP));
            if (!grid.error.empty()) return;
        }
        unsigned done = 0, at_barrier = 0;
        for (const Fibre &fibre : grid.fibres) done += fibre.state == State::DONE, at_barrier += fibre.state == State::IN_BLOCK;
        if (done == threads) return;
        if (at_barrier == threads) {
            for (Fibre &fibre : grid.fibres) fibre.state = State::READY;
        } else if (!moved) {
            grid.error = "threads wait for others that never come: a barrier or a mask that not all of its lanes reach";
            return;
        }
    }
}

template <class T> uint64_t to_bits(T value) {
    static_assert(sizeof(T) <= 8);
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T> T from_bits(uint64_t bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// A collective operation of a warp: offers a value, waits for the lanes of the mask, and returns where to read theirs:
// [lane].value[result]. Two buffers suffice: no lane is two operations ahead of another.
inline unsigned meet(unsigned mask, uint64_t value, const char *call) {
    Fibre &fibre = self();
    if (!(mask >> fibre.lane & 1)) fail("a lane calls a warp operation whose mask it is not in");
    const unsigned parity = fibre.parity ^= 1;
    fibre.value[parity] = value, fibre.mask = mask, fibre.call = call;
    wait(State::IN_WARP);
    return parity;
}

template <class T> T shuffle(unsigned mask, T value, unsigned source, const char *call) {
    const unsigned parity = meet(mask, to_bits(value), call);
    if (!(mask >> source & 1)) fail("a shuffle reads from a lane outside its mask");
    const unsigned index = self().warp * WARP + source;
    if (index >= grid.fibres.size()) fail("a shuffle reads from a lane that the block doesn't have");
    return from_bits<T>(grid.fibres[index].value[parity]);
}

}  // namespace emulator
