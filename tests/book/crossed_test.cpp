// SPDX-License-Identifier: MIT
//
// Calls that never trade may leave the book locked or crossed. Every query stays true, and calls that match do so
// as always.
#include "tests/support/extremes.hpp"
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class Crossed : public SideTest {};
LLMES_TEST_BOTH_SIDES(Crossed);

TEST_P(Crossed, AnAddRestsWhereItWouldTrade) {
  rest(1, 0, 5);
  const Result locked = add_resting(takers(), 2, 0, 3);
  EXPECT_EQ(locked, rests(locked.handle, 3));
  const Result crossed = add_resting(takers(), 3, 4, 7);
  EXPECT_EQ(crossed, rests(crossed.handle, 7));
  EXPECT_EQ(best(makers()), at(0));
  EXPECT_EQ(best(takers()), at(4));
  EXPECT_EQ(queue(makers()), (Ids{1}));
  EXPECT_EQ(queue(takers()), (Ids{3, 2}));
  EXPECT_EQ(level(takers(), 0), (DepthLevel{at(0), 3, 1}));
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 5, 1}));
  EXPECT_EQ(book.worst(takers()), at(0));
  EXPECT_EQ(book.find(crossed.handle), (RestingOrder{crossed.handle, 3, takers(), at(4), 7}));
}

TEST_P(Crossed, AModifyRestsWhereItWouldTrade) {
  rest(1, 0, 5);
  const OrderHandle order = rest_on(takers(), 2, -2, 3);
  EXPECT_EQ(modify_resting(order, 1, 9), rests(order, 9));
  EXPECT_EQ(best(takers()), at(1));
  EXPECT_EQ(modify_resting(order, 1, 4), kept_place(order, 4));
  EXPECT_EQ(book.size(), 2u);
}

TEST_P(Crossed, AReplacementRestsWhereItWouldTrade) {
  rest(1, 0, 5);
  const OrderHandle old = rest_on(takers(), 2, -2, 3);
  const Result result = replace_resting(old, 7, 1, 9);
  EXPECT_EQ(result, rests(result.handle, 9));
  EXPECT_EQ(book.find(old), std::nullopt);
  EXPECT_EQ(book.find(result.handle), (RestingOrder{result.handle, 7, takers(), at(1), 9}));
  EXPECT_EQ(book.size(), 2u);
}

TEST_P(Crossed, TheNextTakerMeetsTheBestOfEitherSide) {
  const OrderHandle maker = rest(1, 0, 5);
  const OrderHandle crossing = add_resting(takers(), 2, 4, 7).handle;
  EXPECT_EQ(take(3, 0, 2), done(2));
  EXPECT_EQ(trades(), (Trades{{3, 1, maker, at(0), 2, 3, 0, takers()}}));
  const Result left = add(makers(), 4, 4, 8);
  EXPECT_EQ(left, rests(left.handle, 1, 7));
  EXPECT_EQ(trades(), (Trades{{4, 2, crossing, at(4), 7, 0, 1, makers()}}));
  EXPECT_EQ(queue(makers()), (Ids{1, 4}));
}

/// What it leaves comes to rest behind orders of its own side.
TEST_P(Crossed, ATakerMayJoinALevelThatHasOrders) {
  const OrderHandle maker = rest(1, 0, 5);
  add_resting(takers(), 2, 3, 7);
  const Result result = take(3, 3, 6);
  EXPECT_EQ(result, rests(result.handle, 1, 5));
  EXPECT_EQ(trades(), (Trades{{3, 1, maker, at(0), 5, 0, 1, takers()}}));
  EXPECT_EQ(level(takers(), 3), (DepthLevel{at(3), 8, 2}));
  EXPECT_EQ(queue(takers()), (Ids{2, 3}));
}

TEST_P(Crossed, AnOrderOfACrossedBookTradesWhenItIsMovedOrGrows) {
  const OrderHandle maker = rest(1, 0, 5);
  const OrderHandle order = add_resting(takers(), 2, 3, 4).handle;
  EXPECT_EQ(modify(order, 3, 3), kept_place(order, 3)) << "it keeps its place, and so does not trade";
  EXPECT_EQ(modify(order, 3, 2, TimeInForce::PostOnly), kept_place(order, 2)) << "nor would it trade";
  EXPECT_EQ(modify(order, 3, 4, TimeInForce::PostOnly), stays(Status::WouldCross, order, 2));
  EXPECT_EQ(modify(order, 3, 4), done(4));
  EXPECT_EQ(trades(), (Trades{{2, 1, maker, at(0), 4, 1, 0, takers()}}));
}

