// SPDX-License-Identifier: MIT
//
// Plays a plan on a book by the ids of its orders, and answers each message with a report. There are no handles to
// learn: the requests are made from the events, untimed, and the clock encloses the calls of the book and the
// reports.
//
// A book that is played so has a `create` that also takes the number of ids, and `apply(request, sink)`, or a
// `replay` of its own for many requests at once. It may take messages of another type, which it makes of requests;
// and it may write reports of its own: then it has `answer(message, digest)`.
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
#include "bench/streams/plan.hpp"
#include "llmes/book.hpp"
#include "llmes/ids/id_book.hpp"

namespace llmes::bench {

[[nodiscard]] inline Request request_for(const Event& event, OrderId id) {
  return {{id, 0}, event.price, event.quantity, event.type, event.side, event.time_in_force};
}

/// What a book takes for a request.
template <class Book>
[[nodiscard]] auto message_for(const Request& request) {
  if constexpr (requires { Book::message_of(request); }) {
    return Book::message_of(request);
  } else {
    return request;
  }
}
template <class Book>
using MessageOf = decltype(message_for<Book>(Request{}));

/// Applies a message and answers it with a report.
template <class Book>
[[gnu::always_inline]] inline Status answer(Book& book, const MessageOf<Book>& message, ReportRing& reports,
                                            Digest& digest) {
  if constexpr (requires { book.answer(message, digest); }) {
    return book.answer(message, digest);
  } else {
    const Result result = book.apply(message, digest);
    reports.write(message, result);
    return result.status;
  }
}

/// The timed loop, never inlined, like `replay`.
template <class Book>
[[gnu::noinline]] void replay_by_id(Book& book, std::span<const MessageOf<Book>> messages, ReportRing& reports,
                                    Digest& digest) {
  if constexpr (requires { book.replay(messages, reports, digest); }) {
    return book.replay(messages, reports, digest);
  } else {
    std::uint64_t misses = 0;
    for (const MessageOf<Book>& message : messages)
      misses += answer(book, message, reports, digest) != Status::Success;
    digest.misses += misses;
  }
}

template <class Book>
class IdReplay final : public Runner {
  using Message = MessageOf<Book>;

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
    const std::span<const Message> window_messages = rewarm(index);
    const Window window = timed(window_messages.size(), counters,
                                [&](Digest& digest) { replay_by_id(*book_, window_messages, reports_, digest); });
    check(index, window);
    return window;
  }

  [[nodiscard]] std::size_t peak_bytes() const override { return peak_bytes_; }

  // ---- The same in steps, for callers that time the window in another way.

  [[nodiscard]] Book& book() { return *book_; }
  [[nodiscard]] ReportRing& reports() { return reports_; }

  /// Plays the untimed events of batch `index`; returns the messages of its window.
  std::span<const Message> rewarm(std::size_t index) {
    const Batch& batch = plan_.batches[index];
    // All of them are made first: to make those of the window after the others would empty the caches again.
    const std::span<const Message> all = messages(batch.rewarm_begin, batch.end);
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
      replay_by_id(*book_, messages(at, std::min(end, at + chunk)), reports_, ignored);
    }
  }

  std::span<const Message> messages(std::size_t begin, std::size_t end) {
    buffer_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const Event& event = plan_.events[i];
      buffer_.push_back(message_for<Book>(request_for(event, plan_.ids.id_of(event.order))));
    }
    return buffer_;
  }

  const Plan& plan_;
  ReportRing reports_;
  std::optional<Book> book_;
  std::vector<Message> buffer_;
  std::size_t peak_bytes_ = 0;
};

}  // namespace llmes::bench
