// SPDX-License-Identifier: MIT
//
// The product with nobody listening to its trades. The core's time over this book's is what its sink costs.
// Without trades there is nothing to check its work by, so it has none of the queries by which a book is checked.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "llmes/llmes.hpp"

namespace llmes::bench {

template <std::size_t PriceLevels>
class SilentBook {
 public:
  static std::optional<SilentBook> create(const BookConfig& config) {
    std::optional<OrderBook<PriceLevels>> book = OrderBook<PriceLevels>::create(config);
    if (!book) return std::nullopt;
    return SilentBook(*std::move(book));
  }

  template <TradeSink Sink>
  [[gnu::always_inline]] Result apply(const Command& command, Sink&&) noexcept {
    return book_.apply(command, DiscardTrades{});
  }

 private:
  explicit SilentBook(OrderBook<PriceLevels>&& book) : book_(std::move(book)) {}

  OrderBook<PriceLevels> book_;
};

}  // namespace llmes::bench
