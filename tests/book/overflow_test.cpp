// SPDX-License-Identifier: MIT
//
// The total of a level never wraps: an order that would make it wrap is rejected, and no smaller one.
#include "tests/support/extremes.hpp"
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

constexpr Quantity half = Quantity{1} << 63;

class Overflow : public SideTest {};
LLMES_TEST_BOTH_SIDES(Overflow);

TEST_P(Overflow, ALevelHoldsTheLargestQuantityAndNotALotMore) {
  rest(1, 0, most - 1);
  EXPECT_EQ(add(makers(), 2, 0, 2), Result{Status::QuantityOverflow});
  rest(3, 0, 1);
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), most, 2}));
  EXPECT_EQ(add(makers(), 4, 0, 1), Result{Status::QuantityOverflow});
}

TEST_P(Overflow, TwoHalvesAreOneTooMany) {
  rest(1, 0, half);
  EXPECT_EQ(add(makers(), 2, 0, half), Result{Status::QuantityOverflow});
  EXPECT_EQ(add(makers(), 3, 0, half - 1).status, Status::Success);
}

TEST_P(Overflow, LevelsDoNotCountTogether) {
  rest(1, 0, most);
  rest(2, 1, most);
  rest_on(takers(), 3, -1, most);
  EXPECT_EQ(depth_of(book, makers()), (std::vector<DepthLevel>{{at(0), most, 1}, {at(1), most, 1}}));
}

TEST_P(Overflow, RoomComesBackWithFillsCancelsAndReductions) {
  const OrderHandle first = rest(1, 0, most - 10);
  const OrderHandle second = rest(2, 0, 10);
  take(3, 0, 3);
  EXPECT_EQ(add(makers(), 4, 0, 4), Result{Status::QuantityOverflow});
  rest(5, 0, 3);
  EXPECT_EQ(book.reduce_order(first, 4), Status::Success);
  EXPECT_EQ(add(makers(), 6, 0, 5), Result{Status::QuantityOverflow});
  rest(7, 0, 4);
  EXPECT_EQ(book.cancel_order(second), Status::Success);
  EXPECT_EQ(add(makers(), 8, 0, 11), Result{Status::QuantityOverflow});
  rest(9, 0, 10);
  EXPECT_EQ(level(makers(), 0).quantity, most);
}

TEST_P(Overflow, ModifyCountsTheLotsThatItLeavesBehind) {
  const OrderHandle first = rest(1, 0, 10);
  rest(2, 0, most - 15);
  EXPECT_EQ(modify(first, 0, 16), stays(Status::QuantityOverflow, first, 10));
  EXPECT_EQ(book.find(first)->quantity, 10u);
  EXPECT_EQ(queue(makers()), (Ids{1, 2}));
  EXPECT_EQ(modify(first, 0, 15), rests(first, 15));
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), most, 2}));
}

TEST_P(Overflow, ModifyToAnotherLevelCountsAllItsLots) {
  const OrderHandle mover = rest(1, 0, 10);
  rest(2, 1, most - 5);
  EXPECT_EQ(modify(mover, 1, 6), stays(Status::QuantityOverflow, mover, 10));
  EXPECT_EQ(book.find(mover), (RestingOrder{mover, 1, makers(), at(0), 10}));
  EXPECT_EQ(modify(mover, 1, 5), rests(mover, 5));
}

TEST_P(Overflow, ModifyOfTheOnlyOrderToTheLargestQuantity) {
  const OrderHandle only = rest(1, 0, 10);
  EXPECT_EQ(modify(only, 0, most), rests(only, most));
  EXPECT_EQ(modify(only, 3, most), rests(only, most));
  EXPECT_EQ(level(makers(), 3).quantity, most);
}

TEST_P(Overflow, ATakerOfTheLargestQuantityTradesAndRests) {
  rest(1, 0, 5);
  const Result result = take(2, 0, most);
  EXPECT_EQ(result.filled, 5u);
  EXPECT_EQ(level(takers(), 0), (DepthLevel{at(0), most - 5, 1}));
}

TEST_P(Overflow, LotsBeyondTheTypeAcrossLevelsAreSweptOneTakerAtATime) {
  rest(1, 0, most);
  rest(2, 1, most);
  EXPECT_EQ(market(3, most).filled, most);
  EXPECT_EQ(best(makers()), at(1));
  EXPECT_EQ(market(4, most).filled, most);
  EXPECT_EQ(book.size(), 0u);
}

TEST_P(Overflow, ARejectedOverflowDoesNotOpenTheLevel) {
  rest(1, 0, most);
  EXPECT_EQ(add(makers(), 2, 0, most), Result{Status::QuantityOverflow});
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), most, 1}));
  EXPECT_EQ(book.size(), 1u);
}

}  // namespace
}  // namespace llmes::test
