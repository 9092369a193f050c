// SPDX-License-Identifier: MIT
//
// After a modify the order has this price and this many open lots. It keeps its place in the queue only at the
// same price and with no more lots.
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class Modify : public SideTest {};
LLMES_TEST_BOTH_SIDES(Modify);

TEST_P(Modify, SamePriceAndQuantityChangesNothing) {
  const OrderHandle first = rest(1, 0, 5);
  rest(2, 0, 5);
  const Snapshot before = snapshot_of(book);
  EXPECT_EQ(modify(first, 0, 5), kept_place(first, 5));
  EXPECT_EQ(snapshot_of(book), before);
}

TEST_P(Modify, QuantityDownKeepsThePlace) {
  const OrderHandle first = rest(1, 0, 5);
  rest(2, 0, 5);
  EXPECT_EQ(modify(first, 0, 2), kept_place(first, 2));
  EXPECT_EQ(queue(makers()), (Ids{1, 2}));
  EXPECT_EQ(book.find(first)->quantity, 2u);
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 7, 2}));
}

TEST_P(Modify, QuantityUpLosesThePlace) {
  const OrderHandle first = rest(1, 0, 5);
  rest(2, 0, 5);
  EXPECT_EQ(modify(first, 0, 6), rests(first, 6));
  EXPECT_EQ(queue(makers()), (Ids{2, 1}));
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 11, 2}));
}

TEST_P(Modify, QuantityUpOfTheOnlyOrderKeepsTheLevel) {
  const OrderHandle only = rest(1, 0, 5);
  modify(only, 0, 6);
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 6, 1}));
  EXPECT_EQ(best(makers()), at(0));
}

TEST_P(Modify, AnotherPriceIsTheTailOfAnotherQueue) {
  rest(1, 3, 1);
  const OrderHandle moved = rest(2, 0, 5);
  rest(3, 0, 1);
  EXPECT_EQ(modify(moved, 3, 2), rests(moved, 2));
  rest(4, 3, 1);
  EXPECT_EQ(queue(makers()), (Ids{3, 1, 2, 4}));
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 1, 1}));
  EXPECT_EQ(level(makers(), 3), (DepthLevel{at(3), 4, 3}));
}

TEST_P(Modify, ThereAndBackLosesThePlace) {
  const OrderHandle first = rest(1, 0, 5);
  rest(2, 0, 5);
  modify(first, 1, 5);
  modify(first, 0, 5);
  EXPECT_EQ(queue(makers()), (Ids{2, 1}));
}

TEST_P(Modify, IntoTheOtherSideTradesAndTheRestKeepsItsHandle) {
  const OrderHandle maker = rest(1, 0, 3);
  const OrderHandle mover = rest_on(takers(), 2, -4, 1);
  EXPECT_EQ(modify(mover, 1, 5), rests(mover, 2, 3));
  EXPECT_EQ(trades(), (Trades{{2, 1, maker, at(0), 3, 0, 2, takers()}}));
  EXPECT_EQ(book.find(mover), (RestingOrder{mover, 2, takers(), at(1), 2}));
  EXPECT_EQ(best(takers()), at(1));
}

TEST_P(Modify, IntoTheOtherSideAndWhollyTradedIsGone) {
  const OrderHandle maker = rest(1, 0, 9);
  const OrderHandle mover = rest_on(takers(), 2, -4, 1);
  EXPECT_EQ(modify(mover, 0, 5), done(5));
  EXPECT_EQ(trades(), (Trades{{2, 1, maker, at(0), 5, 4, 0, takers()}}));
  EXPECT_EQ(book.find(mover), std::nullopt);
  EXPECT_EQ(book.size(), 1u);
}

TEST_P(Modify, QuantityCountsWhatIsOpenNotWhatWasEntered) {
  const OrderHandle first = rest(1, 0, 10);
  rest(2, 0, 5);
  take(3, 0, 4);
  EXPECT_EQ(modify(first, 0, 6), kept_place(first, 6)) << "6 lots are open: nothing to change";
  EXPECT_EQ(queue(makers()), (Ids{1, 2}));
  EXPECT_EQ(modify(first, 0, 7), rests(first, 7)) << "one more than is open";
  EXPECT_EQ(queue(makers()), (Ids{2, 1}));
  EXPECT_EQ(book.find(first)->quantity, 7u);
}

TEST_P(Modify, LeavesTheSiblingsAlone) {
  rest(1, 0, 1);
  const OrderHandle middle = rest(2, 0, 2);
  rest(3, 0, 3);
  modify(middle, 8, 2);
  EXPECT_EQ(queue(makers()), (Ids{1, 3, 2}));
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 4, 2}));
}

TEST_P(Modify, OfTheBestToATickShortOfTheOtherSideDoesNotTrade) {
  rest(1, 0, 1);
  const OrderHandle mover = rest_on(takers(), 2, -4, 1);
  EXPECT_EQ(modify(mover, -1, 9), rests(mover, 9));
  EXPECT_EQ(trades(), Trades{});
}

TEST_P(Modify, HandleIsTheSameThroughManyModifies) {
  const OrderHandle order = rest(1, 0, 5);
  for (int step = 1; step < 40; ++step) {
    ASSERT_EQ(modify(order, step, static_cast<Quantity>(step)), rests(order, static_cast<Quantity>(step)));
    ASSERT_EQ(book.find(order), (RestingOrder{order, 1, makers(), at(step), static_cast<Quantity>(step)}));
  }
}

}  // namespace
}  // namespace llmes::test
