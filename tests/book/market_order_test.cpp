// SPDX-License-Identifier: MIT
//
// A market order trades at any price; what finds no maker is dropped.

#include "tests/support/extremes.hpp"
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class MarketOrder : public SideTest {};
LLMES_TEST_BOTH_SIDES(MarketOrder);

TEST_P(MarketOrder, SweepsEveryLevelAndDropsTheRemainder) {
  rest(1, -50, 1);
  rest(2, 0, 2);
  rest(3, 77, 3);
  EXPECT_EQ(market(4, 10), done(6, 4));
  EXPECT_EQ(trades().back().price, at(77)) << "the last price of the band";
  EXPECT_EQ(book.size(), 0u);
}

TEST_P(MarketOrder, OnAnEmptySideIsASuccessThatFillsNothing) {
  rest_on(takers(), 1, 0, 5);
  EXPECT_EQ(market(2, 10), done(0, 10));
  EXPECT_EQ(queue(takers()), (Ids{1}));
}

TEST_P(MarketOrder, StopsInTheMiddleOfALevel) {
  rest(1, 0, 2);
  rest(2, 0, 2);
  rest(3, 0, 2);
  EXPECT_EQ(market(4, 3).filled, 3u);
  EXPECT_EQ(queue(makers()), (Ids{2, 3}));
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 3, 2}));
}

TEST_P(MarketOrder, OfTheLargestQuantityTakesAllThereIs) {
  rest(1, 0, 2);
  rest(2, 1, 2);
  EXPECT_EQ(market(3, most).filled, 4u);
}

}  // namespace
}  // namespace llmes::test
