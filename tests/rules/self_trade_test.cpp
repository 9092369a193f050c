// SPDX-License-Identifier: MIT
//
// What happens when a taker reaches a maker of its own owner.
#include <gtest/gtest.h>

#include <tuple>

#include "llmes/ids.hpp"
#include "tests/rules/ruled_book.hpp"
#include "tests/support/results.hpp"

namespace llmes::test {
namespace {

using enum SelfTrade;

/// Sells at one price: 3 of owner 1, 5 of owner 2, 4 of nobody; and 6 of owner 2 at the next.
class SelfTradeTest : public RuledBookTest<> {
 protected:
  void SetUp() override {
    sell(1, 10, 3, of(1));
    own = sell(2, 10, 5, of(2));
    sell(3, 10, 4);
    sell(4, 11, 6, of(2));
  }
  OrderHandle own;
};

TEST_F(SelfTradeTest, AllowTrades) {
  EXPECT_EQ(buy(9, 10, 6, of(2)), done(6));
  EXPECT_EQ(told.take(), (Lines{"1 trades 3, shows 0 of 0", "2 trades 3, shows 2 of 2"}));
}

TEST_F(SelfTradeTest, NobodyNeverMeetsHisOwn) {
  EXPECT_EQ(buy(9, 10, 12, of(0, CancelBoth)), done(12));
}

TEST_F(SelfTradeTest, CancelTakerKeepsTheMakerAndEarlierFills) {
  EXPECT_EQ(buy(9, 10, 10, of(2, CancelTaker)), done(3, 7));
  EXPECT_EQ(told.take(), (Lines{"1 trades 3, shows 0 of 0", "2 not 5, left 5 and 0"}));
  EXPECT_EQ(queue(Side::Sell, 10), (std::vector<OrderId>{2, 3}));
  EXPECT_FALSE(book.best_bid());
}

TEST_F(SelfTradeTest, CancelMakerGoesOn) {
  const Result result = buy(9, 10, 10, of(2, CancelMaker));
  EXPECT_EQ(result, rests(result.handle, 3, 7));
  EXPECT_EQ(told.take(), (Lines{"1 trades 3, shows 0 of 0", "2 not 5, left 0 and 7", "3 trades 4, shows 0 of 0"}));
  EXPECT_FALSE(book.find(own));
  EXPECT_EQ(book.terms_of(result.handle)->owner, 2u);
}

TEST_F(SelfTradeTest, CancelBothEndsTheSweep) {
  EXPECT_EQ(buy(9, 10, 10, of(2, CancelBoth)), done(3, 7));
  EXPECT_EQ(told.take(), (Lines{"1 trades 3, shows 0 of 0", "2 not 5, left 0 and 0"}));
  EXPECT_EQ(queue(Side::Sell, 10), (std::vector<OrderId>{3}));
}

TEST_F(SelfTradeTest, DecrementTakesTheSmallerOffBoth) {
  EXPECT_EQ(buy(9, 10, 7, of(2, Decrement)), done(3, 4));
  EXPECT_EQ(told.take(), (Lines{"1 trades 3, shows 0 of 0", "2 not 4, left 1 and 0"}));
  EXPECT_EQ(queue(Side::Sell, 10), (std::vector<OrderId>{2, 3})) << "it keeps its place";

  EXPECT_EQ(buy(9, 10, 3, of(2, Decrement)), done(2, 1));
  EXPECT_EQ(told.take(), (Lines{"2 not 1, left 0 and 2", "3 trades 2, shows 2 of 2"}));
}

TEST_F(SelfTradeTest, AModifyMayLoseItsOrder) {
  const OrderHandle bid = buy(9, 5, 2, of(2)).handle;
  EXPECT_EQ(book.modify_order(bid, 10, 9, gtc, of(0, CancelTaker), told), done(3, 6)) << "it keeps its owner";
  EXPECT_FALSE(book.find(bid));
  EXPECT_EQ(told.take(), (Lines{"1 trades 3, shows 0 of 0", "2 not 5, left 5 and 0"}));
}

TEST_F(SelfTradeTest, AReplaceKeepsItsOwner) {
  const OrderHandle bid = buy(9, 5, 2, of(2)).handle;
  const Result replaced = book.replace_order(bid, 10, 6, 3, gtc, of(7), told);
  EXPECT_EQ(book.terms_of(replaced.handle)->owner, 2u);
}

TEST_F(SelfTradeTest, FillOrKillCountsWhatWouldTrade) {
  EXPECT_EQ(buy(9, 11, 8, of(2, CancelMaker), fok).status, Status::NotFillable);
  EXPECT_EQ(buy(9, 11, 4, of(2, CancelTaker), fok).status, Status::NotFillable);
  EXPECT_EQ(buy(9, 11, 4, of(2, Decrement), fok).status, Status::NotFillable);
  EXPECT_TRUE(told.take().empty());
  EXPECT_EQ(buy(9, 11, 3, of(2, Decrement), fok), done(3));
  EXPECT_EQ(buy(9, 11, 4, of(2, CancelMaker), fok), done(4));
  EXPECT_EQ(book.size(), 1u) << "the order at 11 was not reached";
}

/// Nothing is better than the owner's own order but what came before it at its price.
TEST_F(SelfTradeTest, FillOrKillAtTheEndOfTheBand) {
  book.clear();
  sell(1, 0, 3);
  sell(2, 0, 5, of(2));
  EXPECT_EQ(buy(9, 0, 4, of(2, CancelTaker), fok).status, Status::NotFillable);
  EXPECT_EQ(buy(9, 0, 3, of(2, CancelTaker), fok), done(3));
}

/// What trades behind an own order counts for the minimum, which the own order does not.
TEST_F(SelfTradeTest, AMinimumCountsWhatTradesAfterADecrement) {
  OrderTerms terms = of(2, Decrement);
  terms.minimum = 8;
  EXPECT_EQ(buy(9, 10, 12, terms, ioc).status, Status::NotFillable) << "3 before the own 5, and 4 behind it";
  EXPECT_TRUE(told.take().empty());
  terms.minimum = 7;
  EXPECT_EQ(buy(9, 10, 12, terms, ioc), done(7, 5));
  EXPECT_EQ(told.take(), (Lines{"1 trades 3, shows 0 of 0", "2 not 5, left 0 and 4", "3 trades 4, shows 0 of 0"}));
}

/// Own orders take lots of the taker in their turn: a reserve of others comes after it, a hidden order last.
TEST_F(SelfTradeTest, AMinimumFollowsTheQueueThroughRefills) {
  book.clear();
  sell(1, 10, 6, reserve(2));
  sell(2, 10, 3, of(2));
  sell(3, 10, 4, hidden(2));
  sell(4, 10, 5, hidden());
  OrderTerms terms = of(2, Decrement);
  terms.minimum = 7;
  EXPECT_EQ(buy(9, 10, 10, terms, ioc).status, Status::NotFillable)
      << "2, the own 3, 4 of the reserve, own hidden";
  terms.minimum = 6;
  EXPECT_EQ(buy(9, 10, 10, terms, ioc), done(6, 4));
}

TEST_F(SelfTradeTest, PostOnlyLooksAtPricesAlone) {
  book.clear();
  sell(2, 10, 5, of(2));
  EXPECT_EQ(buy(9, 10, 1, of(2, CancelMaker), TimeInForce::PostOnly).status, Status::WouldCross);
}

TEST_F(SelfTradeTest, AnUnknownModeIsRejectedFirst) {
  OrderTerms terms = of(2, static_cast<SelfTrade>(5));
  EXPECT_EQ(buy(9, 99, 0, terms).status, Status::InvalidCommand);
  terms = {.display = static_cast<Display>(3)};
  EXPECT_EQ(buy(9, 5, 1, terms).status, Status::InvalidCommand);
  const OrderHandle bid = buy(9, 5, 2).handle;
  EXPECT_EQ(book.modify_order(bid, 5, 1, gtc, of(2, static_cast<SelfTrade>(9)), told),
            stays(Status::InvalidCommand, bid, 2));
}

TEST(SelfTradeById, TheIndexForgetsWhatIsPrevented) {
  auto book = *IdBook<RuledOrderBook<64>, HashedIds>::create({.base_price = 0, .capacity = 4}, {});
  Told told;
  const auto gtc = TimeInForce::GoodTillCancel;
  for (const OrderId id : {1u, 2u, 3u, 4u}) {
    std::ignore = book.add_limit_order(id, Side::Sell, 10, 1, gtc, OrderTerms{.owner = 5}, told);
  }
  EXPECT_EQ(book.add_market_order(9, Side::Buy, 2, OrderTerms{.owner = 5, .self_trade = Decrement}, told),
            done(0, 2));
  EXPECT_EQ(told.take(), (Lines{"1 not 1, left 0 and 1", "2 not 1, left 0 and 0"}));
  EXPECT_FALSE(book.find(1));
  EXPECT_EQ(book.add_limit_order(1, Side::Buy, 5, 1, gtc, told).status, Status::Success);
  EXPECT_EQ(book.add_limit_order(2, Side::Buy, 5, 1, gtc, told).status, Status::Success)
      << "there is room for its id";
}

}  // namespace
}  // namespace llmes::test
