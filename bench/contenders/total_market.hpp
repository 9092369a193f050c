// SPDX-License-Identifier: MIT
//
// A market that knows the total of each price level and no queues, after charles-cooper/itch-order-book (2012):
// orders lie in an array by their references, which no order ever moves from or shares, and a side is a sorted
// vector of the numbers of its levels. It trusts its feed more than any other: no reference comes twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bench/contenders/level_market.hpp"
#include "bench/contenders/market_book.hpp"
#include "llmes/book.hpp"
#include "llmes/detail/zeroed_array.hpp"

namespace llmes::bench {

class TotalMarket {
 public:
  static std::optional<TotalMarket> create(const MarketConfig& config) {
    TotalMarket market(config);
    if (!market.orders_.allocated() || !market.levels_.allocated()) return std::nullopt;
    return market;
  }

  [[gnu::always_inline]] Result apply(const MarketRequest& request) {
    if (2 * std::size_t{request.book} >= sides_.size() || request.side > Side::Sell ||
        request.id >= orders_.size() || request.new_id >= orders_.size()) {
      return {Status::InvalidCommand};
    }
    switch (request.type) {
      case CommandType::AddResting:
        enter(request.book, request.side, request.price, request.id, request.quantity);
        return {Status::Success, {}, 0, request.quantity};
      case CommandType::Cancel: return reduce(request.book, request.id, orders_[request.id].quantity);
      case CommandType::Reduce: return reduce(request.book, request.id, request.quantity);
      case CommandType::ReplaceResting: return replace(request);
      default: return {Status::InvalidCommand};
    }
  }

  [[nodiscard]] std::optional<Price> best(std::uint32_t book, Side side) const {
    const Levels& levels = at(book, side);
    if (levels.empty()) return std::nullopt;
    return price_of_goodness(side, levels.back().goodness);
  }

 private:
  struct Order {
    std::uint32_t quantity;  // open; 0 without an order
    std::uint32_t level;
  };
  struct Level {
    Quantity total;
    Side side;
    std::uint32_t next_free;
  };
  struct Place {
    Price goodness;
    std::uint32_t level;
  };
  using Levels = std::vector<Place>;  // the best at the back

  explicit TotalMarket(const MarketConfig& config)
      : orders_(config.last_id + 1), levels_(config.levels + 1), sides_(2 * config.books) {
    if (!levels_.allocated()) return;
    for (std::size_t level = 0; level < config.levels; ++level)
      levels_[level].next_free = static_cast<std::uint32_t>(level + 1);
  }

  Result reduce(std::uint32_t book, OrderId id, Quantity by) {
    Order& order = orders_[id];
    if (order.quantity == 0) return {Status::UnknownOrder};
    if (by == 0 || by > order.quantity) return {Status::InvalidQuantity};
    order.quantity -= static_cast<std::uint32_t>(by);
    Level& level = levels_[order.level];
    level.total -= by;
    if (level.total == 0) close(book, order.level);
    return {Status::Success, {}, 0, order.quantity, by};
  }

  Result replace(const MarketRequest& request) {
    const Order old = orders_[request.id];
    if (old.quantity == 0) return {Status::UnknownOrder};
    const Side side = levels_[old.level].side;
    static_cast<void>(reduce(request.book, request.id, old.quantity));
    enter(request.book, side, request.price, request.new_id, request.quantity);
    return {Status::Success, {}, 0, request.quantity};
  }

  void enter(std::uint32_t book, Side side, Price price, OrderId id, Quantity quantity) {
    Levels& levels = at(book, side);
    const Price wanted = goodness(side, price);
    auto place = levels.end();
    while (place != levels.begin() && place[-1].goodness >= wanted) --place;
    if (place == levels.end() || place->goodness != wanted) {
      const std::uint32_t level = std::exchange(free_, levels_[free_].next_free);
      levels_[level] = {0, side, 0};
      place = levels.insert(place, {wanted, level});
    }
    levels_[place->level].total += quantity;
    orders_[id] = {static_cast<std::uint32_t>(quantity), place->level};
  }
  void close(std::uint32_t book, std::uint32_t level) {
    Levels& levels = at(book, levels_[level].side);
    auto place = levels.end() - 1;
    while (place->level != level) --place;
    levels.erase(place);
    levels_[level].next_free = std::exchange(free_, level);
  }

  [[nodiscard]] Levels& at(std::uint32_t book, Side side) {
    return sides_[2 * std::size_t{book} + static_cast<std::size_t>(side)];
  }
  [[nodiscard]] const Levels& at(std::uint32_t book, Side side) const {
    return sides_[2 * std::size_t{book} + static_cast<std::size_t>(side)];
  }

  ZeroedArray<Order> orders_;
  ZeroedArray<Level> levels_;
  std::vector<Levels> sides_;  // the bids of book 0, its asks, the bids of book 1 ...
  std::uint32_t free_ = 0;
};
static_assert(MarketBook<TotalMarket>);

}  // namespace llmes::bench
