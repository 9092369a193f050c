// SPDX-License-Identifier: MIT
//
// A tape played by several threads. The reader finds the messages and passes each one to the worker of its symbol,
// through a ring of the worker's own; a worker has a feed book for its symbols alone. Every worker must show the
// planned best prices after each of its messages, and at the end all of them together have the planned queues.
//
// The books of a symbol are those of one thread, so a message must name the symbol of its order. One that does not
// finds no order, where a single feed book finds it by its reference alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "bench/programs/feed/feed_plan.hpp"
#include "bench/programs/feed/feed_replay.hpp"
#include "bench/programs/feed/feeds.hpp"
#include "llmes/engine/ring.hpp"

namespace llmes::bench {

/// Whose a symbol is, and its locate there: each worker numbers its own from 1 up, so that it has no books of
/// others.
struct SymbolSpread {
  std::size_t workers;

  [[nodiscard]] std::size_t worker(std::size_t locate) const { return locate % workers; }
  [[nodiscard]] std::size_t local(std::size_t locate) const { return (locate + workers - 1) / workers; }
};

/// A thread with the books of its symbols. One other thread, the reader, calls it. It allocates nothing.
class FeedWorker {
 public:
  explicit FeedWorker(const FeedConfig& config) : ring_(Ring<Slot, BlockWait>::create(slots)) {
    feed_ = BatchFeed::create(config);
    if (!feed_ || !ring_) throw std::runtime_error("its books could not be made: too little memory?");
    thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  }
  ~FeedWorker() {
    thread_.request_stop();
    ring_->wake();
  }
  FeedWorker(const FeedWorker&) = delete;
  FeedWorker& operator=(const FeedWorker&) = delete;

  /// Writes a message, with the locate that its symbol has here, to the next slot.
  void pass(itch::MessageBytes message, std::size_t locate) {
    if (written_ == claimed_.size()) {
      hand_over();
      claimed_ = ring_->wait_claim(feed_span, [] { return false; });
    }
    Slot& slot = claimed_[written_++];
    slot.size = static_cast<std::uint16_t>(message.size());
    std::ranges::copy(message, slot.bytes.begin());
    slot.bytes[1] = static_cast<std::byte>(locate >> 8);
    slot.bytes[2] = static_cast<std::byte>(locate);
  }
  /// Hands over what has been passed.
  void hand_over() {
    if (written_ > 0) ring_->publish(written_);
    claimed_ = {};
    written_ = 0;
  }
  /// Waits until all that was handed over has been applied. From then to the next `hand_over` the thread changes
  /// nothing, and the calls below are the reader's.
  void finish() const {
    while (ring_->size() != 0) std::this_thread::yield();
  }

  /// Of the best prices after the messages since the last call.
  [[nodiscard]] Digest take_digest() { return std::exchange(digest_, {}); }
  [[nodiscard]] const BatchFeed& feed() const { return *feed_; }

 private:
  /// A message in a cache line. The longest that is passed has 40 bytes.
  struct alignas(bytes_of_line) Slot {
    std::array<std::byte, bytes_of_line - sizeof(std::uint16_t)> bytes;
    std::uint16_t size;
  };
  static constexpr std::size_t slots = 4 * feed_span;

  void work(const std::stop_token& stop) {
    std::array<itch::MessageBytes, feed_span> room;
    for (;;) {
      const std::span<const Slot> passed = ring_->wait_readable(feed_span, [&] { return stop.stop_requested(); });
      if (passed.empty()) return;
      std::ranges::transform(passed, room.begin(),
                             [](const Slot& slot) { return std::span(slot.bytes).first(slot.size); });
      Digest sum = digest_;
      feed_->apply(std::span<const itch::MessageBytes>(room).first(passed.size()),
                   [&](itch::MessageBytes message) { look(*feed_, message, sum); });
      digest_ = sum;
      ring_->release(passed.size());
    }
  }

  std::optional<Ring<Slot, BlockWait>> ring_;  // a worker sleeps while other rows have their turn
  std::span<Slot> claimed_;
  std::size_t written_ = 0;  // of the claimed ones
  std::optional<BatchFeed> feed_;
  Digest digest_;
  std::jthread thread_;  // the last, so that it ends first
};

/// All workers, as one feed.
class FeedWorkers {
 public:
  explicit FeedWorkers(std::span<const FeedConfig> configs) : spread_{configs.size()} {
    for (const FeedConfig& config : configs) workers_.push_back(std::make_unique<FeedWorker>(config));
  }

  /// Plays a tape to its end. Messages that no book needs, such as those about the market, are not passed.
  void replay(std::span<const std::byte> bytes) {
    read_spans(bytes, [&](std::span<const itch::MessageBytes> messages) {
      for (const itch::MessageBytes message : messages) {
        const bool names_symbol = message.front() == std::byte{itch::type_of<itch::StockDirectory>};
        if (operation_of(message) == FeedOperation::None && !names_symbol) continue;
        const std::uint16_t locate = book_of(message);
        workers_[spread_.worker(locate)]->pass(message, spread_.local(locate));
      }
      for (const auto& worker : workers_) worker->hand_over();
    });
    for (const auto& worker : workers_) worker->finish();
  }

