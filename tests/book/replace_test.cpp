// SPDX-License-Identifier: MIT
//
// A replace takes an order off and enters it again in one call: with a new id and a new handle, as the youngest at
// its price, trading first if it crosses.
#include "tests/support/extremes.hpp"
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class Replace : public SideTest {};
LLMES_TEST_BOTH_SIDES(Replace);

TEST_P(Replace, GivesANewIdAndANewHandle) {
  const OrderHandle old = rest(1, 0, 5);
  const Result result = replace(old, 9, 1, 7);
  EXPECT_EQ(result, rests(result.handle, 7));
  EXPECT_NE(result.handle, old);
  EXPECT_EQ(book.find(old), std::nullopt);
  EXPECT_EQ(book.find(result.handle), (RestingOrder{result.handle, 9, makers(), at(1), 7}));
  EXPECT_EQ(book.size(), 1u);
  EXPECT_EQ(best(makers()), at(1));
  EXPECT_EQ(replace(old, 2, 0, 1), Result{Status::UnknownOrder});
}

TEST_P(Replace, LosesItsPlaceAtTheSamePriceForFewerLots) {
  const OrderHandle old = rest(1, 0, 5);
  rest(2, 0, 5);
  const Result result = replace(old, 1, 0, 4);
  EXPECT_EQ(result, rests(result.handle, 4));
  EXPECT_EQ(queue(makers()), (Ids{2, 1}));
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 9, 2}));
}

TEST_P(Replace, TradesFirstUnderItsNewId) {
  const OrderHandle maker = rest(1, 0, 3);
  const OrderHandle old = rest_on(takers(), 2, -5, 9);
  const Result result = replace(old, 7, 0, 5);
  EXPECT_EQ(result, rests(result.handle, 2, 3));
  EXPECT_EQ(trades(), (Trades{{7, 1, maker, at(0), 3, 0, 2, takers()}}));
  EXPECT_EQ(queue(takers()), (Ids{7}));
  EXPECT_EQ(best(makers()), std::nullopt);
}

TEST_P(Replace, ThatTradesCompletelyLeavesNothing) {
  rest(1, 0, 3);
  const OrderHandle old = rest_on(takers(), 2, -5, 9);
  EXPECT_EQ(replace(old, 7, 0, 2), done(2));
  EXPECT_EQ(queue(takers()), Ids{});
  EXPECT_EQ(book.size(), 1u);
}

TEST_P(Replace, DropsWhatMayNotRest) {
  rest(1, 0, 3);
  const OrderHandle old = rest_on(takers(), 2, -5, 9);
  EXPECT_EQ(replace(old, 7, 0, 5, TimeInForce::ImmediateOrCancel), done(3, 2)) << "the 9 lots are not among them";
  EXPECT_EQ(book.size(), 0u);
  const OrderHandle lonely = rest_on(takers(), 3, -5, 9);
  EXPECT_EQ(replace(lonely, 7, -5, 5, TimeInForce::ImmediateOrCancel), done(0, 5));
  EXPECT_EQ(book.size(), 0u);
}

TEST_P(Replace, FillOrKillTradesAllOrNothing) {
  rest(1, 0, 3);
  const OrderHandle old = rest_on(takers(), 2, -5, 9);
  EXPECT_EQ(replace(old, 7, 0, 4, TimeInForce::FillOrKill), stays(Status::NotFillable, old, 9));
  EXPECT_EQ(replace(old, 7, -1, 1, TimeInForce::FillOrKill), stays(Status::NotFillable, old, 9));
  EXPECT_EQ(replace(old, 7, 0, 3, TimeInForce::FillOrKill), done(3));
  EXPECT_EQ(book.size(), 0u);
}

TEST_P(Replace, PostOnlyDoesNotTrade) {
  rest(1, 0, 3);
  const OrderHandle old = rest_on(takers(), 2, -5, 9);
  EXPECT_EQ(replace(old, 7, 0, 4, TimeInForce::PostOnly), stays(Status::WouldCross, old, 9));
  const Result result = replace(old, 7, -1, 4, TimeInForce::PostOnly);
  EXPECT_EQ(result, rests(result.handle, 4));
  EXPECT_EQ(trades(), Trades{});
}

TEST_P(Replace, NeedsNoFreeSlot) {
  std::vector<OrderHandle> orders;
  for (OrderId id = 1; id <= capacity; ++id) orders.push_back(rest(id, static_cast<int>(id), 1));
  for (const OrderHandle order : orders) EXPECT_EQ(replace(order, 100, 0, 2).status, Status::Success);
  EXPECT_EQ(book.size(), capacity);
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 2 * capacity, capacity}));
}

TEST_P(Replace, CountsTheLotsThatItLeavesBehind) {
  const OrderHandle first = rest(1, 0, 10);
  rest(2, 0, most - 15);
  EXPECT_EQ(replace(first, 1, 0, 16), stays(Status::QuantityOverflow, first, 10));
  const Result result = replace(first, 1, 0, 15);
  EXPECT_EQ(result, rests(result.handle, 15));
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), most, 2}));
  const OrderHandle mover = rest(3, 1, 10);
  EXPECT_EQ(replace(mover, 3, 0, 1), stays(Status::QuantityOverflow, mover, 10)) << "it leaves nothing there";
}

TEST_P(Replace, IsGoodTillCancelUnlessSaidOtherwise) {
  rest(1, 0, 3);
  const OrderHandle old = rest_on(takers(), 2, -5, 9);
  const Result result = book.replace_order(old, 7, at(0), 5, DiscardTrades{});
  EXPECT_EQ(result, rests(result.handle, 2, 3));
  const Result by_command = book.apply(Command::replace(result.handle, 8, at(-1), 4), DiscardTrades{});
  EXPECT_EQ(by_command, rests(by_command.handle, 4));
  EXPECT_EQ(queue(takers()), (Ids{8}));
}

TEST_P(Replace, FaultsAreCommandHandleQuantityPriceCrossingTotal) {
  const OrderHandle old = rest_on(takers(), 1, -5, 9);
  rest(2, 0, 3);
  rest_on(takers(), 3, -4, most);
  EXPECT_EQ(replace({}, 7, 1'000, 0, no_time_in_force).status, Status::InvalidCommand);
  EXPECT_EQ(replace({}, 7, 1'000, 0).status, Status::UnknownOrder);
  EXPECT_EQ(replace(old, 7, 1'000, 0).status, Status::InvalidQuantity);
  EXPECT_EQ(replace(old, 7, 1'000, most).status, Status::PriceOutOfBand);
  EXPECT_EQ(replace(old, 7, 0, most, TimeInForce::PostOnly).status, Status::WouldCross);
  EXPECT_EQ(replace(old, 7, -4, most, TimeInForce::FillOrKill).status, Status::NotFillable);
  EXPECT_EQ(replace(old, 7, -4, most).status, Status::QuantityOverflow);
}

}  // namespace
}  // namespace llmes::test
