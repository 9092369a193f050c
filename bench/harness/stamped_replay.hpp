// SPDX-License-Identifier: MIT
//
// Plays a plan on a book with time stamps around single calls. The loop is compiled in units of its own, since a
// second caller would change how a book is inlined into the loop that times whole batches.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "bench/harness/call_traits.hpp"
#include "bench/harness/replay.hpp"
#include "bench/harness/runner.hpp"
#include "bench/harness/stamps.hpp"
#include "llmes/llmes.hpp"

namespace llmes::bench {

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
  /// have one for each event of the window; the ticks of untimed calls stay as they are.
  virtual Window time_calls(std::size_t index, std::span<const Scenario> scenarios, StampSource source,
                            std::span<CallTicks> ticks) = 0;
};

/// What took longer than this can tell, about a second, took at least that.
[[nodiscard]] inline std::uint32_t ticks_between(std::uint64_t begin, std::uint64_t end) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(end - begin, std::numeric_limits<std::uint32_t>::max()));
}

/// Which call it is has been settled before: the first stamp waits for the jump.
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
