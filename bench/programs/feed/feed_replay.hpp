// SPDX-License-Identifier: MIT
//
// Plays a tape on one feed: every one gets the same bytes, and finds and reads the messages itself. After each
// message that has changed an order, and before the next one, the best prices of its symbol go into a digest,
// which must be the planned one. The queues of all symbols are compared at the end of the tape.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "bench/harness/market_replay.hpp"
#include "bench/harness/replay.hpp"
#include "bench/harness/runner.hpp"
#include "bench/harness/stamped_replay.hpp"
#include "bench/programs/feed/feed_plan.hpp"
#include "bench/programs/feed/feeds.hpp"

namespace llmes::bench {

/// The times of messages, by operation.
using FeedCalls = std::array<std::vector<CallTicks>, feed_operations>;

class FeedRunner : public Runner {
 public:
  /// Plays the whole tape, untimed, and says if the feed did the planned work. Throws std::runtime_error if not.
  virtual void prove() = 0;
  /// Whether it takes one message at a time, so that these can be timed.
  [[nodiscard]] virtual bool has_calls() const = 0;
  /// Plays window `index` as `run` does, with stamps around each message about an order: its decoding and what the
  /// books make of it, without the look at the best prices.
  virtual void time_calls(std::size_t index, StampSource source, FeedCalls& calls) = 0;
};

template <class F>
[[gnu::always_inline]] inline void look(const F& feed, itch::MessageBytes message, Digest& digest) {
  const auto price = [](std::optional<itch::Price4> found) {
    return found ? std::optional(static_cast<Price>(*found)) : std::nullopt;
  };
  if constexpr (requires { feed.touch(book_of(message)); }) {
    const FeedTouch touch = feed.touch(book_of(message));
    fold_best(digest, price(touch.bid()), price(touch.ask()));
  } else if constexpr (HasTouch<F>) {
    const std::uint32_t book = book_of(message);
    fold_best(digest, feed.best(book, Side::Buy), feed.best(book, Side::Sell));
  }
}

/// One message, on a feed that does not take spans. @return whether it has changed an order.
template <Feed F>
[[gnu::always_inline]] inline bool give(F& feed, itch::MessageBytes message, Digest& digest) {
  if constexpr (FoldsFields<F>) {
    feed.fold(message, digest);
    return false;
  } else {
    return feed.apply(message);
  }
}

/// The timed loop.
template <Feed F>
[[gnu::noinline]] void replay_feed(F& feed, std::span<const std::byte> bytes, Digest& digest) {
  Digest sum = digest;
  read_spans(bytes, [&](std::span<const itch::MessageBytes> messages) {
    if constexpr (TakesMessageSpans<F>) {
      feed.apply(
          messages, [&](itch::MessageBytes message) __attribute__((always_inline)) { look(feed, message, sum); });
    } else {
      for (const itch::MessageBytes message : messages) {
        if (give(feed, message, sum)) look(feed, message, sum);
      }
    }
  });
  digest = sum;
}

template <class Stamps, Feed F>
[[gnu::noinline]] void replay_feed_stamped(F& feed, std::span<const std::byte> bytes, FeedCalls& calls,
                                           Digest& digest) {
  read_spans(bytes, [&](std::span<const itch::MessageBytes> messages) {
    for (const itch::MessageBytes message : messages) {
      const FeedOperation operation = operation_of(message);
      if (operation == FeedOperation::None) {
        static_cast<void>(give(feed, message, digest));
        continue;
      }
      bool changed = false;
      calls[static_cast<std::size_t>(operation)].push_back(
          stamped<Stamps>([&]() __attribute__((always_inline)) { changed = give(feed, message, digest); }));
      if (changed) look(feed, message, digest);
    }
  });
}

template <Feed F>
class FeedReplay final : public FeedRunner {
 public:
  explicit FeedReplay(const FeedPlan& plan) : plan_(plan) {}

  void prove() override {
    feed_.reset();
    const HeapPeak heap;
    start();
    for (const FeedWindow& window : plan_.windows) {
      play(window.rewarm);
      play(window.timed);
    }
    peak_bytes_ = heap.bytes();
    if constexpr (HasBooks<F>) {
      if (feed_->size() != plan_.resting_end || queues_of(*feed_, plan_.config.books) != plan_.final_queues) {
        throw std::runtime_error("its queues of orders at the end are not the planned ones");
      }
    }
    feed_.reset();
  }

  void start() override {
    feed_.reset();
    feed_ = F::create(plan_.config);
    if (!feed_) throw std::runtime_error("its books could not be made: too little memory?");
    play(plan_.opening);
  }

  Window run(std::size_t index, CounterSource* counters) override {
    const auto& [rewarm, part] = plan_.windows[index];
    play(rewarm);
    const Window window =
        timed(part.messages, counters, [&](Digest& digest) { replay_feed(*feed_, part.bytes, digest); });
    check(part, window.digest);
    return window;
  }

  [[nodiscard]] bool has_calls() const override { return !TakesMessageSpans<F>; }

  void time_calls(std::size_t index, StampSource source, FeedCalls& calls) override {
    if constexpr (!TakesMessageSpans<F>) {
      const auto& [rewarm, part] = plan_.windows[index];
      play(rewarm);
      Digest digest;
      if (source == StampSource::Tsc) {
        replay_feed_stamped<TscStamps>(*feed_, part.bytes, calls, digest);
      } else {
        replay_feed_stamped<SteadyStamps>(*feed_, part.bytes, calls, digest);
      }
      check(part, digest);
    }
  }

  [[nodiscard]] std::size_t peak_bytes() const override { return peak_bytes_; }

 private:
  void play(const FeedPart& part) {
    Digest digest;
    replay_feed(*feed_, part.bytes, digest);
    check(part, digest);
  }

  void check(const FeedPart& part, const Digest& digest) const {
    if constexpr (FoldsFields<F>) {
      if (digest != part.fields) throw std::runtime_error("it did not read the planned fields of the messages");
    } else if constexpr (HasTouch<F>) {
      if (digest != part.best) {
        throw std::runtime_error("its best prices after the messages are not the planned ones");
      }
    }
  }

  const FeedPlan& plan_;
  std::optional<F> feed_;
  std::size_t peak_bytes_ = 0;
};

}  // namespace llmes::bench
