// SPDX-License-Identifier: MIT
//
// Plays a plan on a book by the ids of its orders, and answers each message with a report. There are no handles to
// learn: the requests are made from the events, untimed, and the clock encloses the calls of the book and the
// reports.
//
// A book that is played so has a `create` that also takes the number of ids, and `apply(request, sink)`, or a
// `replay` of its own for many requests at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "bench/harness/replay.hpp"
#include "bench/harness/reports.hpp"
#include "bench/harness/runner.hpp"
#include "bench/workloads/plan.hpp"
#include "llmes/id_book.hpp"
#include "llmes/llmes.hpp"

namespace llmes::bench {

[[nodiscard]] inline Request request_for(const Event& event, OrderId id) {
  return {id, {}, event.price, event.quantity, event.type, event.side, event.time_in_force};
}

/// The timed loop, never inlined, like `replay`.
template <class Book>
[[gnu::noinline]] void replay_by_id(Book& book, std::span<const Request> requests, ReportRing& reports,
                                    Digest& digest) {
  if constexpr (requires { book.replay(requests, reports, digest); }) {
    return book.replay(requests, reports, digest);
  } else {
    std::uint64_t misses = 0;
    for (const Request& request : requests) {
      const Result result = book.apply(request, digest);
      reports.write(request, result);
      misses += result.status != Status::Success;
    }
    digest.misses += misses;
  }
}

template <class Book>
class IdReplay final : public Runner {
 public:
  explicit IdReplay(const Plan& plan) : plan_(plan) {
    buffer_.reserve(chunk);
    const HeapPeak heap;
    start();
    for (std::size_t index = 0; index < plan.batches.size(); ++index) {
      const Batch& batch = plan.batches[index];
      play_untimed(batch.rewarm_begin, batch.end);
    }
    peak_bytes_ = heap.bytes();
  }

  void start() override {
    reports_ = {};
    book_.reset();
    book_ = Book::create({plan_.base_price, plan_.capacity}, plan_.ids.size());
    if (!book_) throw std::runtime_error("the book could not be made: too little memory?");
    play_untimed(0, plan_.batches.empty() ? plan_.events.size() : plan_.batches.front().rewarm_begin);
  }

  Window run(std::size_t index, CounterSource* counters) override {
    const std::span<const Request> requests = rewarm(index);
    const Window window = timed(requests.size(), counters,
                                [&](Digest& digest) { replay_by_id(*book_, requests, reports_, digest); });
    check(index, window);
    return window;
  }

  [[nodiscard]] std::size_t peak_bytes() const override { return peak_bytes_; }

  // ---- The same in steps, for callers that time the window in another way.

  [[nodiscard]] Book& book() { return *book_; }
  [[nodiscard]] ReportRing& reports() { return reports_; }

  /// Plays the untimed events of batch `index`; returns the requests of its window.
  std::span<const Request> rewarm(std::size_t index) {
    const Batch& batch = plan_.batches[index];
    // All of them are made first: to make those of the window after the others would empty the caches again.
    const std::span<const Request> all = requests(batch.rewarm_begin, batch.end);
    const std::size_t untimed = batch.begin - batch.rewarm_begin;
    Digest ignored;
    replay_by_id(*book_, all.first(untimed), reports_, ignored);
    return all.subspan(untimed);
  }

  /// Throws std::runtime_error if the book did not do the planned work in the window.
  void check(std::size_t index, const Window& window) const {
    const Batch& batch = plan_.batches[index];
    verify<Book>(window, batch.expected);
    if (book_->size() != batch.resting_end) {
      throw std::runtime_error("the book does not hold the planned number of orders");
    }
  }

 private:
  static constexpr std::size_t chunk = 100'000;

  void play_untimed(std::size_t begin, std::size_t end) {
    Digest ignored;
    for (std::size_t at = begin; at < end; at += chunk) {
      replay_by_id(*book_, requests(at, std::min(end, at + chunk)), reports_, ignored);
    }
  }

  std::span<const Request> requests(std::size_t begin, std::size_t end) {
    buffer_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const Event& event = plan_.events[i];
      buffer_.push_back(request_for(event, plan_.ids.id_of(event.order)));
    }
    return buffer_;
  }

  const Plan& plan_;
  ReportRing reports_;
  std::optional<Book> book_;
  std::vector<Request> buffer_;
  std::size_t peak_bytes_ = 0;
};

}  // namespace llmes::bench
