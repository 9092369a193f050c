// SPDX-License-Identifier: MIT
//
// A book with rules for tests by hand, and what it tells, a line each.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "llmes/rules.hpp"
#include "llmes/types/text.hpp"

namespace llmes::test {

/// Keeps what a book with rules tells, as text.
struct Told {
  std::vector<std::string> lines;

  /// Which maker, how much, and what it shows of what is left.
  void operator()(const RuledTrade& trade) {
    lines.push_back(std::to_string(trade.maker_id) + " trades " + std::to_string(trade.quantity) + ", shows " +
                    std::to_string(trade.maker_displayed) + " of " + std::to_string(trade.maker_remaining));
  }
  void prevented(const PreventedMatch& match) {
    lines.push_back(std::to_string(match.maker_id) + " not " + std::to_string(match.quantity) + ", left " +
                    std::to_string(match.maker_remaining) + " and " + std::to_string(match.taker_remaining));
  }
  void refilled(const RestingOrder& order) {
    lines.push_back(std::to_string(order.id) + " refilled " + std::to_string(order.quantity));
  }
  void cancelled(const RestingOrder& order) {
    lines.push_back(std::to_string(order.id) + " cancelled " + std::to_string(order.quantity));
  }

  /// What has been told since the last call.
  [[nodiscard]] std::vector<std::string> take() {
    std::vector<std::string> taken;
    taken.swap(lines);
    return taken;
  }
};
using Lines = std::vector<std::string>;

/// A book of 64 prices, and short forms of its calls.
template <class Rules = VenueRules<>>
class RuledBookTest : public ::testing::Test {
 protected:
  static constexpr auto gtc = TimeInForce::GoodTillCancel;
  static constexpr auto ioc = TimeInForce::ImmediateOrCancel;
  static constexpr auto fok = TimeInForce::FillOrKill;

  static constexpr OrderTerms of(Owner owner, SelfTrade self_trade = SelfTrade::Allow) {
    return {.owner = owner, .self_trade = self_trade};
  }
  static constexpr OrderTerms reserve(Quantity peak, Owner owner = 0) {
    return {.owner = owner, .display = Display::Reserve, .peak = peak};
  }
  static constexpr OrderTerms hidden(Owner owner = 0) { return {.owner = owner, .display = Display::Hidden}; }

  OrderHandle sell(OrderId id, Price price, Quantity quantity, const OrderTerms& terms = {}) {
    return add(id, Side::Sell, price, quantity, terms).handle;
  }
  Result buy(OrderId id, Price price, Quantity quantity, const OrderTerms& terms = {}, TimeInForce time = gtc) {
    return add(id, Side::Buy, price, quantity, terms, time);
  }
  Result add(OrderId id, Side side, Price price, Quantity quantity, const OrderTerms& terms = {},
             TimeInForce time = gtc) {
    return book.add_limit_order(id, side, price, quantity, time, terms, told);
  }
  /// The ids on one level in queue order.
  [[nodiscard]] std::vector<OrderId> queue(Side side, Price price) const {
    std::vector<OrderId> ids;
    book.visit_level(side, price, [&](const RestingOrder& order) { ids.push_back(order.id); });
    return ids;
  }

  RuledOrderBook<64, Rules> book = *RuledOrderBook<64, Rules>::create({.base_price = 0, .capacity = 32});
  Told told;
};

}  // namespace llmes::test
