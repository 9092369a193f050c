// SPDX-License-Identifier: MIT
//
// What the adapters have in common that make market events from the messages of a format.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "llmes/market_data/price_grid.hpp"
#include "llmes/simulator/market_event.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What an adapter has met in its file.
struct FeedCounts {
  std::uint64_t records = 0;     ///< messages, records or lines
  std::uint64_t events = 0;      ///< that were made of them
  std::uint64_t unreadable = 0;  ///< records that are none, or have no place in an event
  std::uint64_t off_tick = 0;  ///< orders and trades between two ticks: left out; an order that moves there leaves
  std::uint64_t times_back =
      0;                      ///< records that are earlier than the one before: their events are as late as that
  std::uint64_t suspect = 0;  ///< records that say that the book may be wrong: the publisher tells of a gap, or an
                              ///< order leaves at another price than it had

  friend constexpr bool operator==(const FeedCounts&, const FeedCounts&) = default;
};

namespace detail {

class EventFeed {
 public:
  /// So far.
  [[nodiscard]] const FeedCounts& counts() const noexcept { return counts_; }

 protected:
  /// Prices are multiples of `tick` units of the format.
  explicit EventFeed(Price tick) noexcept : grid_(static_cast<std::uint64_t>(std::max<Price>(tick, 1))) {}

  /// An event of the record that is read now.
  [[nodiscard]] MarketEvent event(MarketEventType type, BookNumber book, Nanoseconds time) noexcept {
    if (time < now_) ++counts_.times_back;
    now_ = std::max(now_, time);
    MarketEvent made;
    made.time = now_;
    made.record = counts_.records - 1;
    made.book = book;
    made.type = type;
    return made;
  }
  [[nodiscard]] Nanoseconds now() const noexcept { return now_; }

  /// Puts a price into an event. @return whether it is on a tick; else the event is to be left out
  [[nodiscard]] bool set_price(MarketEvent& event, Price price) noexcept {
    if (!TickGrid::is_possible(price) || !grid_.holds(price)) {
      ++counts_.off_tick;
      return false;
    }
    event.price = grid_.tick(price);
    return true;
  }

  /// Puts what was paid into an `Execute` or `Fill`; of two ticks the lower one, as the lots have traded all the
  /// same.
  void set_fill_price(MarketEvent& event, Price price) noexcept {
    event.off_price = TickGrid::is_possible(price);
    if (!event.off_price) return;
    event.price = grid_.holds(price) ? grid_.tick(price) : price / grid_.step() - (price < 0);
  }
  /// Puts price and side of the order into an `Execute`, for a tape that does not have the order.
  void set_order_price(MarketEvent& event, Price price, Side side) noexcept {
    if (!TickGrid::is_possible(price) || !grid_.holds(price)) return;
    event.price = grid_.tick(price);
    event.side = side;
    event.priced = true;
  }
  /// Puts the price to which an order moves into an event; of one between two ticks makes a `Cancel`.
  void set_new_price(MarketEvent& event, Price price) noexcept {
    if (set_price(event, price)) return;
    event.type = MarketEventType::Cancel;
    event.new_id = 0;
    event.quantity = 0;
  }

  template <class Give>
  void give(const MarketEvent& event, Give& take) {
    ++counts_.events;
    take(event);
  }

  /// The same for a format that does not say where an event ends: executions of one book at one time are those of
  /// one taker, or of an auction, whose print comes behind them. So one is held back until the next event tells.
  template <class Give>
  void group(const MarketEvent& event, Give& take) {
    const bool is_fill = event.type == MarketEventType::Execute;
    if (held_) {
      held_->last = !(is_fill || event.cross) || held_->time != event.time || held_->book != event.book;
      release(take);
    }
    if (is_fill) {
      held_ = event;
    } else {
      give(event, take);
    }
  }
  template <class Give>
  void release(Give& take) {
    if (held_) give(*std::exchange(held_, std::nullopt), take);
  }

  FeedCounts counts_;

 private:
  TickGrid grid_;
  Nanoseconds now_ = 0;
  std::optional<MarketEvent> held_;
};

}  // namespace detail
}  // namespace llmes::inline LLMES_NAMESPACE
