// SPDX-License-Identifier: MIT
//
// How the lots of a taker are shared on one level.
#include <gtest/gtest.h>

#include "tests/rules/ruled_book.hpp"
#include "tests/support/results.hpp"

namespace llmes::test {
namespace {

using ProRata = RuledBookTest<VenueRules<Allocation::ProRata>>;
using ProRataOfTwo = RuledBookTest<VenueRules<Allocation::ProRata, 2>>;
using FirstThenProRata = RuledBookTest<VenueRules<Allocation::FirstThenProRata>>;

TEST_F(ProRata, RoundsDownAndGivesTheRestByTime) {
  sell(1, 10, 10);
  sell(2, 10, 20);
  sell(3, 10, 70);
  EXPECT_EQ(buy(9, 10, 19), done(19));  // shares 1, 3 and 13; 2 are left
  EXPECT_EQ(told.take(), (Lines{"1 trades 1, shows 9 of 9", "2 trades 3, shows 17 of 17",
                                "3 trades 13, shows 57 of 57", "1 trades 2, shows 7 of 7"}));
}

TEST_F(ProRata, AllOfALevelTradesByTime) {
  sell(1, 10, 2);
  sell(2, 10, 3);
  sell(3, 11, 4);
  EXPECT_EQ(buy(9, 11, 6), done(6));
  EXPECT_EQ(told.take(),
            (Lines{"1 trades 2, shows 0 of 0", "2 trades 3, shows 0 of 0", "3 trades 1, shows 3 of 3"}));
}

TEST_F(ProRataOfTwo, SmallSharesGoToNone) {
  sell(1, 10, 10);
  sell(2, 10, 90);
  EXPECT_EQ(buy(9, 10, 15), done(15));  // a share of 1 goes to none
  EXPECT_EQ(told.take(), (Lines{"2 trades 13, shows 77 of 77", "1 trades 2, shows 8 of 8"}));
}

TEST_F(ProRata, RefillsBelongToTheNextRound) {
  sell(1, 10, 6, reserve(2));
  sell(2, 10, 4);
  sell(3, 10, 5, hidden());
  EXPECT_EQ(buy(9, 10, 7), done(7));  // all 6 that are displayed, then 1 of 2
  EXPECT_EQ(told.take(), (Lines{"1 trades 2, shows 0 of 4", "1 refilled 2", "2 trades 4, shows 0 of 0",
                                "1 trades 1, shows 1 of 3"}));
  EXPECT_EQ(buy(9, 10, 6), done(6));
  EXPECT_EQ(told.take(), (Lines{"1 trades 1, shows 0 of 2", "1 refilled 2", "1 trades 2, shows 0 of 0",
                                "3 trades 3, shows 0 of 2"}));
}

TEST_F(ProRata, PreventsBeforeItShares) {
  sell(1, 10, 10);
  sell(2, 10, 5, of(2));
  sell(3, 10, 10);
  EXPECT_EQ(buy(9, 10, 3, of(2, SelfTrade::CancelTaker), fok).status, Status::NotFillable);
  EXPECT_EQ(buy(9, 10, 9, of(2, SelfTrade::CancelTaker)), done(0, 9));
  EXPECT_EQ(told.take(), (Lines{"2 not 5, left 5 and 0"}));
  EXPECT_EQ(buy(9, 10, 9, of(2, SelfTrade::Decrement)), done(4, 5));
  EXPECT_EQ(told.take(), (Lines{"2 not 5, left 0 and 4", "1 trades 2, shows 8 of 8", "3 trades 2, shows 8 of 8"}));
}

TEST_F(ProRata, SharesOfLargeQuantitiesAreExact) {
  constexpr Quantity half = Quantity{1} << 62;
  sell(1, 10, half);
  sell(2, 10, half);
  EXPECT_EQ(buy(9, 10, half), done(half));
  EXPECT_EQ(book.level(Side::Sell, 10), (DepthLevel{10, half, 2}));
}

TEST_F(FirstThenProRata, TheOrderThatOpenedTheLevelComesFirst) {
  sell(1, 10, 5);
  sell(2, 10, 30);
  sell(3, 10, 10);
  EXPECT_EQ(buy(9, 10, 9), done(9));  // 5, then 3 and 1 of 4
  EXPECT_EQ(told.take(),
            (Lines{"1 trades 5, shows 0 of 0", "2 trades 3, shows 27 of 27", "3 trades 1, shows 9 of 9"}));
  EXPECT_EQ(buy(9, 10, 4), done(4));  // nobody is first any more: 3, 1
  EXPECT_EQ(told.take(), (Lines{"2 trades 3, shows 24 of 24", "3 trades 1, shows 8 of 8"}));
}

TEST_F(FirstThenProRata, ARefillGivesUpTheFirstPlace) {
  sell(1, 10, 6, reserve(2));
  sell(2, 10, 4);
  EXPECT_EQ(buy(9, 10, 4), done(4));
  EXPECT_EQ(told.take(), (Lines{"1 trades 2, shows 0 of 4", "1 refilled 2", "2 trades 2, shows 2 of 2"}));
  EXPECT_EQ(buy(9, 10, 2), done(2));
  EXPECT_EQ(told.take(), (Lines{"2 trades 1, shows 1 of 1", "1 trades 1, shows 1 of 3"}));
}

}  // namespace
}  // namespace llmes::test
