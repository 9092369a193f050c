// SPDX-License-Identifier: MIT
//
// Plays a plan on a book. Each book issues its own handles, so the plan is first played once untimed to learn
// them. Then the book is made again, identically, and timed with every command ready: the clock encloses nothing
// but calls of the book.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "bench/harness/runner.hpp"
#include "bench/streams/plan.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

[[nodiscard]] inline Command command_for(const Event& event, OrderHandle target, OrderId id) {
  return {{id, target}, event.price, event.quantity, event.type, event.side, event.time_in_force};
}

template <class Book>
[[nodiscard]] Book make_book(const Plan& plan) {
  std::optional<Book> book = Book::create({plan.base_price, plan.capacity});
  if (!book) throw std::runtime_error("the book could not be made: too little memory?");
  return *std::move(book);
}

/// The timed loop. Never inlined, so that every book gets a loop of its own with nothing else in it.
template <class Book>
[[gnu::noinline]] void replay(Book& book, std::span<const Command> commands, Digest& digest) {
  if constexpr (requires { book.replay(commands, digest); }) return book.replay(commands, digest);
  std::uint64_t misses = 0;
  for (const Command& command : commands) misses += book.apply(command, digest).status != Status::Success;
  digest.misses += misses;
}

/// Plays events of a plan untimed and appends, for each, the handle that its command needs. `handles` has one
/// entry for each order. Throws CannotHold if the book rejects a price; no plan uses a price outside of its band.
template <class Book>
void learn(Book& book, const Plan& plan, std::span<const Event> events, std::vector<OrderHandle>& handles,
           std::vector<OrderHandle>& targets) {
  Digest ignored;
  for (const Event& event : events) {
    OrderHandle& handle = handles[event.order];
    targets.push_back(handle);
    const Result result = book.apply(command_for(event, handle, plan.ids.id_of(event.order)), ignored);
    if (result.status == Status::PriceOutOfBand) throw CannotHold("has no place for all of its prices");
    if (result.handle != OrderHandle{}) handle = result.handle;
  }
}

/// The window of so many events, which `play(digest)` plays.
template <class Play>
Window timed(std::size_t events, CounterSource* counters, Play play) {
  Window window;
  window.events = events;
  const std::uint64_t allocations = allocation_count();
  if (counters != nullptr) counters->start();
  const auto begin = std::chrono::steady_clock::now();
  play(window.digest);
  const auto end = std::chrono::steady_clock::now();
  if (counters != nullptr) counters->stop();
  window.allocations = allocation_count() - allocations;
  window.seconds = std::chrono::duration<double>(end - begin).count();
  return window;
}

/// Whether a book is checked against the plan's outcome; the replay loop with no book is not.
template <class Book>
concept HasOrders = requires(const Book& book) { book.best_bid(); };

template <class Book>
void verify(const Window& window, const Digest& expected) {
  if constexpr (HasOrders<Book>) {
    if (window.digest != expected) {
      throw std::runtime_error(
          "the book did not do the planned work: its fills, their checksum or its rejections differ");
    }
  }
}

/// A book that plays the whole stream.
template <class Book>
class Replay final : public Runner {
 public:
  explicit Replay(const Plan& plan) : plan_(plan) {
    std::vector<OrderHandle> handles(plan.order_count);
    targets_.reserve(plan.events.size());
    const HeapPeak heap;
    Book book = make_book<Book>(plan);
    learn(book, plan, plan.events, handles, targets_);
    peak_bytes_ = heap.bytes();
  }

  void start() override {
    book_.reset();
    book_.emplace(make_book<Book>(plan_));
    Digest ignored;
    // In chunks, so that the commands of a long warm-up never exist all at once.
    const std::size_t end = plan_.batches.empty() ? plan_.events.size() : plan_.batches.front().rewarm_begin;
    for (std::size_t at = 0; at < end; at += chunk) {
      replay(*book_, commands(at, std::min(end, at + chunk)), ignored);
    }
  }

