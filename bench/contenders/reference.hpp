// SPDX-License-Identifier: MIT
//
// The textbook book: a sorted map of linked lists, and a scan of all orders to find one. It is written to be
// obviously right, and it shows what the naive design costs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <optional>

#include "bench/contenders/matching_book.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

template <std::size_t PriceLevels = 4096>
class ReferenceBook {
  struct Level {
    Quantity total = 0;
    std::list<RestingOrder> orders;  // oldest first
  };
  using Levels = std::map<Price, Level>;  // lowest price first; no level is empty

 public:
  static std::optional<ReferenceBook> create(const BookConfig& config) {
    if (config.capacity == 0) return std::nullopt;
    if (config.base_price > std::numeric_limits<Price>::max() - Price{PriceLevels - 1}) return std::nullopt;
    return ReferenceBook(config);
  }

  template <TradeSink Sink>
  Result add_limit_order(OrderId id, Side side, Price price, Quantity quantity, TimeInForce time_in_force,
                         Sink&& sink) {
    if (side > Side::Sell || time_in_force > TimeInForce::FillOrKill) return {Status::InvalidCommand};
    if (quantity == 0) return {Status::InvalidQuantity};
    if (!in_band(price)) return {Status::PriceOutOfBand};
    const bool would_trade = crosses(side, price);
    if (time_in_force == TimeInForce::PostOnly && would_trade) return {Status::WouldCross};
    if (time_in_force == TimeInForce::FillOrKill && !fillable(side, price, quantity)) {
      return {Status::NotFillable};
    }
    const bool can_rest = time_in_force == TimeInForce::GoodTillCancel || time_in_force == TimeInForce::PostOnly;
    if (can_rest && !would_trade) {
      if (size_ == config_.capacity) return {Status::PoolFull};
      if (total(side, price) > std::numeric_limits<Quantity>::max() - quantity) {
        return {Status::QuantityOverflow};
      }
    }

    const Quantity filled = match(id, side, price, quantity, sink);
    if (!can_rest || filled == quantity) return {Status::Success, {}, filled};
    const OrderHandle handle = OrderHandle::from_value(++last_handle_);
    append({handle, id, side, price, quantity - filled});
    return {Status::Success, handle, filled};
  }

  template <TradeSink Sink>
  Result add_market_order(OrderId id, Side side, Quantity quantity, Sink&& sink) {
    if (side > Side::Sell) return {Status::InvalidCommand};
    if (quantity == 0) return {Status::InvalidQuantity};
    const Price any_price = side == Side::Buy ? price_max() : price_min();
    return {Status::Success, {}, match(id, side, any_price, quantity, sink)};
  }

  Status cancel_order(OrderHandle handle) {
    RestingOrder* order = scan(handle);
    if (order == nullptr) return Status::UnknownOrder;
    remove(*order);
    return Status::Success;
  }

  template <TradeSink Sink>
  Result modify_order(OrderHandle handle, Price price, Quantity quantity, Sink&& sink) {
    RestingOrder* order = scan(handle);
    if (order == nullptr) return {Status::UnknownOrder};
    if (quantity == 0) return {Status::InvalidQuantity};
    if (!in_band(price)) return {Status::PriceOutOfBand};
    if (price == order->price && quantity <= order->quantity) {
      shrink(*order, order->quantity - quantity);
      return {Status::Success, handle, 0};
    }
    RestingOrder moved = *order;
    const Quantity own_share = price == moved.price ? moved.quantity : 0;
    if (total(moved.side, price) - own_share > std::numeric_limits<Quantity>::max() - quantity) {
      return {Status::QuantityOverflow};
    }

    remove(*order);
    const Quantity filled = match(moved.id, moved.side, price, quantity, sink);
    if (filled == quantity) return {Status::Success, {}, filled};
    moved.price = price;
    moved.quantity = quantity - filled;
    append(moved);
    return {Status::Success, handle, filled};
  }

  Status reduce_order(OrderHandle handle, Quantity by) {
    RestingOrder* order = scan(handle);
    if (order == nullptr) return Status::UnknownOrder;
    if (by == 0 || by > order->quantity) return Status::InvalidQuantity;
    shrink(*order, by);
    if (order->quantity == 0) remove(*order);
    return Status::Success;
  }

  template <TradeSink Sink>
  Result apply(const Command& command, Sink&& sink) {
    return dispatch(*this, command, sink);
  }

