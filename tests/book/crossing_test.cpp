// SPDX-License-Identifier: MIT
//
// Touching prices cross, one tick away does not, and a sweep goes as far as its limit and no further.
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class Crossing : public SideTest {};
LLMES_TEST_BOTH_SIDES(Crossing);

TEST_P(Crossing, TouchingPricesTrade) {
  rest(1, 5, 2);
  EXPECT_EQ(take(2, 5, 2).filled, 2u);
  EXPECT_EQ(book.size(), 0u);
}

TEST_P(Crossing, OneTickAwayRests) {
  rest(1, 5, 2);
  const Result result = take(2, 4, 2);
  EXPECT_EQ(result.filled, 0u);
  EXPECT_EQ(trades(), Trades{});
  EXPECT_EQ(best(makers()), at(5));
  EXPECT_EQ(best(takers()), at(4));
}

TEST_P(Crossing, ASweepStopsAtItsLimitAndTheRemainderIsTheNewBest) {
  rest(1, 0, 1);
  rest(2, 1, 2);
  rest(3, 2, 3);
  rest(4, 4, 4);
  rest_on(takers(), 5, -8, 1);
  const Result result = take(6, 3, 10);
  EXPECT_EQ(result.filled, 6u);
  EXPECT_EQ(best(takers()), at(3));
  EXPECT_EQ(level(takers(), 3), (DepthLevel{at(3), 4, 1}));
  EXPECT_EQ(best(makers()), at(4));
  EXPECT_EQ(book.find(result.handle), (RestingOrder{result.handle, 6, takers(), at(3), 4}));
}

TEST_P(Crossing, AnExactSumOverThreeLevelsLeavesNothing) {
  rest(1, 0, 1);
  rest(2, 1, 2);
  rest(3, 2, 3);
  const Result result = take(4, 2, 6);
  EXPECT_EQ(result, done(6));
  EXPECT_EQ(trades().size(), 3u);
  EXPECT_EQ(book.size(), 0u);
  EXPECT_EQ(best(makers()), std::nullopt);
  EXPECT_EQ(best(takers()), std::nullopt);
}

TEST_P(Crossing, ATradeReportsWhatIsLeftOfTheMaker) {
  const OrderHandle maker = rest(1, 0, 5);
  take(2, 0, 2);
  take(3, 0, 3);
  EXPECT_EQ(trades(), (Trades{{2, 1, maker, at(0), 2, 3, 0, takers()}, {3, 1, maker, at(0), 3, 0, 0, takers()}}));
  EXPECT_EQ(book.find(maker), std::nullopt);
}

}  // namespace
}  // namespace llmes::test
