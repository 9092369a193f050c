// SPDX-License-Identifier: MIT
//
// A client and what serves it. One thread sends messages and reads what comes back; the service is on the other
// side of two rings, or, for comparison, in the same thread. Three ways to play: each message when it is due, as
// fast as it goes, and one at a time.
//
// Of the open loop two times are kept for every message:
//
//  - service: from right before the client writes it into the ring until its answer has been read;
//  - due to done: from when it was due. So it also counts that the client came late, because it was reading, and
//    that the ring was full.
//
// An answer has been read when all of those have that were found together, 64 reports at most. Neither time is
// less than what a user of the two rings sees.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "bench/harness/runner.hpp"
#include "llmes/engine/ring.hpp"

namespace llmes::bench {

/// Nanoseconds, one for each message, in order.
struct Latencies {
  std::vector<std::uint64_t> sent;  ///< on the clock
  std::vector<float> service;
  std::vector<float> due_to_done;

  void resize(std::size_t messages) {
    sent.assign(messages, 0);
    service.assign(messages, 0);
    due_to_done.assign(messages, 0);
  }
};

/// It has played its warm-up. Messages are numbered from 0 behind it, and played once, in order.
class Service {
 public:
  virtual ~Service() = default;

  // Each of these returns what happened from the first message to the last answer; the digest is that of the
  // answers. They throw std::runtime_error if the service has stopped.

  virtual Window play_due(std::span<const std::uint64_t> due, Latencies& latencies) = 0;
  virtual Window play_all(std::size_t messages) = 0;
  virtual Window play_singly(std::size_t messages) = 0;
};

/// Plays over a `Path`, which has
///  - `send(first, count, due_of)`: sends messages, as many as there is room for, and returns how many;
///  - `receive(done)`: reads at most 64 answers, calls `done(message, due)` for those that end a message, and
///    returns whether there were any;
///  - `digest()`: of the answers so far, which may be set;
///  - `stopped()`: whether no answer will come any more;
///  - `waits_busily`: whether a client without work keeps its core.
template <class Path>
class ServiceOver final : public Service {
 public:
  /// Plays the first `warm_up` messages of the path.
  template <class... Arguments>
  explicit ServiceOver(std::size_t warm_up, Arguments&&... arguments) : path_(arguments...) {
    static_cast<void>(play_all(warm_up));
  }

  Window play_due(std::span<const std::uint64_t> due, Latencies& latencies) override {
    const std::size_t first = next_;
    return window(due.size(), [&] {
      const std::uint64_t start = now();
      const auto due_of = [&](std::size_t message) { return start + due[message - first]; };
      std::size_t ready = first;
      std::size_t sent = first;
      std::size_t done = 0;
      while (done < due.size()) {
        const std::uint64_t time = now();
        const std::size_t most = std::min(sent + span, first + due.size());
        while (ready < most && due_of(ready) <= time) ++ready;
        const std::size_t count = ready > sent ? path_.send(sent, ready - sent, due_of) : 0;
        for (std::size_t i = sent; i < sent + count; ++i) latencies.sent[i - first] = time;
        sent += count;

        std::array<Done, span> found;
        std::size_t found_count = 0;
        const bool received = path_.receive([&](std::size_t message, std::uint64_t was_due) {
          found[found_count++] = {message, was_due};
        });
        if (found_count > 0) {
          const std::uint64_t read = now();
          for (const Done& one : std::span(found).first(found_count)) {
            latencies.service[one.message - first] =
                static_cast<float>(read - latencies.sent[one.message - first]);
            latencies.due_to_done[one.message - first] = static_cast<float>(read - one.due);
          }
          done += found_count;
        }
        rest(received || count > 0);
      }
    });
  }

  Window play_all(std::size_t messages) override {
    return window(messages, [&] {
      std::size_t sent = next_;
      const std::size_t end = next_ + messages;
      std::size_t done = 0;
      while (done < messages) {
        const std::size_t count = sent < end ? path_.send(sent, std::min(span, end - sent), never_due) : 0;
        sent += count;
        const bool received = path_.receive([&](std::size_t, std::uint64_t) { ++done; });
        rest(received || count > 0);
      }
    });
  }

  Window play_singly(std::size_t messages) override {
    return window(messages, [&] {
      for (std::size_t i = 0; i < messages; ++i) {
        while (path_.send(next_ + i, 1, never_due) == 0) rest(false);
        bool done = false;
        while (!done) rest(path_.receive([&](std::size_t, std::uint64_t) { done = true; }));
      }
    });
  }

 private:
  struct Done {
    std::size_t message;
    std::uint64_t due;
  };

  static constexpr std::size_t span = 64;
  static constexpr auto never_due = [](std::size_t) { return std::uint64_t{0}; };

  [[nodiscard]] static std::uint64_t now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count());
  }

  /// Times `play`, which plays so many messages.
  template <class Play>
  Window window(std::size_t messages, const Play& play) {
    path_.digest() = {};
    idle_ = 0;
    Window window;
    window.events = messages;
    const std::uint64_t allocations = allocation_count();
    const std::uint64_t begin = now();
    play();
    window.seconds = static_cast<double>(now() - begin) * 1e-9;
    window.allocations = allocation_count() - allocations;
    window.digest = path_.digest();
    next_ += messages;
    return window;
  }

  /// What the client does between two looks, as the strategies of waiting.hpp do.
  void rest(bool worked) {
    if (worked) {
      idle_ = 0;
      return;
    }
    pause_processor();
    if (++idle_ < 64) return;
    if (!Path::waits_busily) std::this_thread::yield();
    if (idle_ % 4'096 == 0 && path_.stopped())
      throw std::runtime_error("the service has stopped: " + path_.reason());
  }

  Path path_;
  std::size_t next_ = 0;
  std::uint64_t idle_ = 0;
};

}  // namespace llmes::bench
