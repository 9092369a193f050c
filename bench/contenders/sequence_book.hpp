// SPDX-License-Identifier: MIT
//
// A book without price levels: each side is a sorted map of orders, by price and then by arrival. A hash map leads
// from the number of an order to its place. Engines built like a database table have this shape. Matching walks
// from the front of the other side.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "bench/contenders/ruled_book.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// What the sides are sorted by. A modify that costs an order its priority gives it a new arrival.
struct PlaceInLine {
  std::size_t rank;
  std::uint64_t arrival;

  friend auto operator<=>(const PlaceInLine&, const PlaceInLine&) = default;
};

/// What the book keeps of an order, in 24 bytes. Engines that keep the whole message of the client have more.
struct Payload24 {
  OrderId id;
  Quantity quantity;     ///< open lots
  std::uint64_t number;  ///< the value of its handle
};
struct Payload256 : Payload24 {
  std::array<std::byte, 232> rest;
};
static_assert(sizeof(Payload24) == 24 && sizeof(Payload256) == 256);

/// `Line` is a sorted map from PlaceInLine to a payload.
template <std::size_t N, class Line>
class SequenceBook : public RuledBook<SequenceBook<N, Line>, N> {
  using Base = RuledBook<SequenceBook, N>;
  friend Base;
  using Base::size_;
  using Order = typename Line::mapped_type;

  struct Location {
    Side side;
    PlaceInLine place;
  };

  /// A resting order that `locate` has found.
  class Resting {
   public:
    Resting() = default;
    Resting(const Location& location, Order& order) : location_(location), order_(&order) {}
    explicit operator bool() const { return order_ != nullptr; }
    [[nodiscard]] const Location& location() const { return location_; }
    [[nodiscard]] Order& order() const { return *order_; }

   private:
    Location location_{};
    Order* order_ = nullptr;
  };

 public:
  SequenceBook(SequenceBook&&) = default;
  SequenceBook& operator=(SequenceBook&& other) { return make_anew(*this, std::move(other)); }
  ~SequenceBook() = default;

  [[nodiscard]] DepthLevel level(Side side, Price price) const {
    DepthLevel found{price};
    if (side > Side::Sell || !this->in_band(price)) return found;
    visit_level(side, rank_of(side, this->tick_at(price)), [&](const Order& order) {
      found.quantity += order.quantity;
      ++found.order_count;
    });
    return found;
  }

  template <std::invocable<const RestingOrder&> Visitor>
  void visit_orders(Side side, Visitor&& visitor) const {
    if (side > Side::Sell) return;
    for (const auto& [place, order] : line(side)) visitor(resting(side, place, order));
  }

  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const {
    const auto found = locations_.find(handle.value());
    if (found == locations_.end()) return std::nullopt;
    const auto& [side, place] = found->second;
    return resting(side, place, line(side).find(place)->second);
  }

 private:
  explicit SequenceBook(const BookConfig& config) : Base(config), locations_(config.capacity) {}

  [[nodiscard]] static std::size_t rank_of(Side side, Tick tick) {
    return side == Side::Buy ? bench::rank_of<Side::Buy, N>(tick) : bench::rank_of<Side::Sell, N>(tick);
  }
  /// `rank_of` is its own inverse.
  [[nodiscard]] static Tick tick_of(Side side, std::size_t rank) {
    return static_cast<Tick>(rank_of(side, static_cast<Tick>(rank)));
  }

  [[nodiscard]] Line& line(Side side) { return side == Side::Buy ? bids_ : asks_; }
  [[nodiscard]] const Line& line(Side side) const { return side == Side::Buy ? bids_ : asks_; }

  [[nodiscard]] Resting locate(OrderHandle handle) {
    const auto found = locations_.find(handle.value());
    if (found == locations_.end()) return {};
    return {found->second, line(found->second.side).find(found->second.place)->second};
  }
  [[nodiscard]] static Side side_of(const Resting& resting) { return resting.location().side; }
  [[nodiscard]] static Tick tick_of(const Resting& resting) {
    return tick_of(side_of(resting), resting.location().place.rank);
  }
  [[nodiscard]] static Quantity quantity_of(const Resting& resting) { return resting.order().quantity; }

  static void reduce(const Resting& resting, Quantity by) { resting.order().quantity -= by; }

  template <Side S>
  void cancel(const Resting& resting) {
    const std::uint64_t number = resting.order().number;
    line(S).erase(resting.location().place);
    forget(number);
  }

