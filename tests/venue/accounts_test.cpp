// SPDX-License-Identifier: MIT
//
// What accounts own after trades: positions, their cost, results, cash and fees, exact to the last lot.
#include "llmes/venue/accounts.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "llmes/ids.hpp"
#include "llmes/venue.hpp"
#include "tests/support/print.hpp"

namespace llmes::test {
namespace {

using enum RiskStatus;
using enum TimeInForce;

class AccountsOwn : public ::testing::Test {
 protected:
  /// Account 1 buys or sells so many lots, from or to account 2, which is the maker.
  void trade(Side side, Price price, Quantity lots) {
    const auto add = [&](AccountNumber account, Side of, TimeInForce tif) {
      return stage.apply(book, account, Request::add_limit(++id, of, price, lots, tif), 0, DiscardTrades{});
    };
    ASSERT_EQ(add(2, opposite(side), GoodTillCancel).risk, Success);
    const CheckedResult taken = add(1, side, ImmediateOrCancel);
    ASSERT_EQ(taken.risk, Success);
    ASSERT_EQ(taken.result.filled, lots);
  }
  Holding holding(AccountNumber account = 1) { return stage.accounts().holding(account, 0); }
  void expect(std::int64_t position, Price average, const char* cost, const char* realised) {
    EXPECT_EQ(holding().position, position);
    EXPECT_EQ(holding().average(), average);
    EXPECT_EQ(to_text(holding().cost), cost);
    EXPECT_EQ(to_text(holding().realised), realised);
    EXPECT_EQ(holding(2).position, -position);
    EXPECT_EQ(to_text(stage.accounts().cash(1) + stage.accounts().cash(2) + stage.accounts().venue_cash()), "0");
  }

  using Book = IdBook<AnyPriceBook<>, HashedIds>;
  RiskStage stage =
      *RiskStage::create({.accounts = 2, .orders = 4, .holdings = 2, .fees = {.maker = -3, .taker = 10}});
  Book book = *Book::create({.capacity = 4}, {});
  OrderId id = 0;
};

TEST_F(AccountsOwn, NothingAtFirst) {
  expect(0, 0, "0", "0");
  EXPECT_EQ(holding().account, 1u);
  EXPECT_EQ(to_text(stage.accounts().cash(9)), "0");
  EXPECT_EQ(stage.accounts().holding(0, 0).position, 0);
  EXPECT_EQ(stage.accounts().holding(9, 9).position, 0);
  EXPECT_EQ(stage.accounts().size(), 2u);
}

TEST_F(AccountsOwn, WhatTheyBuyAtItsCost) {
  trade(Side::Buy, 100, 2);
  expect(2, 100, "200", "0");
  trade(Side::Buy, 103, 1);
  expect(3, 101, "303", "0");
  EXPECT_EQ(to_text(holding().unrealised(105)), "12");
  EXPECT_EQ(to_text(stage.accounts().cash(1)), "-303000030");
  EXPECT_EQ(to_text(stage.accounts().fees(1)), "30");
  EXPECT_EQ(to_text(stage.accounts().fees(2)), "-9") << "a rebate";
  EXPECT_EQ(to_text(stage.accounts().venue_cash()), "21");
}

TEST_F(AccountsOwn, TheResultOfWhatTheyClose) {
  trade(Side::Buy, 100, 2);
  trade(Side::Buy, 103, 1);
  trade(Side::Sell, 110, 1);
  expect(2, 101, "202", "9");
  trade(Side::Sell, 100, 2);
  expect(0, 0, "0", "7");
}

TEST_F(AccountsOwn, WhatDoesNotDivideStaysInTheCost) {
  trade(Side::Buy, 10, 2);
  trade(Side::Buy, 11, 1);  // 31 for 3
  trade(Side::Sell, 20, 1);
  expect(2, 10, "21", "10");
  trade(Side::Sell, 20, 1);
  expect(1, 11, "11", "20");
  trade(Side::Sell, 20, 1);
  expect(0, 0, "0", "29");
}

TEST_F(AccountsOwn, AShortPositionAsMuch) {
  trade(Side::Sell, 100, 3);
  expect(-3, 100, "-300", "0");
  EXPECT_EQ(to_text(holding().unrealised(90)), "30");
  trade(Side::Buy, 90, 1);
  expect(-2, 100, "-200", "10");
  trade(Side::Buy, 95, 5);  // closes 2 and opens 3
  expect(3, 95, "285", "20");
  trade(Side::Sell, 96, 4);
  expect(-1, 96, "-96", "23");
}

TEST_F(AccountsOwn, PricesBelowZero) {
  trade(Side::Buy, -5, 2);
  expect(2, -5, "-10", "0");
  EXPECT_EQ(to_text(stage.accounts().cash(1)), "9999980");
  trade(Side::Sell, -7, 1);
  expect(1, -5, "-5", "-2");
}

TEST_F(AccountsOwn, TheLargestNumbersExactly) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  trade(Side::Buy, 1, largest);
  expect(largest, 1, "9223372036854775807", "0");
  trade(Side::Sell, 1, largest - 1);
  expect(1, 1, "1", "0");
  trade(Side::Sell, -1, 1);
  expect(0, 0, "0", "-2");
  trade(Side::Sell, largest - 1, 1);
  expect(-1, largest - 1, "-9223372036854775806", "-2");
  trade(Side::Buy, -largest, 1);
  expect(0, 0, "0", "18446744073709551611");
  trade(Side::Buy, 3, largest / 3);
  trade(Side::Buy, 2, largest / 3);
  trade(Side::Sell, 3, largest / 3);
  expect(largest / 3, 2, "7686143364045646505", "19983972746518680912");
}

TEST_F(AccountsOwn, WhatTheySellToThemselvesTwice) {
  const auto add = [&](Side side) {
    return stage.apply(book, 1, Request::add_limit(++id, side, 50, 4, GoodTillCancel), 0, DiscardTrades{});
  };
  ASSERT_TRUE(add(Side::Sell).result.rests());
  ASSERT_EQ(add(Side::Buy).result.filled, 4u);
  EXPECT_EQ(holding().position, 0);
  EXPECT_EQ(to_text(stage.accounts().cash(1)), "-28") << "the fees of both sides";
  EXPECT_EQ(to_text(stage.accounts().reserved(1)), "0");
}

TEST(Amounts, AreWrittenInDigits) {
  EXPECT_EQ(to_text(0), "0");
  EXPECT_EQ(to_text(-10), "-10");
  constexpr Amount smallest = Amount{std::numeric_limits<std::int64_t>::min()} << 64;
  EXPECT_EQ(to_text(smallest), "-170141183460469231731687303715884105728");
  EXPECT_EQ(to_text(-(smallest + 1)), "170141183460469231731687303715884105727");
}

}  // namespace
}  // namespace llmes::test
