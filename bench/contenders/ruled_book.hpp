// SPDX-License-Identifier: MIT
//
// The rules of matching, once for all books that are made of parts: what a call means, in which order its mistakes
// are found, and when an order may rest. A book derives from RuledBook<Book, N> and says how orders are kept:
//
//   Resting                                  a resting order as `locate` finds it: a pointer, or like one
//   locate(handle) -> Resting                null if no order of that handle rests
//   side_of(resting) -> Side
//   tick_of(resting) -> Tick
//   quantity_of(resting) -> Quantity         its open lots
//   reduce(resting, by)                      by less than its open lots; it keeps its place
//   cancel<S>(resting)                       takes it off the book
//   move<S>(resting, tick, quantity, sink)   takes it off its level, matches it, and puts what is left at the tail
//     -> Result                              of its new level; QuantityOverflow if it cannot
//   crosses<S>(tick) -> bool                 whether an order of side S at that price would trade
//   fillable<S>(tick, quantity) -> bool      whether all of that quantity would trade
//   match<S>(id, tick, quantity, sink)       trades with the other side at that price or better
//     -> Quantity                            the lots traded
//   can_hold<S>(tick) -> bool                whether the book has a place for an order at that price
//   rest<S>(id, tick, quantity) -> Result    puts a new order at the tail of its level, without matching;
//                                            PoolFull or QuantityOverflow if it cannot
//   first_tick(side) -> optional<Tick>       the best price of that side, if orders rest there
//
// RuledBook supplies the calls that change a book, and `size_`, which the book keeps up to date. The queries that
// list orders (`level`, `visit_orders`, `find`; see matching_book.hpp) are up to the book.
//
// As in the published design, everything behind the public calls is compiled once for each side, and the calls
// choose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "bench/contenders/matching_book.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// How many ticks a price is above the base price; below the number of prices in the band.
using Tick = std::uint32_t;

/// The place of a price in the order of preference of a side: rank 0 is the best, the highest price for bids and
/// the lowest for asks.
template <Side S, std::size_t N>
[[nodiscard]] constexpr std::size_t rank_of(Tick tick) {
  return S == Side::Buy ? N - 1 - tick : tick;
}

/// Move assignment by the move constructor, so that parts need not be assignable.
template <class T>
T& make_anew(T& target, T&& source) {
  if (&target == &source) return target;
  std::destroy_at(&target);
  return *std::construct_at(&target, std::move(source));
}

template <class Book, std::size_t N>
class RuledBook {
 public:
  static std::optional<Book> create(const BookConfig& config) {
    constexpr Price base_price_max = std::numeric_limits<Price>::max() - Price{highest_tick};
    constexpr std::size_t capacity_max = std::numeric_limits<std::uint32_t>::max();
    if (config.capacity == 0 || config.capacity > capacity_max || config.base_price > base_price_max) return {};
    return Book(config);
  }

  template <TradeSink Sink>
  Result add_limit_order(OrderId id, Side side, Price price, Quantity quantity, TimeInForce time_in_force,
                         Sink&& sink) {
    if (side > Side::Sell || time_in_force > TimeInForce::FillOrKill) return {Status::InvalidCommand};
    if (quantity == 0) return {Status::InvalidQuantity};
    if (!in_band(price)) return {Status::PriceOutOfBand};
    const Tick tick = tick_at(price);
    if (side == Side::Buy) return add<Side::Buy>(id, tick, quantity, time_in_force, sink);
    return add<Side::Sell>(id, tick, quantity, time_in_force, sink);
  }

  template <TradeSink Sink>
  Result add_market_order(OrderId id, Side side, Quantity quantity, Sink&& sink) {
    if (side > Side::Sell) return {Status::InvalidCommand};
    if (quantity == 0) return {Status::InvalidQuantity};
    const Quantity filled = side == Side::Buy ? book().template match<Side::Buy>(id, highest_tick, quantity, sink)
                                              : book().template match<Side::Sell>(id, 0, quantity, sink);
    return {Status::Success, {}, filled};
  }

  Status cancel_order(OrderHandle handle) {
    const auto order = book().locate(handle);
    if (!order) return Status::UnknownOrder;
    if (book().side_of(order) == Side::Buy) {
      book().template cancel<Side::Buy>(order);
    } else {
      book().template cancel<Side::Sell>(order);
    }
    return Status::Success;
  }

