// SPDX-License-Identifier: MIT
//
// Orders that show a part of themselves: what is displayed, how they are refilled, and what changes take.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <tuple>

#include "tests/rules/ruled_book.hpp"
#include "tests/support/results.hpp"

namespace llmes::test {
namespace {

class ReserveTest : public RuledBookTest<> {
 protected:
  [[nodiscard]] Quantity shown(OrderHandle order) const { return book.find(order)->quantity; }
  [[nodiscard]] Quantity held(OrderHandle order) const { return book.terms_of(order)->reserve; }
};

TEST_F(ReserveTest, OnlyThePeakIsDisplayed) {
  const Result result = add(1, Side::Sell, 10, 10, reserve(3));
  EXPECT_EQ(result, rests(result.handle, 10));
  EXPECT_EQ(book.find(result.handle)->quantity, 3u);
  EXPECT_EQ(book.level(Side::Sell, 10), (DepthLevel{10, 3, 1}));
  EXPECT_EQ(book.terms_of(result.handle), (RestingTerms{0, Display::Reserve, 3, 7}));
}

TEST_F(ReserveTest, IsRefilledAtTheBackAndMetAgain) {
  const OrderHandle iceberg = sell(1, 10, 10, reserve(3));
  sell(2, 10, 5);
  EXPECT_EQ(buy(9, 10, 12), done(12));
  EXPECT_EQ(told.take(), (Lines{"1 trades 3, shows 0 of 7", "1 refilled 3", "2 trades 5, shows 0 of 0",
                                "1 trades 3, shows 0 of 4", "1 refilled 3", "1 trades 1, shows 2 of 3"}));
  EXPECT_EQ(shown(iceberg), 2u);
  EXPECT_EQ(held(iceberg), 1u);
}

TEST_F(ReserveTest, TheTakersRemainderShowsItsPeak) {
  sell(1, 10, 4);
  const Result result = buy(9, 10, 10, reserve(5));
  EXPECT_EQ(result, rests(result.handle, 6, 4));
  EXPECT_EQ(shown(result.handle), 5u);
}

TEST_F(ReserveTest, FillOrKillCountsTheReserve) {
  sell(1, 10, 10, reserve(3));
  EXPECT_EQ(buy(9, 10, 11, {}, fok).status, Status::NotFillable);
  EXPECT_EQ(buy(9, 10, 10, {}, fok), done(10));
}

TEST_F(ReserveTest, LotsAheadAreThoseThatTradeBefore) {
  const OrderHandle reserved = sell(1, 10, 100, reserve(4));
  const OrderHandle first = sell(2, 10, 10, hidden());
  const OrderHandle second = sell(3, 10, 5, hidden());
  const OrderHandle displayed = sell(4, 10, 7);
  EXPECT_EQ(book.queue_ahead(reserved), (QueuePosition{0, 0}));
  EXPECT_EQ(book.queue_ahead(displayed), (QueuePosition{4, 1})) << "refills come behind it";
  EXPECT_EQ(book.queue_ahead(first), (QueuePosition{107, 2}));
  EXPECT_EQ(book.queue_ahead(second), (QueuePosition{117, 3}));
  EXPECT_EQ(buy(9, 10, 117), done(117));
  EXPECT_EQ(book.queue_ahead(second), (QueuePosition{0, 0}));
}

TEST_F(ReserveTest, WhatIsLeftOfAHiddenOrderIsNotNothing) {
  const OrderHandle order = sell(1, 10, 10, hidden());
  RestingOrder left;
  EXPECT_EQ(book.reduce_order(order, 4, left), Status::Success);
  EXPECT_EQ(left.quantity, 6u);
  EXPECT_TRUE(book.find(order));
  EXPECT_EQ(book.cancel_order(order, left), Status::Success);
  EXPECT_EQ(left.quantity, 6u);
}

TEST_F(ReserveTest, ReduceAndModifyTakeTheReserveFirst) {
  const OrderHandle order = sell(1, 10, 10, reserve(4));
  sell(2, 10, 1);
  RestingOrder left;
  EXPECT_EQ(book.reduce_order(order, 5, left), Status::Success);
  EXPECT_EQ(left.quantity, 5u);
  EXPECT_EQ(shown(order), 4u);
  EXPECT_EQ(book.modify_order(order, 10, 3, told), kept_place(order, 3));
  EXPECT_EQ(shown(order), 3u);
  EXPECT_EQ(held(order), 0u);
  EXPECT_EQ(queue(Side::Sell, 10), (std::vector<OrderId>{1, 2}));
  EXPECT_EQ(book.modify_order(order, 10, 9, told), rests(order, 9))
      << "more than it had: to the back, and its peak";
  EXPECT_EQ(shown(order), 4u);
  EXPECT_EQ(queue(Side::Sell, 10), (std::vector<OrderId>{2, 1}));
  EXPECT_EQ(book.apply(RuledCommand::reduce(order, 10), told), stays(Status::InvalidQuantity, order, 9));
  EXPECT_EQ(book.reduce_order(order, 9, left), Status::Success);
  EXPECT_EQ(left.quantity, 0u);
  EXPECT_EQ(book.size(), 1u);
}

TEST_F(ReserveTest, ACancelCountsAllLots) {
  const OrderHandle order = sell(1, 10, 10, reserve(4));
  EXPECT_EQ(book.apply(RuledCommand::cancel(order), told), done(0, 10));
}

TEST_F(ReserveTest, APeakOfNothingOrAboveTheQuantityIsRejected) {
  EXPECT_EQ(buy(1, 10, 5, reserve(0)).status, Status::InvalidQuantity);
  EXPECT_EQ(buy(1, 10, 5, reserve(6)).status, Status::InvalidQuantity);
  EXPECT_EQ(buy(1, 10, 5, reserve(5)).status, Status::Success);
  EXPECT_EQ(buy(1, 10, 5, reserve(2), ioc).status, Status::InvalidCommand);
  EXPECT_EQ(book.add_market_order(1, Side::Buy, 5, reserve(2), told).status, Status::InvalidCommand);
}

TEST_F(ReserveTest, SumsThatOverflowAreRejected) {
  constexpr Quantity most = std::numeric_limits<Quantity>::max();
  constexpr Quantity peak = most / 1'000;
  sell(1, 10, most - 10, reserve(peak));
  EXPECT_EQ(add(2, Side::Sell, 10, 11).status, Status::QuantityOverflow);
  EXPECT_EQ(add(2, Side::Buy, 5, peak + 11).status, Status::QuantityOverflow) << "all reserves of the book count";
  EXPECT_EQ(add(2, Side::Buy, 5, peak + 10).status, Status::Success);
  EXPECT_EQ(add(3, Side::Sell, 10, 10).status, Status::Success);
}

TEST_F(ReserveTest, KeepsItsTermsWhenTheBandMoves) {
  const OrderHandle order = sell(1, 10, 10, reserve(3));
  sell(2, 10, 4, hidden());
  ASSERT_EQ(book.recenter(-5), Status::Success);
  EXPECT_EQ(book.level(Side::Sell, 10), (DepthLevel{10, 3, 1}));
  sell(3, 10, 1);
  EXPECT_EQ(queue(Side::Sell, 10), (std::vector<OrderId>{1, 3, 2}));
  EXPECT_EQ(buy(9, 10, 15, {}, fok), done(15));
  EXPECT_FALSE(book.find(order));
}

// ---- Hidden orders.

TEST_F(ReserveTest, HiddenOrdersAreNotShown) {
  const OrderHandle order = sell(1, 10, 6, hidden());
  sell(2, 12, 1);
  EXPECT_EQ(book.best_ask(), 12);
  EXPECT_EQ(book.level(Side::Sell, 10), (DepthLevel{10, 0, 0}));
  std::array<DepthLevel, 4> levels;
  EXPECT_EQ(book.depth(Side::Sell, levels), 1u);
  EXPECT_EQ(book.size(), 2u);
  EXPECT_EQ(shown(order), 0u);
  EXPECT_EQ(held(order), 6u);
  sell(3, 14, 6, hidden());
  EXPECT_EQ(book.worst(Side::Sell), 12);
  book.clear();
  EXPECT_FALSE(book.best_ask());
}

TEST_F(ReserveTest, HiddenOrdersTradeBehindDisplayedOnes) {
  sell(1, 10, 6, hidden());
  sell(2, 10, 3, hidden());
  sell(3, 10, 2);
  sell(4, 10, 4, reserve(2));
  EXPECT_EQ(queue(Side::Sell, 10), (std::vector<OrderId>{3, 4, 1, 2}));
  EXPECT_EQ(buy(9, 10, 13), done(13));
  EXPECT_EQ(told.take(),
            (Lines{"3 trades 2, shows 0 of 0", "4 trades 2, shows 0 of 2", "4 refilled 2",
                   "4 trades 2, shows 0 of 0", "1 trades 6, shows 0 of 0", "2 trades 1, shows 0 of 2"}));
}

TEST_F(ReserveTest, PostOnlyMeetsHiddenOrders) {
  sell(1, 10, 6, hidden());
  EXPECT_EQ(buy(9, 10, 1, {}, TimeInForce::PostOnly).status, Status::WouldCross);
}

// ---- A minimum quantity.

TEST_F(ReserveTest, AMinimumThatCannotTradeIsRejected) {
  sell(1, 10, 10, reserve(3));
  const OrderTerms demands{.minimum = 11};
  EXPECT_EQ(buy(9, 10, 20, demands, ioc).status, Status::NotFillable);
  EXPECT_EQ(buy(9, 9, 20, {.minimum = 1}, ioc).status, Status::NotFillable);
  EXPECT_TRUE(told.take().empty());
  EXPECT_EQ(buy(9, 10, 20, {.minimum = 10}, ioc), done(10, 10));
  EXPECT_EQ(buy(9, 10, 20, {.minimum = 21}, ioc).status, Status::InvalidQuantity);
  EXPECT_EQ(buy(9, 10, 20, {.minimum = 1}).status, Status::InvalidCommand) << "good till cancelled has none";
  EXPECT_EQ(buy(9, 10, 20, {.minimum = 1}, fok).status, Status::InvalidCommand);
  EXPECT_EQ(book.add_market_order(9, Side::Buy, 2, OrderTerms{.minimum = 1}, told).status, Status::InvalidCommand);
}

TEST_F(ReserveTest, AMinimumCountsForeignLotsAlone) {
  sell(1, 10, 4, of(1));
  sell(2, 10, 4, of(2));
  OrderTerms terms{.owner = 2, .self_trade = SelfTrade::CancelMaker, .minimum = 5};
  EXPECT_EQ(buy(9, 10, 8, terms, ioc).status, Status::NotFillable);
  terms.minimum = 4;
  EXPECT_EQ(buy(9, 10, 8, terms, ioc), done(4, 4));
}

}  // namespace
}  // namespace llmes::test
