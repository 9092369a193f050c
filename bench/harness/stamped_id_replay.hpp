// SPDX-License-Identifier: MIT
//
// Plays a plan by id with time stamps around single messages and their reports; see stamped_replay.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>

#include "bench/harness/id_replay.hpp"
#include "bench/harness/stamped_replay.hpp"

namespace llmes::bench {

template <class Stamps, class Book>
[[gnu::noinline]] void replay_stamped_by_id(Book& book, std::span<const MessageOf<Book>> messages,
                                            ReportRing& reports, std::span<const Scenario> scenarios,
                                            std::span<CallTicks> ticks, Digest& digest) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    Status status{};
    const auto call = [&] { status = answer(book, messages[i], reports, digest); };
    if (scenarios[i] == Scenario::Untimed) {
      call();
    } else {
      ticks[i] = stamped<Stamps>(call);
    }
    digest.count(status);
  }
}

template <class Book>
class StampedIdReplay final : public StampedRunner {
 public:
  explicit StampedIdReplay(const Plan& plan) : replay_(plan) {}

  void start() override { replay_.start(); }
  Window run(std::size_t index, CounterSource* counters) override { return replay_.run(index, counters); }
  [[nodiscard]] std::size_t peak_bytes() const override { return replay_.peak_bytes(); }

  Window time_calls(std::size_t index, std::span<const Scenario> scenarios, StampSource source,
                    std::span<CallTicks> ticks) override {
    const std::span<const MessageOf<Book>> messages = replay_.rewarm(index);
    const Window window = timed(messages.size(), nullptr, [&](Digest& digest) {
      if (source == StampSource::Tsc) {
        replay_stamped_by_id<TscStamps>(replay_.book(), messages, replay_.reports(), scenarios, ticks, digest);
      } else {
        replay_stamped_by_id<SteadyStamps>(replay_.book(), messages, replay_.reports(), scenarios, ticks, digest);
      }
    });
    replay_.check(index, window);
    return window;
  }

 private:
  IdReplay<Book> replay_;
};

}  // namespace llmes::bench
