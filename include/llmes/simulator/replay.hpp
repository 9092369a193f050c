// SPDX-License-Identifier: MIT
//
// Where a replay stands, and what its venue takes.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "llmes/simulator/market_books.hpp"
#include "llmes/simulator/own_orders.hpp"
#include "llmes/simulator/settings.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// The same for all strategies.
struct Replay {
  MarketBooks market;
  SimulatorConfig config;
  std::vector<MarketPhase> phases;  ///< by book
  Nanoseconds time = 0;             ///< of the last event
  std::uint64_t record = 0;
  std::uint64_t messages = 0;
  bool has_ended = false;

  [[nodiscard]] Moment moment(BookNumber book, Nanoseconds at) const noexcept {
    return {at, record, messages, phases[book]};
  }
  /// Whether the best prices of a book are equal, or beyond each other.
  [[nodiscard]] bool is_crossed(BookNumber book) const noexcept {
    const Price bid = market.best_or(book, Side::Buy, no_price(Side::Buy));
    return bid != no_price(Side::Buy) && bid >= market.best_or(book, Side::Sell, no_price(Side::Sell));
  }
  /// The same when an own order comes. A crossed or locked book collects orders, whatever phase its feed tells of,
  /// as nobody can have traded with it.
  [[nodiscard]] Moment arrival(BookNumber book, Nanoseconds at) const noexcept {
    Moment now = moment(book, at);
    if (now.phase == MarketPhase::Continuous && is_crossed(book)) now.phase = MarketPhase::Auction;
    return now;
  }

  /// Whether an own order may be sent.
  [[nodiscard]] SendStatus check(BookNumber book, Side side, Price price, Quantity quantity,
                                 TimeInForce time_in_force) const noexcept {
    if (has_ended) return SendStatus::AfterEnd;
    if (book >= market.book_count()) return SendStatus::UnknownBook;
    if (side > Side::Sell || time_in_force > TimeInForce::FillOrKill) return SendStatus::InvalidCommand;
    return check_numbers(price, quantity);
  }
  [[nodiscard]] SendStatus check_numbers(Price price, Quantity quantity) const noexcept {
    if (quantity == 0 || quantity > lots_max || quantity % config.lot != 0) return SendStatus::InvalidQuantity;
    if (price % config.tick != 0 || price == std::numeric_limits<Price>::max() ||
        price == std::numeric_limits<Price>::min())
      return SendStatus::InvalidPrice;
    return SendStatus::Success;
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
