// SPDX-License-Identifier: MIT
//
// The books of the library in one set, whose orders live where their references say: one request at a time, or in
// spans.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "bench/contenders/market_book.hpp"
#include "llmes/book.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/sets/book_set.hpp"

namespace llmes::bench {

/// One request at a time.
class SetMarket {
 public:
  static std::optional<SetMarket> create(const MarketConfig& config) {
    auto set =
        Set::create({.max_books = config.books, .capacity = config.capacity, .far_levels = config.levels}, {});
    if (!set) return std::nullopt;
    for (std::size_t i = 0; i < config.books; ++i) static_cast<void>(set->add_book());
    return SetMarket(*std::move(set));
  }

  [[gnu::always_inline]] Result apply(const MarketRequest& request) {
    return set_.apply(request, DiscardTrades{});
  }

  [[nodiscard]] std::optional<Price> best(std::uint32_t book, Side side) const {
    constexpr Price none = std::numeric_limits<Price>::max();  // no book holds it
    const Price best = set_.book().best_or(book, side, none);
    return best == none ? std::nullopt : std::optional(best);
  }
  template <class Visitor>
  void visit_orders(std::uint32_t book, Side side, Visitor&& visitor) const {
    set_.book(book)->visit_orders(side, visitor);
  }
  [[nodiscard]] std::size_t size() const { return set_.book().size(); }

 protected:
  using Set = IdBook<PlacedBookSet, PlacedIds>;

  explicit SetMarket(Set&& set) : set_(std::move(set)) {}

  Set set_;
};

/// Spans of requests.
class SetSpanMarket : public SetMarket {
 public:
  static std::optional<SetSpanMarket> create(const MarketConfig& config) {
    std::optional<SetMarket> market = SetMarket::create(config);
    if (!market) return std::nullopt;
    return SetSpanMarket(*std::move(market));
  }

  void replay(std::span<const MarketRequest> requests, Digest& digest) {
    Digest sum = digest;
    while (!requests.empty()) {
      const std::span<const MarketRequest> span = requests.first(std::min<std::size_t>(256, requests.size()));
      set_.apply(
          span.size(), [span](std::size_t i) -> const MarketRequest& { return span[i]; },
          [&](const Result& result, std::size_t i) {
            sum.count(result.status);
            fold_best(sum, best(span[i].book, Side::Buy), best(span[i].book, Side::Sell));
          },
          DiscardTrades{});
      requests = requests.subspan(span.size());
    }
    digest = sum;
  }

 private:
  explicit SetSpanMarket(SetMarket&& market) : SetMarket(std::move(market)) {}
};

static_assert(MarketBook<SetMarket> && HasBooks<SetMarket>);
static_assert(TakesSpans<SetSpanMarket> && HasBooks<SetSpanMarket>);

}  // namespace llmes::bench
