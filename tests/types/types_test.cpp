// SPDX-License-Identifier: MIT
#include "llmes/types/types.hpp"
#include "llmes/types/command.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <type_traits>

#include "llmes/book.hpp"
#include "tests/support/print.hpp"

namespace llmes::test {
namespace {

static_assert(TradeSink<const DiscardTrades>);
static_assert(TradeSink<void (&)(const Trade&)>);
static_assert(!TradeSink<int>);

static_assert(opposite(Side::Buy) == Side::Sell && opposite(Side::Sell) == Side::Buy);
static_assert(std::is_trivially_copyable_v<Command> && std::is_trivially_copyable_v<Trade>);
static_assert(!std::is_copy_constructible_v<OrderBook<>> && !std::is_copy_assignable_v<OrderBook<>>);
static_assert(std::is_nothrow_move_constructible_v<OrderBook<>> && std::is_nothrow_move_assignable_v<OrderBook<>>);

TEST(OrderHandle, GoesThroughANumberAndBack) {
  for (const OrderHandle handle : {OrderHandle{}, OrderHandle{1, 2}, OrderHandle{0xffffffffu, 7},
                                   OrderHandle{3, 0xffffffffu}, OrderHandle{0x80000000u, 0x80000000u}}) {
    EXPECT_EQ(OrderHandle::from_value(handle.value()), handle);
  }
  EXPECT_EQ(OrderHandle{}.value(), 0u);
  EXPECT_NE((OrderHandle{1, 2}), (OrderHandle{2, 1}));
}

auto fields(const Command& c) {
  return std::tuple(c.type, c.id, c.handle, c.side, c.price, c.quantity, c.time_in_force);
}

TEST(Command, FactoriesFillInWhatTheCallTakesAndNothingElse) {
  using enum CommandType;
  constexpr auto good_till_cancel = TimeInForce::GoodTillCancel;
  constexpr OrderHandle none{};
  constexpr OrderHandle handle{4, 9};
  EXPECT_EQ(fields(Command{}), std::tuple(AddLimit, 0u, none, Side::Buy, 0, 0u, good_till_cancel));
  EXPECT_EQ(fields(Command::add_limit(7, Side::Sell, -3, 5, TimeInForce::PostOnly)),
            std::tuple(AddLimit, 7u, none, Side::Sell, -3, 5u, TimeInForce::PostOnly));
  EXPECT_EQ(fields(Command::add_market(7, Side::Sell, 5)),
            std::tuple(AddMarket, 7u, none, Side::Sell, 0, 5u, good_till_cancel));
  EXPECT_EQ(fields(Command::cancel(handle)), std::tuple(Cancel, 0u, handle, Side::Buy, 0, 0u, good_till_cancel));
  EXPECT_EQ(fields(Command::modify(handle, -3, 5)),
            std::tuple(Modify, 0u, handle, Side::Buy, -3, 5u, good_till_cancel));
  EXPECT_EQ(fields(Command::reduce(handle, 5)),
            std::tuple(Reduce, 0u, handle, Side::Buy, 0, 5u, good_till_cancel));
}

TEST(WhatABookAnswersWith, IsZeroAtFirst) {
  EXPECT_EQ(Result{}, (Result{Status::Success, {0, 0}, 0, 0, 0, false}));
  EXPECT_EQ(Trade{}, (Trade{0, 0, {0, 0}, 0, 0, 0, 0, Side::Buy}));
  EXPECT_EQ(RestingOrder{}, (RestingOrder{{0, 0}, 0, Side::Buy, 0, 0}));
  EXPECT_EQ(DepthLevel{}, (DepthLevel{0, 0, 0}));
}

}  // namespace
}  // namespace llmes::test
