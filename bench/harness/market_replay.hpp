// SPDX-License-Identifier: MIT
//
// Plays the plan of a market on many books. The requests of a window are copied, untimed, to adjacent memory. The
// clock encloses the calls and, after each message, a query of the best prices of its book. The prices go into the
// digest, so every contestant has the same prices after every message, or is rejected. After the last batch the
// queues of all books are compared too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "bench/contenders/market_book.hpp"
#include "bench/harness/allocation_counter.hpp"
#include "bench/harness/replay.hpp"
#include "bench/harness/runner.hpp"
#include "bench/streams/market_plan.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// The timed loop, never inlined, like `replay`.
template <MarketBook Market>
[[gnu::noinline]] void replay_market(Market& market, std::span<const MarketRequest> requests, Digest& digest) {
  if constexpr (TakesSpans<Market>) {
    market.replay(requests, digest);
  } else {
    Digest sum = digest;
    for (const MarketRequest& request : requests) {
      const Result result = market.apply(request);
      sum.count(result.status);
      if constexpr (HasBooks<Market>) {
        fold_best(sum, market.best(request.book, Side::Buy), market.best(request.book, Side::Sell));
      }
    }
    digest = sum;
  }
}

/// The checksum of all orders of a market.
template <HasBooks Market>
[[nodiscard]] std::uint64_t queues_of(const Market& market, std::size_t books) {
  QueueChecksum sum;
  for (std::uint32_t book = 0; book < books; ++book) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      market.visit_orders(book, side, [&](const RestingOrder& order) {
        sum.add(book, side, order.price, order.id, order.quantity);
      });
    }
  }
  return sum.value();
}

template <MarketBook Market>
class MarketReplay final : public Runner {
 public:
  explicit MarketReplay(const MarketPlan& plan) : plan_(plan) {
    const HeapPeak heap;
    start();
    for (const MarketBatch& batch : plan.batches) play_untimed(batch.rewarm_begin, batch.end);
    peak_bytes_ = heap.bytes();
    buffer_.reserve(plan.spec.batch);
  }

  void start() override {
    market_.reset();
    market_ = Market::create({plan_.spec.symbols, plan_.capacity, plan_.levels});
    if (!market_) throw std::runtime_error("the books could not be made: too little memory?");
    play_untimed(0, plan_.batches.empty() ? plan_.requests.size() : plan_.batches.front().rewarm_begin);
  }

  Window run(std::size_t index, CounterSource* counters) override {
    const MarketBatch& batch = plan_.batches[index];
    const std::span<const MarketRequest> window_requests = requests(batch.begin, batch.end);
    buffer_.assign(window_requests.begin(), window_requests.end());
    play_untimed(batch.rewarm_begin, batch.begin);
    const Window window =
        timed(buffer_.size(), counters, [&](Digest& digest) { replay_market(*market_, buffer_, digest); });
    check(index, window);
    return window;
  }

  [[nodiscard]] std::size_t peak_bytes() const override { return peak_bytes_; }

  [[nodiscard]] const Market& market() const { return *market_; }

 private:
  [[nodiscard]] std::span<const MarketRequest> requests(std::size_t begin, std::size_t end) const {
    return std::span(plan_.requests).subspan(begin, end - begin);
  }

  void play_untimed(std::size_t begin, std::size_t end) {
    Digest ignored;
    replay_market(*market_, requests(begin, end), ignored);
  }

  /// Throws std::runtime_error if the books did not do the planned work in the window.
  void check(std::size_t index, const Window& window) const {
    if constexpr (HasBooks<Market>) {
      const MarketBatch& batch = plan_.batches[index];
      if (window.digest != batch.expected) {
        throw std::runtime_error(
            "the books did not do the planned work: their best prices after the messages or their rejections "
            "differ");
      }
      if (market_->size() != batch.resting_end) {
        throw std::runtime_error("the books do not hold the planned number of orders");
      }
      if (index + 1 == plan_.batches.size() && queues_of(*market_, plan_.spec.symbols) != plan_.final_queues) {
        throw std::runtime_error("the books do not hold the planned queues of orders");
      }
    }
  }

  const MarketPlan& plan_;
  std::optional<Market> market_;
  std::vector<MarketRequest> buffer_;
  std::size_t peak_bytes_ = 0;
};

}  // namespace llmes::bench