  [[nodiscard]] std::vector<Digest> take_digests() {
    std::vector<Digest> digests;
    for (const auto& worker : workers_) digests.push_back(worker->take_digest());
    return digests;
  }

  [[nodiscard]] std::optional<Price> best(std::uint32_t book, Side side) const {
    return feed_of(book).best(local(book), side);
  }
  template <class Visitor>
  void visit_orders(std::uint32_t book, Side side, Visitor&& visitor) const {
    feed_of(book).visit_orders(local(book), side, visitor);
  }
  [[nodiscard]] std::size_t size() const {
    std::size_t size = 0;
    for (const auto& worker : workers_) size += worker->feed().size();
    return size;
  }

 private:
  [[nodiscard]] const BatchFeed& feed_of(std::uint32_t book) const {
    return workers_[spread_.worker(book)]->feed();
  }
  [[nodiscard]] std::uint32_t local(std::uint32_t book) const {
    return static_cast<std::uint32_t>(spread_.local(book));
  }

  SymbolSpread spread_;
  std::vector<std::unique_ptr<FeedWorker>> workers_;
};

/// What a plan comes to for so many workers.
struct WorkersPlan {
  std::vector<FeedConfig> configs{};
  /// For the opening, and then for the two parts of each window: the digests of the best prices, worker by worker.
  std::vector<std::vector<Digest>> best{};
};

/// Plays the plan on one feed, which must show what is planned, and shares out what it shows.
inline WorkersPlan plan_workers(const FeedPlan& plan, std::size_t workers) {
  const SymbolSpread spread{workers};
  std::optional<VectorLevelsFeed> feed = VectorLevelsFeed::create(plan.config);
  if (!feed) throw std::runtime_error("the books of its plan could not be made: too little memory?");
  std::vector<std::size_t> resting(workers);
  std::vector<std::size_t> peaks(workers);
  WorkersPlan shared;
  const auto play = [&](const FeedPart& part) {
    Digest all;
    std::vector<Digest>& digests = shared.best.emplace_back(workers);
    read_spans(part.bytes, [&](std::span<const itch::MessageBytes> messages) {
      for (const itch::MessageBytes message : messages) {
        const std::size_t before = feed->size();
        if (!feed->apply(message)) continue;
        const std::size_t worker = spread.worker(book_of(message));
        resting[worker] += feed->size() - before;
        peaks[worker] = std::max(peaks[worker], resting[worker]);
        look(*feed, message, all);
        look(*feed, message, digests[worker]);
      }
    });
    if (all != part.best) throw std::runtime_error("what its workers are to show is not what is planned");
  };
  play(plan.opening);
  for (const FeedWindow& window : plan.windows) {
    play(window.rewarm);
    play(window.timed);
  }
  for (const std::size_t peak : peaks) {
    FeedConfig config = plan.config;
    config.books = spread.local(plan.config.books - 1) + 1;
    config.capacity = peak + 1;  // as in the plan
    shared.configs.push_back(config);
  }
  return shared;
}

/// A row of bench_feed: the reader, and from one to `feed_workers_max` workers.
inline constexpr std::size_t feed_workers_max = 256;
class WorkersReplay final : public FeedRunner {
 public:
  WorkersReplay(const FeedPlan& plan, std::size_t workers) : plan_(plan), shared_(plan_workers(plan, workers)) {}

  void prove() override {
    workers_.reset();
    const HeapPeak heap;
    start();
    for (std::size_t i = 0; i < plan_.windows.size(); ++i) {
      play(plan_.windows[i].rewarm, 1 + 2 * i);
      play(plan_.windows[i].timed, 2 + 2 * i);
    }
    peak_bytes_ = heap.bytes();
    if (workers_->size() != plan_.resting_end || queues_of(*workers_, plan_.config.books) != plan_.final_queues) {
      throw std::runtime_error("its queues of orders at the end are not the planned ones");
    }
    workers_.reset();
  }

  void start() override {
    workers_.reset();
    workers_.emplace(shared_.configs);
    play(plan_.opening, 0);
  }

  Window run(std::size_t index, CounterSource* counters) override {
    const auto& [rewarm, part] = plan_.windows[index];
    play(rewarm, 1 + 2 * index);
    const Window window = timed(part.messages, counters, [&](Digest&) { workers_->replay(part.bytes); });
    check(2 + 2 * index);
    return window;
  }

  [[nodiscard]] bool has_calls() const override { return false; }
  void time_calls(std::size_t, StampSource, FeedCalls&) override {}

  [[nodiscard]] std::size_t peak_bytes() const override { return peak_bytes_; }

 private:
  void play(const FeedPart& part, std::size_t number) {
    workers_->replay(part.bytes);
    check(number);
  }
  void check(std::size_t number) {
    if (workers_->take_digests() != shared_.best[number]) {
      throw std::runtime_error("its best prices after the messages are not the planned ones");
    }
  }

  const FeedPlan& plan_;
  WorkersPlan shared_;
  std::optional<FeedWorkers> workers_;
  std::size_t peak_bytes_ = 0;
};

}  // namespace llmes::bench
