// SPDX-License-Identifier: MIT
//
// A small book with short helper calls, for tests that hold for makers of either side. Prices are steps: a higher
// step is a worse price for the makers, and a taker reaches every step up to its own.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "tests/support/adversarial_streams.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/results.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {

class SideTest : public ::testing::TestWithParam<Side> {
 protected:
  using Book = OrderBook<128>;
  static constexpr std::size_t capacity = 16;
  static constexpr Price base_price = -20;

  [[nodiscard]] static Side makers() { return GetParam(); }
  [[nodiscard]] static Side takers() { return opposite(GetParam()); }
  [[nodiscard]] static Price at(int step) {
    return Ladder{base_price, Book::price_levels, makers()}.at(50 + step);
  }

  /// Adds a maker, which must come to rest untouched.
  OrderHandle rest(OrderId id, int step, Quantity quantity) { return rest_on(makers(), id, step, quantity); }
  OrderHandle rest_on(Side side, OrderId id, int step, Quantity quantity) {
    const Result result = add(side, id, step, quantity);
    EXPECT_EQ(result.status, Status::Success);
    EXPECT_EQ(result.filled, 0u);
    EXPECT_TRUE(book.find(result.handle).has_value());
    return result.handle;
  }
  Result take(OrderId id, int step, Quantity quantity, TimeInForce time_in_force = TimeInForce::GoodTillCancel) {
    return add(takers(), id, step, quantity, time_in_force);
  }
  Result add(Side side, OrderId id, int step, Quantity quantity,
             TimeInForce time_in_force = TimeInForce::GoodTillCancel) {
    return book.add_limit_order(id, side, at(step), quantity, time_in_force, sink_);
  }
  Result market(OrderId id, Quantity quantity) { return book.add_market_order(id, takers(), quantity, sink_); }
  Result modify(OrderHandle handle, int step, Quantity quantity) {
    return book.modify_order(handle, at(step), quantity, sink_);
  }
  Result modify(OrderHandle handle, int step, Quantity quantity, TimeInForce time_in_force) {
    return book.modify_order(handle, at(step), quantity, time_in_force, sink_);
  }
  Result replace(OrderHandle handle, OrderId new_id, int step, Quantity quantity,
                 TimeInForce time_in_force = TimeInForce::GoodTillCancel) {
    return book.replace_order(handle, new_id, at(step), quantity, time_in_force, sink_);
  }

  Result add_resting(Side side, OrderId id, int step, Quantity quantity) {
    return book.add_resting_order(id, side, at(step), quantity);
  }
  Result add_resting_before(OrderHandle neighbour, OrderId id, Quantity quantity) {
    return book.add_resting_order_before(neighbour, id, quantity);
  }
  Result modify_resting(OrderHandle handle, int step, Quantity quantity) {
    return book.modify_resting_order(handle, at(step), quantity);
  }
  Result replace_resting(OrderHandle handle, OrderId new_id, int step, Quantity quantity) {
    return book.replace_resting_order(handle, new_id, at(step), quantity);
  }

  /// The trades since this was last asked.
  std::vector<Trade> trades() { return std::exchange(sink_.trades, {}); }

  [[nodiscard]] std::optional<Price> best(Side side) const {
    return side == Side::Buy ? book.best_bid() : book.best_ask();
  }
  [[nodiscard]] DepthLevel level(Side side, int step) const { return book.level(side, at(step)); }
  /// The ids of the orders of one side in priority order.
  [[nodiscard]] std::vector<OrderId> queue(Side side) const {
    std::vector<OrderId> ids;
    book.visit_orders(side, [&ids](const RestingOrder& order) { ids.push_back(order.id); });
    return ids;
  }

  Book book = *Book::create({.base_price = base_price, .capacity = capacity});

 private:
  RecordTrades sink_;
};

using Ids = std::vector<OrderId>;
using Trades = std::vector<Trade>;

inline std::string maker_side_name(const ::testing::TestParamInfo<Side>& info) {
  return info.param == Side::Buy ? "BuyMakers" : "SellMakers";
}

/// Runs the tests of a fixture derived from `SideTest` for makers of either side.
#define LLMES_TEST_BOTH_SIDES(fixture) \
  INSTANTIATE_TEST_SUITE_P(Sides, fixture, ::testing::Values(Side::Buy, Side::Sell), maker_side_name)

}  // namespace llmes::test
