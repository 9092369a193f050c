// SPDX-License-Identifier: MIT
//
// The core over a band of some width, fed one command at a time, which also re-centres its band; and fed spans.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

#include "bench/books/core_books.hpp"
#include "bench/harness/replay.hpp"
#include "bench/harness/runner.hpp"
#include "bench/workloads/plan.hpp"
#include "llmes/llmes.hpp"

namespace llmes::bench {

/// A runner that after each batch moves its band up by one price and back again.
class Recentring : public Runner {
 public:
  /// Microseconds that a call of `recenter` took, one figure a batch.
  [[nodiscard]] const std::vector<double>& microseconds() const { return microseconds_; }
  /// All the memory of the book.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;

 protected:
  std::vector<double> microseconds_;
};

template <std::size_t PriceLevels>
class RecentringReplay final : public Recentring {
  using Book = OrderBook<PriceLevels>;

 public:
  explicit RecentringReplay(const Plan& plan) : plan_(plan), replay_(plan) {}

  void start() override {
    replay_.start();
    microseconds_.clear();
  }

  Window run(std::size_t index, CounterSource* counters) override {
    const Window window = replay_.run(index, counters);
    Book& book = replay_.book();
    const auto begin = std::chrono::steady_clock::now();
    const Status up = book.recenter(plan_.base_price + 1);
    const Status down = book.recenter(plan_.base_price);
    const std::chrono::duration<double, std::micro> both = std::chrono::steady_clock::now() - begin;
    if (up != Status::Success || down != Status::Success) {
      throw std::runtime_error("the band cannot be moved: an order rests on its edge");
    }
    microseconds_.push_back(both.count() / 2);
    return window;
  }

  [[nodiscard]] std::size_t peak_bytes() const override { return replay_.peak_bytes(); }
  [[nodiscard]] std::size_t memory_bytes() const override { return Book::memory_bytes(plan_.capacity); }

 private:
  const Plan& plan_;
  Replay<Book> replay_;
};

/// The two ways to feed a book of `PriceLevels`. The plan must outlive them.
template <std::size_t PriceLevels>
[[nodiscard]] std::unique_ptr<Recentring> enter_single(const Plan& plan) {
  return std::make_unique<RecentringReplay<PriceLevels>>(plan);
}
template <std::size_t PriceLevels>
[[nodiscard]] std::unique_ptr<Runner> enter_spans(const Plan& plan) {
  return std::make_unique<Replay<SpanFedBook<PriceLevels>>>(plan);
}

}  // namespace llmes::bench
