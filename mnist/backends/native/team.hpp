// Threads that work through the same phases together.
#pragma once
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

// The indices [begin, end).
struct Range {
    int begin, end;
    int size() const { return end - begin; }
};

class Team {
    std::atomic<int> waiting{0}, phase{0};

  public:
    const int size;
    explicit Team(int size) : size(size) {}

    // Returns when every member has called it. Members wait for less than a thread takes to fall asleep, so they spin;
    // one that waits longer lends its core, since the member it waits for may need it.
    void meet() {
        const int now = phase.load(std::memory_order_relaxed);
        if (waiting.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
            waiting.store(0, std::memory_order_relaxed);
            phase.store(now + 1, std::memory_order_release);
            return;
        }
        for (int spins = 0; phase.load(std::memory_order_acquire) == now; spins++)
            if (spins > 2000) std::this_thread::yield();
    }

    // Member `index`'s share of [0, end), in whole steps.
    Range share(int index, int end, int step) const {
        const int steps = (end + step - 1) / step;
        auto border = [&](int i) { return std::min(end, (int)((int64_t)steps * i / size) * step); };
        return {border(index), border(index + 1)};
    }

    // Calls work(index) on every member; the caller is the first. Throws what starting a thread throws, before any
    // work.
    template <class Work> void run(Work work) {
        std::atomic<int> signal{0};  // 1: work, -1: a thread could not be started
        std::vector<std::thread> members;
        auto dismiss = [&](int how) {
            signal.store(how, std::memory_order_release);
            if (how > 0) work(0);
            for (auto &member : members) member.join();
        };
        try {
            for (int index = 1; index < size; index++)
                members.emplace_back([&, index] {
                    int how;
                    while (!(how = signal.load(std::memory_order_acquire))) std::this_thread::yield();
                    if (how > 0) work(index);
                });
        } catch (...) {
            dismiss(-1);
            throw;
        }
        dismiss(1);
    }
};
