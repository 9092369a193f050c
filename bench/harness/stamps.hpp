// SPDX-License-Identifier: MIT
//
// Time stamps for a single call. The processor runs instructions out of order, so a stamp needs fences to keep
// what is timed between the two of a pair: `begin` waits for all before it, `end` for the call, and what comes
// later waits for `end` (Intel, How to Benchmark Code Execution Times, and its manual under RDTSC). A pair costs
// more than many a call, so its own cost is measured beside every call.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace llmes::bench {

/// Of the clock of every window, in nanoseconds.
struct SteadyStamps {
  [[gnu::always_inline]] static std::uint64_t begin() { return now(); }
  [[gnu::always_inline]] static std::uint64_t end() { return now(); }

 private:
  [[gnu::always_inline]] static std::uint64_t now() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count());
  }
};

#if defined(__x86_64__)
/// Of the time-stamp counter; only where it is invariant.
struct TscStamps {
  [[gnu::always_inline]] static std::uint64_t begin() {
    std::uint32_t low = 0, high = 0;
    asm volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
    return std::uint64_t{high} << 32 | low;
  }
  [[gnu::always_inline]] static std::uint64_t end() {
    std::uint32_t low = 0, high = 0;
    asm volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "rcx", "memory");
    return std::uint64_t{high} << 32 | low;
  }
};
#else
using TscStamps = SteadyStamps;  // never chosen: there is no such counter
#endif

}  // namespace llmes::bench
