// SPDX-License-Identifier: MIT
#include "llmes/types.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "llmes/llmes.hpp"
#include "tests/print.hpp"

namespace llmes::test {
namespace {

static_assert(opposite(Side::Buy) == Side::Sell && opposite(Side::Sell) == Side::Buy);
static_assert(std::is_trivially_copyable_v<Command> && std::is_trivially_copyable_v<Trade>);
static_assert(!std::is_copy_constructible_v<OrderBook<>> && !std::is_copy_assignable_v<OrderBook<>>);
static_assert(std::is_nothrow_move_constructible_v<OrderBook<>> && std::is_nothrow_move_assignable_v<OrderBook<>>);

TEST(Status, EachIsCalledAsInTheSource) {
  constexpr std::array<std::string_view, 9> names{"Success",        "InvalidCommand",   "InvalidQuantity",
                                                  "PriceOutOfBand", "WouldCross",       "NotFillable",
                                                  "PoolFull",       "QuantityOverflow", "UnknownOrder"};
  for (std::size_t status = 0; status < names.size(); ++status) {
    EXPECT_EQ(to_string(static_cast<Status>(status)), names[status]);
  }
  EXPECT_EQ(static_cast<std::size_t>(Status::UnknownOrder) + 1, names.size());
  EXPECT_EQ(to_string(static_cast<Status>(200)), "?");
}

TEST(OrderHandle, GoesThroughANumberAndBack) {
  for (const OrderHandle handle : {OrderHandle{}, OrderHandle{1, 2}, OrderHandle{0xffffffffu, 7},
                                   OrderHandle{3, 0xffffffffu}, OrderHandle{0x80000000u, 0x80000000u}}) {
    EXPECT_EQ(OrderHandle::from_value(handle.value()), handle);
  }
  EXPECT_EQ(OrderHandle{}.value(), 0u);
  EXPECT_NE((OrderHandle{1, 2}), (OrderHandle{2, 1}));
}

TEST(Command, FactoriesFillInWhatTheCallTakes) {
  const Command limit = Command::add_limit(7, Side::Sell, -3, 5, TimeInForce::PostOnly);
  EXPECT_EQ(limit.type, CommandType::AddLimit);
  EXPECT_EQ(limit.id, 7u);
  EXPECT_EQ(limit.side, Side::Sell);
  EXPECT_EQ(limit.price, -3);
  EXPECT_EQ(limit.quantity, 5u);
  EXPECT_EQ(limit.time_in_force, TimeInForce::PostOnly);

  const Command market = Command::add_market(7, Side::Sell, 5);
  EXPECT_EQ(market.type, CommandType::AddMarket);
  EXPECT_EQ(market.id, 7u);
  EXPECT_EQ(market.side, Side::Sell);
  EXPECT_EQ(market.quantity, 5u);

  const OrderHandle handle{4, 9};
  EXPECT_EQ(Command::cancel(handle).type, CommandType::Cancel);
  EXPECT_EQ(Command::cancel(handle).handle, handle);

  const Command modify = Command::modify(handle, -3, 5);
  EXPECT_EQ(modify.type, CommandType::Modify);
  EXPECT_EQ(modify.handle, handle);
  EXPECT_EQ(modify.price, -3);
  EXPECT_EQ(modify.quantity, 5u);

  const Command reduce = Command::reduce(handle, 5);
  EXPECT_EQ(reduce.type, CommandType::Reduce);
  EXPECT_EQ(reduce.handle, handle);
  EXPECT_EQ(reduce.quantity, 5u);
}

}  // namespace
}  // namespace llmes::test