  template <Side S, class Sink>
  Result move(const Resting& resting, Tick tick, Quantity quantity, Sink& sink) {
    const Quantity leaving = tick == tick_of(resting) ? quantity_of(resting) : 0;
    if (!has_room(S, tick, quantity, leaving)) return {Status::QuantityOverflow};
    Order order = resting.order();
    line(S).erase(resting.location().place);
    const Quantity filled = match<S>(order.id, tick, quantity, sink);
    if (filled == quantity) {
      forget(order.number);
      return {Status::Success, {}, filled};
    }
    order.quantity = quantity - filled;
    locations_.find(order.number)->second = enter(S, tick, order);
    return {Status::Success, OrderHandle::from_value(order.number), filled};
  }

  template <Side S>
  [[nodiscard]] bool crosses(Tick tick) const {
    const Line& makers = line(opposite(S));
    return !makers.empty() && makers.begin()->first.rank <= rank_of(opposite(S), tick);
  }

  template <Side S>
  [[nodiscard]] bool fillable(Tick limit, Quantity wanted) const {
    for (const auto& [place, maker] : line(opposite(S))) {
      if (wanted == 0 || place.rank > rank_of(opposite(S), limit)) break;
      wanted -= std::min(wanted, maker.quantity);
    }
    return wanted == 0;
  }

  template <Side S, class Sink>
  [[gnu::noinline]] Quantity match(OrderId taker_id, Tick limit, Quantity quantity, Sink& sink) {
    Line& makers = line(opposite(S));
    Quantity left = quantity;
    while (left > 0 && crosses<S>(limit)) {
      const auto first = makers.begin();
      Order& maker = first->second;
      const Quantity traded = std::min(left, maker.quantity);
      maker.quantity -= traded;
      left -= traded;
      const Trade trade{taker_id,
                        maker.id,
                        OrderHandle::from_value(maker.number),
                        this->price_of(tick_of(opposite(S), first->first.rank)),
                        traded,
                        maker.quantity,
                        left,
                        S};
      if (maker.quantity == 0) {
        makers.erase(first);
        forget(trade.maker_handle.value());
      }
      sink(trade);
    }
    return quantity - left;
  }

  template <Side S>
  [[nodiscard]] static bool can_hold(Tick) {
    return true;
  }

  template <Side S>
  Result rest(OrderId id, Tick tick, Quantity quantity) {
    if (this->is_full()) return {Status::PoolFull};
    if (!has_room(S, tick, quantity, 0)) return {Status::QuantityOverflow};
    Order order{};
    order.id = id;
    order.quantity = quantity;
    order.number = ++last_number_;
    locations_.emplace(order.number, enter(S, tick, order));
    ++size_;
    return {Status::Success, OrderHandle::from_value(order.number)};
  }

  /// At the tail of its level.
  Location enter(Side side, Tick tick, const Order& order) {
    const PlaceInLine place{rank_of(side, tick), ++last_arrival_};
    line(side).emplace(place, order);
    return {side, place};
  }

  void forget(std::uint64_t number) {
    locations_.erase(number);
    --size_;
  }

  [[nodiscard]] bool has_room(Side side, Tick tick, Quantity quantity, Quantity leaving) {
    return Base::template has_room<false>(quantity, [&] {
      Quantity total = 0;
      visit_level(side, rank_of(side, tick), [&](const Order& order) { total += order.quantity; });
      return total - leaving;
    });
  }

  template <class Visitor>
  void visit_level(Side side, std::size_t rank, Visitor visitor) const {
    const auto end = line(side).lower_bound({rank + 1, 0});
    for (auto order = line(side).lower_bound({rank, 0}); order != end; ++order) visitor(order->second);
  }

  [[nodiscard]] std::optional<Tick> first_tick(Side side) const {
    if (line(side).empty()) return std::nullopt;
    return tick_of(side, line(side).begin()->first.rank);
  }

  [[nodiscard]] RestingOrder resting(Side side, const PlaceInLine& place, const Order& order) const {
    return {OrderHandle::from_value(order.number), order.id, side, this->price_of(tick_of(side, place.rank)),
            order.quantity};
  }

  Line bids_;
  Line asks_;
  absl::flat_hash_map<std::uint64_t, Location> locations_;
  std::uint64_t last_number_ = 0;
  std::uint64_t last_arrival_ = 0;
};

}  // namespace llmes::bench
