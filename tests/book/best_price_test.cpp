// SPDX-License-Identifier: MIT
//
// Best prices are right after every call, also without a match that would bring them up to date. An empty side has
// none.
#include "tests/support/extremes.hpp"
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class BestPrice : public SideTest {
 protected:
  void expect_gone(int step) {
    EXPECT_EQ(level(makers(), step), DepthLevel{at(step)});
    for (const DepthLevel& left : depth_of(book, makers())) EXPECT_NE(left.price, at(step));
  }
};
LLMES_TEST_BOTH_SIDES(BestPrice);

TEST_P(BestPrice, IsNoneInAnEmptyBook) {
  EXPECT_EQ(book.best_bid(), std::nullopt);
  EXPECT_EQ(book.best_ask(), std::nullopt);
}

TEST_P(BestPrice, IsNoneOnTheEmptySideOfAOneSidedBook) {
  rest(1, 0, 1);
  EXPECT_EQ(best(makers()), at(0));
  EXPECT_EQ(best(takers()), std::nullopt);
}

TEST_P(BestPrice, IsNoneOfWhatIsNoSide) {
  rest(1, 0, 1);
  rest_on(takers(), 2, -1, 1);
  for (const Side side : {no_side, static_cast<Side>(255)}) EXPECT_EQ(book.best(side), std::nullopt);
}

TEST_P(BestPrice, FollowsBetterOrdersAndIgnoresWorseOnes) {
  rest(1, 5, 1);
  rest(2, 9, 1);
  EXPECT_EQ(best(makers()), at(5));
  rest(3, 4, 1);
  EXPECT_EQ(best(makers()), at(4));
}

TEST_P(BestPrice, MovesWhenTheLastOrderOfTheBestLevelIsCancelled) {
  const OrderHandle first = rest(1, 0, 1);
  const OrderHandle second = rest(2, 0, 1);
  rest(3, 7, 1);
  EXPECT_EQ(book.cancel_order(first), Status::Success);
  EXPECT_EQ(best(makers()), at(0));
  EXPECT_EQ(book.cancel_order(second), Status::Success);
  EXPECT_EQ(best(makers()), at(7));
  expect_gone(0);
}

TEST_P(BestPrice, MovesWhenTheBestOrderIsReducedToNothing) {
  const OrderHandle best_order = rest(1, 0, 4);
  rest(2, 1, 1);
  EXPECT_EQ(book.reduce_order(best_order, 3), Status::Success);
  EXPECT_EQ(best(makers()), at(0));
  EXPECT_EQ(book.reduce_order(best_order, 1), Status::Success);
  EXPECT_EQ(best(makers()), at(1));
  expect_gone(0);
}

TEST_P(BestPrice, MovesWhenTheBestOrderIsModifiedAway) {
  const OrderHandle best_order = rest(1, 0, 4);
  rest(2, 3, 1);
  modify(best_order, 6, 4);
  EXPECT_EQ(best(makers()), at(3));
  expect_gone(0);
  modify(best_order, -2, 4);
  EXPECT_EQ(best(makers()), at(-2));
  expect_gone(6);
}

TEST_P(BestPrice, MovesWhenTheBestLevelIsTraded) {
  rest(1, 0, 4);
  rest(2, 3, 1);
  take(3, 0, 4);
  EXPECT_EQ(best(makers()), at(3));
  expect_gone(0);
  market(4, 1);
  EXPECT_EQ(best(makers()), std::nullopt);
  expect_gone(3);
}

TEST_P(BestPrice, IsNoneAgainWhenTheOnlyOrderLeaves) {
  EXPECT_EQ(book.cancel_order(rest(1, 0, 4)), Status::Success);
  EXPECT_EQ(best(makers()), std::nullopt);
  rest(2, 2, 1);
  EXPECT_EQ(best(makers()), at(2));
}

}  // namespace
}  // namespace llmes::test
