// SPDX-License-Identifier: MIT
//
// Compiled once for each width, LLMES_PRICE_LEVELS, so that no band changes how another is compiled.
#include "bench/programs/growth/band.hpp"

#include <chrono>
#include <stdexcept>

#include "bench/contenders/core_books.hpp"
#include "bench/harness/replay.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {
namespace {

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

}  // namespace

template <>
BandRunners enter_band<LLMES_PRICE_LEVELS>(const Plan& plan) {
  return {std::make_unique<RecentringReplay<LLMES_PRICE_LEVELS>>(plan),
          std::make_unique<Replay<SpanFedBook<LLMES_PRICE_LEVELS>>>(plan)};
}

}  // namespace llmes::bench