TEST_P(Crossed, OrdersThatMayNotRestSeeTheMakers) {
  rest(1, 0, 5);
  add_resting(takers(), 2, 3, 4);
  EXPECT_EQ(take(3, 1, 6, TimeInForce::FillOrKill), Result{Status::NotFillable});
  EXPECT_EQ(take(3, 1, 6, TimeInForce::PostOnly), Result{Status::WouldCross});
  EXPECT_EQ(take(3, 1, 5, TimeInForce::FillOrKill), done(5));
  EXPECT_EQ(add(makers(), 4, 3, 5, TimeInForce::ImmediateOrCancel), done(4, 1));
  EXPECT_EQ(book.size(), 0u);
}

/// Only here can an order that trades come to a level whose total has no room for it.
TEST_P(Crossed, WhatIsLeftOfATakerMustFitItsLevel) {
  rest(1, 0, 5);
  add_resting(takers(), 2, 3, most - 2);
  EXPECT_EQ(take(3, 3, 8), Result{Status::QuantityOverflow});
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 5, 1})) << "nothing has traded";
  EXPECT_EQ(take(4, 3, 8, TimeInForce::ImmediateOrCancel), done(5, 3)) << "it does not rest";
  add_resting(makers(), 5, 0, 5);
  const Result fits = take(6, 3, 7);
  EXPECT_EQ(fits, rests(fits.handle, 2, 5));
  EXPECT_EQ(level(takers(), 3).quantity, most);
  add_resting(makers(), 7, 2, 5);
  EXPECT_EQ(take(8, 3, 5), done(5)) << "nothing of it is left";
}

TEST_P(Crossed, WhatIsLeftOfAMovedOrderMustFitItsLevel) {
  rest(1, 0, 5);
  const OrderHandle order = rest_on(takers(), 2, -3, 1);
  add_resting(takers(), 3, 3, most - 2);
  EXPECT_EQ(modify(order, 3, 8), stays(Status::QuantityOverflow, order, 1));
  EXPECT_EQ(replace(order, 4, 3, 8), stays(Status::QuantityOverflow, order, 1));
  EXPECT_EQ(modify_resting(order, 3, 7), stays(Status::QuantityOverflow, order, 1));
  EXPECT_EQ(replace_resting(order, 4, 3, 7), stays(Status::QuantityOverflow, order, 1));
  EXPECT_EQ(modify(order, 3, 7), rests(order, 2, 5));
  EXPECT_EQ(level(takers(), 3), (DepthLevel{at(3), most, 2}));
}

TEST_P(Crossed, FaultsAreCommandHandleQuantityPricePoolTotal) {
  constexpr auto no_side = static_cast<Side>(2);
  constexpr Price beyond = base_price - 1;
  EXPECT_EQ(book.add_resting_order(1, no_side, beyond, 0).status, Status::InvalidCommand);
  EXPECT_EQ(book.add_resting_order(1, makers(), beyond, 0).status, Status::InvalidQuantity);
  EXPECT_EQ(book.add_resting_order(1, makers(), beyond, 1).status, Status::PriceOutOfBand);
  EXPECT_EQ(book.modify_resting_order({}, beyond, 0).status, Status::UnknownOrder);
  EXPECT_EQ(book.replace_resting_order({}, 2, beyond, 0).status, Status::UnknownOrder);
  const OrderHandle full = add_resting(makers(), 1, 0, most).handle;
  EXPECT_EQ(book.modify_resting_order(full, beyond, 0), stays(Status::InvalidQuantity, full, most));
  EXPECT_EQ(book.modify_resting_order(full, beyond, 1), stays(Status::PriceOutOfBand, full, most));
  EXPECT_EQ(book.replace_resting_order(full, 2, beyond, 0), stays(Status::InvalidQuantity, full, most));
  EXPECT_EQ(book.replace_resting_order(full, 2, beyond, 1), stays(Status::PriceOutOfBand, full, most));
  EXPECT_EQ(add_resting(makers(), 2, 0, 1), Result{Status::QuantityOverflow});
  for (OrderId id = 2; id <= capacity; ++id) EXPECT_EQ(add_resting(makers(), id, 1, 1).status, Status::Success);
  EXPECT_EQ(add_resting(makers(), 99, 0, 1), Result{Status::PoolFull});
  EXPECT_EQ(book.size(), capacity);
}

TEST_P(Crossed, MovesWithItsBand) {
  rest(1, 0, 5);
  add_resting(takers(), 2, 4, 7);
  EXPECT_EQ(book.recenter(base_price + 3), Status::Success);
  EXPECT_EQ(best(makers()), at(0));
  EXPECT_EQ(best(takers()), at(4));
}

}  // namespace
}  // namespace llmes::test