  [[nodiscard]] std::optional<Price> best_bid() const {
    const Levels& bids = levels(Side::Buy);
    if (bids.empty()) return std::nullopt;
    return bids.rbegin()->first;
  }
  [[nodiscard]] std::optional<Price> best_ask() const {
    const Levels& asks = levels(Side::Sell);
    if (asks.empty()) return std::nullopt;
    return asks.begin()->first;
  }

  [[nodiscard]] DepthLevel level(Side side, Price price) const {
    if (side > Side::Sell) return {price};
    const auto found = levels(side).find(price);
    if (found == levels(side).end()) return {price};
    return {price, found->second.total, found->second.orders.size()};
  }

  template <class Visitor>
  void visit_orders(Side side, Visitor&& visitor) const {
    if (side == Side::Buy) {
      for (auto level = levels(side).rbegin(); level != levels(side).rend(); ++level) {
        for (const RestingOrder& order : level->second.orders) visitor(order);
      }
    } else if (side == Side::Sell) {
      for (const auto& [price, level] : levels(side)) {
        for (const RestingOrder& order : level.orders) visitor(order);
      }
    }
  }

  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const {
    const RestingOrder* order = scan(handle);
    if (order == nullptr) return std::nullopt;
    return *order;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Price price_min() const { return config_.base_price; }
  [[nodiscard]] Price price_max() const { return config_.base_price + Price{PriceLevels - 1}; }

 private:
  explicit ReferenceBook(const BookConfig& config) : config_(config) {}

  Levels& levels(Side side) { return sides_[static_cast<std::size_t>(side)]; }
  const Levels& levels(Side side) const { return sides_[static_cast<std::size_t>(side)]; }

  bool in_band(Price price) const { return price >= price_min() && price <= price_max(); }

  /// Whether an order of `side` at `price` meets the best price of the other side.
  bool crosses(Side side, Price price) const {
    if (side == Side::Buy) return best_ask().has_value() && *best_ask() <= price;
    return best_bid().has_value() && *best_bid() >= price;
  }

  Quantity total(Side side, Price price) const {
    const auto found = levels(side).find(price);
    return found == levels(side).end() ? 0 : found->second.total;
  }

  bool fillable(Side taker_side, Price limit, Quantity wanted) const {
    for (const auto& [price, level] : levels(opposite(taker_side))) {
      const bool in_reach = taker_side == Side::Buy ? price <= limit : price >= limit;
      if (!in_reach) continue;
      if (wanted <= level.total) return true;
      wanted -= level.total;
    }
    return false;
  }

  template <TradeSink Sink>
  Quantity match(OrderId taker_id, Side taker_side, Price limit, Quantity quantity, Sink& sink) {
    Quantity left = quantity;
    while (left > 0 && crosses(taker_side, limit)) {
      RestingOrder& maker = taker_side == Side::Buy ? levels(Side::Sell).begin()->second.orders.front()
                                                    : levels(Side::Buy).rbegin()->second.orders.front();
      const Quantity traded = std::min(left, maker.quantity);
      left -= traded;
      shrink(maker, traded);
      const Trade trade{taker_id, maker.id, maker.handle, maker.price, traded, maker.quantity, left, taker_side};
      if (maker.quantity == 0) remove(maker);
      sink(trade);
    }
    return quantity - left;
  }

  RestingOrder* scan(OrderHandle handle) {
    for (Levels& side : sides_) {
      for (auto& [price, level] : side) {
        for (RestingOrder& order : level.orders) {
          if (order.handle == handle) return &order;
        }
      }
    }
    return nullptr;
  }
  const RestingOrder* scan(OrderHandle handle) const {
    return const_cast<ReferenceBook*>(this)->scan(handle);  // the scan writes nothing
  }

  void append(const RestingOrder& order) {
    Level& level = levels(order.side)[order.price];
    level.total += order.quantity;
    level.orders.push_back(order);
    ++size_;
  }

  void shrink(RestingOrder& order, Quantity by) {
    order.quantity -= by;
    levels(order.side)[order.price].total -= by;
  }

  void remove(const RestingOrder& order) {
    Levels& side = levels(order.side);
    const auto found = side.find(order.price);
    Level& level = found->second;
    level.total -= order.quantity;
    level.orders.erase(std::find_if(level.orders.begin(), level.orders.end(),
                                    [&](const RestingOrder& other) { return other.handle == order.handle; }));
    if (level.orders.empty()) side.erase(found);
    --size_;
  }

  BookConfig config_;
  std::array<Levels, 2> sides_;
  std::size_t size_ = 0;
  std::uint64_t last_handle_ = 0;
};

static_assert(MatchingBook<ReferenceBook<>>);

}  // namespace llmes::bench
