// SPDX-License-Identifier: MIT
//
// Every fill is at the maker's price, however far the taker was ready to go.
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class FillPrice : public SideTest {};
LLMES_TEST_BOTH_SIDES(FillPrice);

TEST_P(FillPrice, OfALimitOrderIsTheMakers) {
  const OrderHandle maker = rest(1, 0, 5);
  EXPECT_EQ(take(2, 7, 3).filled, 3u);
  EXPECT_EQ(trades(), (Trades{{2, 1, maker, at(0), 3, 2, 0, takers()}}));
}

TEST_P(FillPrice, OfAMarketOrderIsTheMakers) {
  const OrderHandle maker = rest(1, 4, 5);
  EXPECT_EQ(market(2, 5).filled, 5u);
  EXPECT_EQ(trades(), (Trades{{2, 1, maker, at(4), 5, 0, 0, takers()}}));
}

TEST_P(FillPrice, OfAModifyIntoTheOtherSideIsTheMakers) {
  const OrderHandle maker = rest(1, 3, 5);
  const OrderHandle taker = rest_on(takers(), 2, 0, 4);
  EXPECT_EQ(modify(taker, 9, 4).filled, 4u);
  EXPECT_EQ(trades(), (Trades{{2, 1, maker, at(3), 4, 1, 0, takers()}}));
}

TEST_P(FillPrice, OfASweepIsEachLevelsOwn) {
  const OrderHandle first = rest(1, 0, 1);
  const OrderHandle second = rest(2, 1, 2);
  const OrderHandle third = rest(3, 5, 3);
  EXPECT_EQ(take(4, 8, 6).filled, 6u);
  EXPECT_EQ(trades(), (Trades{{4, 1, first, at(0), 1, 0, 5, takers()},
                              {4, 2, second, at(1), 2, 0, 3, takers()},
                              {4, 3, third, at(5), 3, 0, 0, takers()}}));
}

TEST_P(FillPrice, OfImmediateOrCancelAndFillOrKillIsTheMakers) {
  const OrderHandle maker = rest(1, 2, 9);
  EXPECT_EQ(take(2, 6, 1, TimeInForce::ImmediateOrCancel).filled, 1u);
  EXPECT_EQ(take(3, 6, 2, TimeInForce::FillOrKill).filled, 2u);
  EXPECT_EQ(trades(), (Trades{{2, 1, maker, at(2), 1, 8, 0, takers()}, {3, 1, maker, at(2), 2, 6, 0, takers()}}));
}

}  // namespace
}  // namespace llmes::test
