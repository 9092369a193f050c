// SPDX-License-Identifier: MIT
//
// Plays a plan on a book with time stamps around single calls. This loop is compiled in units of its own: a second
// caller would change how a book is inlined into the loop that times whole batches.
//
// The processor runs instructions out of order, so a stamp needs fences to keep the timed call between its two
// stamps: `begin` waits for everything before it, `end` for the call, and what follows waits for `end` (Intel, How
// to Benchmark Code Execution Times, and its manual under RDTSC). A pair of stamps takes longer than many calls,
// so its own time is measured beside every call.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "bench/harness/call_traits.hpp"
#include "bench/harness/replay.hpp"
#include "bench/harness/runner.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// Stamps of the clock that times every window, in nanoseconds.
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
/// Stamps of the time-stamp counter, for processors on which it is invariant.
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

/// Ticks between two stamps around a call, and between two around nothing right before it.
struct CallTicks {
  std::uint32_t call = 0;
  std::uint32_t probe = 0;
};

enum class StampSource { Tsc, SteadyClock };

/// A book whose calls can be timed one by one.
class StampedRunner : public Runner {
 public:
  /// Plays batch `index` as `run` does, with stamps around each call that has a scenario. `scenarios` and `ticks`
  /// have one entry for each event of the window; the ticks of untimed calls are not written.
  virtual Window time_calls(std::size_t index, std::span<const Scenario> scenarios, StampSource source,
                            std::span<CallTicks> ticks) = 0;
};

/// The difference, limited to what 32 bits hold: about a second.
[[nodiscard]] inline std::uint32_t ticks_between(std::uint64_t begin, std::uint64_t end) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(end - begin, std::numeric_limits<std::uint32_t>::max()));
}

/// Times one call. The caller has already dispatched on its type; the first stamp waits for that jump.
template <class Stamps, class Call>
[[gnu::always_inline]] inline CallTicks stamped(Call call) {
  const std::uint64_t empty_begin = Stamps::begin();
  const std::uint64_t empty_end = Stamps::end();
  const std::uint64_t begin = Stamps::begin();
  call();
  const std::uint64_t end = Stamps::end();
  return {ticks_between(begin, end), ticks_between(empty_begin, empty_end)};
}

template <class Stamps, class Book>
[[gnu::noinline]] void replay_stamped(Book& book, std::span<const Command> commands,
                                      std::span<const Scenario> scenarios, std::span<CallTicks> ticks,
                                      Digest& digest) {
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Command& command = commands[i];
    Status status{};
    switch (scenarios[i]) {
      case Scenario::AddToLevel:
      case Scenario::AddNewLevel:
        ticks[i] = stamped<Stamps>([&] {
          status = book.add_limit_order(command.id, command.side, command.price, command.quantity,
                                        command.time_in_force, digest)
                       .status;
        });
        break;
      case Scenario::Cancel:
        ticks[i] = stamped<Stamps>([&] { status = book.cancel_order(command.handle); });
        break;
      case Scenario::AnyCall:
        ticks[i] = stamped<Stamps>([&] { status = book.apply(command, digest).status; });
        break;
      case Scenario::Untimed: status = book.apply(command, digest).status; break;
    }
    digest.count(status);
  }
}

template <class Book>
class StampedReplay final : public StampedRunner {
 public:
  explicit StampedReplay(const Plan& plan) : replay_(plan) {}

  void start() override { replay_.start(); }
  Window run(std::size_t index, CounterSource* counters) override { return replay_.run(index, counters); }
  [[nodiscard]] std::size_t peak_bytes() const override { return replay_.peak_bytes(); }

  Window time_calls(std::size_t index, std::span<const Scenario> scenarios, StampSource source,
                    std::span<CallTicks> ticks) override {
    const std::span<const Command> commands = replay_.rewarm(index);
    Window window;
    window.events = commands.size();
    const auto begin = std::chrono::steady_clock::now();
    if (source == StampSource::Tsc) {
      replay_stamped<TscStamps>(replay_.book(), commands, scenarios, ticks, window.digest);
    } else {
      replay_stamped<SteadyStamps>(replay_.book(), commands, scenarios, ticks, window.digest);
    }
    const auto end = std::chrono::steady_clock::now();
    window.seconds = std::chrono::duration<double>(end - begin).count();
    replay_.check(index, window);
    return window;
  }

 private:
  Replay<Book> replay_;
};

}  // namespace llmes::bench