  template <TradeSink Sink>
  Result modify_order(OrderHandle handle, Price price, Quantity quantity, Sink&& sink) {
    const auto order = book().locate(handle);
    if (!order) return {Status::UnknownOrder};
    if (quantity == 0) return {Status::InvalidQuantity};
    if (!in_band(price)) return {Status::PriceOutOfBand};
    const Tick tick = tick_at(price);
    if (tick == book().tick_of(order) && quantity <= book().quantity_of(order)) {
      book().reduce(order, book().quantity_of(order) - quantity);
      return {Status::Success, handle};
    }
    if (book().side_of(order) == Side::Buy) return move<Side::Buy>(order, tick, quantity, sink);
    return move<Side::Sell>(order, tick, quantity, sink);
  }

  Status reduce_order(OrderHandle handle, Quantity by) {
    const auto order = book().locate(handle);
    if (!order) return Status::UnknownOrder;
    if (by == 0 || by > book().quantity_of(order)) return Status::InvalidQuantity;
    if (by == book().quantity_of(order)) return cancel_order(handle);
    book().reduce(order, by);
    return Status::Success;
  }

  template <TradeSink Sink>
  Result apply(const Command& command, Sink&& sink) {
    return dispatch(book(), command, sink);
  }

  [[nodiscard]] std::optional<Price> best_bid() const { return price_of(book().first_tick(Side::Buy)); }
  [[nodiscard]] std::optional<Price> best_ask() const { return price_of(book().first_tick(Side::Sell)); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Price price_min() const { return config_.base_price; }
  [[nodiscard]] Price price_max() const { return config_.base_price + Price{highest_tick}; }

 protected:
  static constexpr Tick highest_tick = N - 1;

  explicit RuledBook(const BookConfig& config) : config_(config) {}

  [[nodiscard]] bool in_band(Price price) const { return price >= price_min() && price <= price_max(); }
  [[nodiscard]] Tick tick_at(Price price) const { return static_cast<Tick>(price - config_.base_price); }
  [[nodiscard]] Price price_of(Tick tick) const { return config_.base_price + Price{tick}; }
  [[nodiscard]] std::optional<Price> price_of(std::optional<Tick> tick) const {
    return tick ? std::optional(price_of(*tick)) : std::nullopt;
  }

  [[nodiscard]] bool is_full() const { return size_ == config_.capacity; }

  /// Whether `total()` lots and `quantity` more fit into a Quantity. A book that keeps no totals has to add them
  /// up, but only once an order of 2^32 lots or more has come to rest: fewer than 2^32 smaller orders always fit.
  template <bool keeps_total, class Total>
  [[nodiscard]] bool has_room(Quantity quantity, Total total) {
    if constexpr (!keeps_total) {
      if (((quantities_ |= quantity) >> 32) == 0) return true;
    }
    return quantity <= std::numeric_limits<Quantity>::max() - total();
  }

  std::size_t size_ = 0;

 private:
  [[nodiscard]] Book& book() { return static_cast<Book&>(*this); }
  [[nodiscard]] const Book& book() const { return static_cast<const Book&>(*this); }

  template <Side S, class Sink>
  Result add(OrderId id, Tick tick, Quantity quantity, TimeInForce time_in_force, Sink& sink) {
    const bool can_rest = time_in_force == TimeInForce::GoodTillCancel || time_in_force == TimeInForce::PostOnly;
    if (can_rest && !book().template can_hold<S>(tick)) return {Status::PriceOutOfBand};
    Quantity filled = 0;
    if (book().template crosses<S>(tick)) {
      if (time_in_force == TimeInForce::PostOnly) return {Status::WouldCross};
      if (time_in_force == TimeInForce::FillOrKill && !book().template fillable<S>(tick, quantity)) {
        return {Status::NotFillable};
      }
      filled = book().template match<S>(id, tick, quantity, sink);
      if (!can_rest || filled == quantity) return {Status::Success, {}, filled};
    } else if (!can_rest) {
      return {time_in_force == TimeInForce::FillOrKill ? Status::NotFillable : Status::Success};
    }
    // Once it has traded it always rests: it has used up a maker, and on its own side it is alone at its price.
    Result result = book().template rest<S>(id, tick, quantity - filled);
    result.filled = filled;
    return result;
  }

  template <Side S, class Resting, class Sink>
  Result move(Resting order, Tick tick, Quantity quantity, Sink& sink) {
    if (!book().template can_hold<S>(tick)) return {Status::PriceOutOfBand};
    return book().template move<S>(order, tick, quantity, sink);
  }

  BookConfig config_;
  Quantity quantities_ = 0;  // the bitwise or of all quantities that ever came to rest
};

}  // namespace llmes::bench
