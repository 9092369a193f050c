// SPDX-License-Identifier: MIT
//
// How a thread waits for another one: three ways, chosen at compile time by the number of cores.
//
//  - `SpinWait` keeps its core busy. For a core for each thread.
//  - `YieldWait` spins a little, then yields its core. For more threads than cores.
//  - `BlockWait` spins a little, then sleeps. For long pauses and shared cores. It alone has a cost for each
//    publish: a full barrier, a load of a line that rarely changes and, if a thread sleeps, a system call.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Bytes between what two threads write to: two cache lines, because processors fetch neighbours in pairs.
inline constexpr std::size_t bytes_apart = 128;

/// One thread waits here; any other ends its wait. Conditions are stored and loaded with these memory orders.
///
///  - `wait(condition)`, by the one waiter: returns once `condition()` is true, which it may ask often;
///  - `published()`: after each store that may make the condition true;
///  - `wake()`: after any other change, such as that of a flag to stop, stored in any order. It may cost more.
template <class W>
concept WaitStrategy = std::default_initializable<W> && requires(W& wait, bool (*condition)()) {
  { W::publish_order } -> std::convertible_to<std::memory_order>;
  { W::observe_order } -> std::convertible_to<std::memory_order>;
  wait.wait(condition);
  wait.published();
  wait.wake();
};

/// Tells the processor that a loop waits, so that it saves power and leaves more to the other thread of the core.
inline void pause_processor() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// How often a waiter asks before it gives its core away.
inline constexpr int questions_at_once = 64;

/// Tests the condition this often before it yields: some waits are shorter than a yield.
template <std::predicate Condition>
[[nodiscard]] bool true_soon(const Condition& condition) noexcept {
  for (int i = 0; i < questions_at_once; ++i) {
    if (condition()) return true;
    pause_processor();
  }
  return false;
}

/// Tests the condition until it is true or the time has passed, with short sleeps, as nothing wakes this thread.
/// @return whether it is true.
template <std::predicate Condition>
[[nodiscard]] bool true_within(std::chrono::nanoseconds patience, const Condition& condition) noexcept {
  const auto begin = std::chrono::steady_clock::now();
  while (!true_soon(condition)) {
    if (std::chrono::steady_clock::now() - begin >= patience) return condition();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

/// Waits that ask for themselves: nothing has to wake them.
struct PollingWait {
  static constexpr std::memory_order publish_order = std::memory_order_release;
  static constexpr std::memory_order observe_order = std::memory_order_acquire;

  void published() const noexcept {}
  void wake() const noexcept {}
};

struct SpinWait : PollingWait {
  template <std::predicate Condition>
  void wait(const Condition& condition) const noexcept {
    while (!condition()) pause_processor();
  }
};

struct YieldWait : PollingWait {
  template <std::predicate Condition>
  void wait(const Condition& condition) const noexcept {
    if (true_soon(condition)) return;
    while (!condition()) std::this_thread::yield();
  }
};

/// Sleeps in the kernel (on Linux on a futex). No wake-up is lost:
///
///  - Of `published`: the waiter writes `sleeping_` and then tests; the publisher stores and then reads it. All
///    are sequentially consistent, so one of the two sees what the other wrote.
///  - Of `wake`: every write to `sleeping_` is an exchange. Whoever comes second sees what the first has done.
///  - Between test and sleep: the waiter sleeps only while `sleeping_` is 1, and whoever sets it to 0 notifies.
class alignas(bytes_apart) BlockWait {
 public:
  static constexpr std::memory_order publish_order = std::memory_order_seq_cst;
  static constexpr std::memory_order observe_order = std::memory_order_seq_cst;

  template <std::predicate Condition>
  void wait(const Condition& condition) noexcept {
    while (!true_soon(condition)) {
      sleeping_.exchange(1);
      if (condition()) break;
      sleeping_.wait(1);
    }
    if (sleeping_.load(std::memory_order_relaxed) != 0) sleeping_.exchange(0);
  }
  void published() noexcept {
    if (sleeping_.load() != 0) wake();
  }
  void wake() noexcept {
    if (sleeping_.exchange(0) != 0) sleeping_.notify_one();
  }

 private:
  std::atomic<std::uint32_t> sleeping_ = 0;  ///< 1 while the waiter sleeps or is about to
};

}  // namespace llmes::inline LLMES_NAMESPACE