  Window run(std::size_t index, CounterSource* counters) override {
    const std::span<const Command> window_commands = rewarm(index);
    const Window window =
        timed(window_commands.size(), counters, [&](Digest& digest) { replay(*book_, window_commands, digest); });
    check(index, window);
    return window;
  }

  [[nodiscard]] std::size_t peak_bytes() const override { return peak_bytes_; }

  // ---- The same in steps, for callers that time the window in another way.

  [[nodiscard]] Book& book() { return *book_; }

  /// Plays the untimed events of batch `index`; returns the commands of its window.
  std::span<const Command> rewarm(std::size_t index) {
    const Batch& batch = plan_.batches[index];
    const std::span<const Command> all = commands(batch.rewarm_begin, batch.end);
    const std::size_t untimed = batch.begin - batch.rewarm_begin;
    Digest ignored;
    replay(*book_, all.first(untimed), ignored);
    return all.subspan(untimed);
  }

  /// Throws std::runtime_error if the book did not do the planned work in the window.
  void check(std::size_t index, const Window& window) const {
    const Batch& batch = plan_.batches[index];
    verify<Book>(window, batch.expected);
    if constexpr (HasOrders<Book>) {
      if (book_->size() != batch.resting_end) {
        throw std::runtime_error("the book does not hold the planned number of orders");
      }
    }
  }

 private:
  static constexpr std::size_t chunk = 100'000;

  std::span<const Command> commands(std::size_t begin, std::size_t end) {
    buffer_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const Event& event = plan_.events[i];
      buffer_.push_back(command_for(event, targets_[i], plan_.ids.id_of(event.order)));
    }
    return buffer_;
  }

  const Plan& plan_;
  std::vector<OrderHandle> targets_;  // for each event, the handle that its command needs
  std::optional<Book> book_;
  std::vector<Command> buffer_;
  std::size_t peak_bytes_ = 0;
};

/// Plays a book that is too slow for a whole stream. Each batch starts from the plan's snapshot, which has the
/// same orders in the same priority, and its window is the first `Plan::short_batch` events.
template <class Book>
class SnapshotReplay final : public Runner {
 public:
  explicit SnapshotReplay(const Plan& plan) : plan_(plan) {}

  void start() override {}

  Window run(std::size_t index, CounterSource* counters) override {
    const Batch& batch = plan_.batches[index];
    const auto events = std::span(plan_.events).subspan(batch.begin, plan_.short_batch);
    std::vector<OrderHandle> handles(plan_.order_count);
    std::vector<OrderHandle> targets;
    targets.reserve(batch.snapshot.size() + events.size());
    std::optional<Book> learner;
    {
      const HeapPeak heap;
      learner.emplace(make_book<Book>(plan_));
      learn(*learner, plan_, batch.snapshot, handles, targets);
      targets.clear();
      learn(*learner, plan_, events, handles, targets);
      peak_bytes_ = std::max(peak_bytes_, heap.bytes());
    }
    std::vector<Command> commands;
    for (std::size_t i = 0; i < events.size(); ++i) {
      commands.push_back(command_for(events[i], targets[i], plan_.ids.id_of(events[i].order)));
    }

    Book book = make_book<Book>(plan_);
    Digest ignored;
    for (const Event& event : batch.snapshot) {
      book.apply(command_for(event, {}, plan_.ids.id_of(event.order)), ignored);
    }
    const Window window =
        timed(commands.size(), counters, [&](Digest& digest) { replay(book, commands, digest); });
    verify<Book>(window, batch.expected_short);
    return window;
  }

  [[nodiscard]] std::size_t peak_bytes() const override { return peak_bytes_; }

 private:
  const Plan& plan_;
  std::size_t peak_bytes_ = 0;
};

/// Whether a runner is for books that are too slow to play a whole stream.
template <template <class> class RunnerOf>
inline constexpr bool scans = false;
template <>
inline constexpr bool scans<SnapshotReplay> = true;

}  // namespace llmes::bench
