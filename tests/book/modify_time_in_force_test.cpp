// SPDX-License-Identifier: MIT
//
// A modify with a time in force does what an add with it would do, and a rejection leaves the order where it was.
#include "tests/support/extremes.hpp"
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

/// A maker of 3 lots at step 0 and one of 4 at step 2; the order to modify is a taker's, at step -4.
class ModifyTimeInForce : public SideTest {
 protected:
  using enum TimeInForce;

  void SetUp() override {
    rest(1, 0, 3);
    rest(2, 2, 4);
    mover_ = rest_on(takers(), 3, -4, 5);
    rest_on(takers(), 4, -4, 5);
  }
  void expect_untouched(const Result& result, Status status) {
    EXPECT_EQ(result, stays(status, mover_, 5)) << "it names the order, which rests on";
    EXPECT_EQ(book.find(mover_), (RestingOrder{mover_, 3, takers(), at(-4), 5}));
    EXPECT_EQ(queue(takers()), (Ids{3, 4}));
    EXPECT_EQ(trades(), Trades{});
  }
  OrderHandle mover_;
};
LLMES_TEST_BOTH_SIDES(ModifyTimeInForce);

TEST_P(ModifyTimeInForce, PostOnlyDoesNotTrade) {
  expect_untouched(modify(mover_, 0, 1, PostOnly), Status::WouldCross);
  expect_untouched(modify(mover_, 9, 1, PostOnly), Status::WouldCross);
  EXPECT_EQ(modify(mover_, -1, 9, PostOnly), rests(mover_, 9)) << "a tick short of the other side";
}

TEST_P(ModifyTimeInForce, WhatMayRestKeepsThePlace) {
  EXPECT_EQ(modify(mover_, -4, 2, PostOnly), kept_place(mover_, 2));
  EXPECT_EQ(modify(mover_, -4, 1, GoodTillCancel), kept_place(mover_, 1));
  EXPECT_EQ(queue(takers()), (Ids{3, 4}));
}

TEST_P(ModifyTimeInForce, GoodTillCancelIsTheDefault) {
  EXPECT_EQ(modify(mover_, 1, 5, GoodTillCancel), rests(mover_, 2, 3));
}

TEST_P(ModifyTimeInForce, ImmediateOrCancelDropsWhatDoesNotTrade) {
  EXPECT_EQ(modify(mover_, 1, 5, ImmediateOrCancel), done(3, 2));
  EXPECT_EQ(book.find(mover_), std::nullopt);
  EXPECT_EQ(queue(takers()), (Ids{4}));
}

TEST_P(ModifyTimeInForce, ImmediateOrCancelThatCannotTradeLeavesTheBook) {
  EXPECT_EQ(modify(mover_, -4, 2, ImmediateOrCancel), done(0, 2)) << "the same price is no reason to stay";
  EXPECT_EQ(book.find(mover_), std::nullopt);
}

TEST_P(ModifyTimeInForce, FillOrKillTradesAllOrNothing) {
  expect_untouched(modify(mover_, 2, 8, FillOrKill), Status::NotFillable);
  expect_untouched(modify(mover_, 1, 4, FillOrKill), Status::NotFillable);
  expect_untouched(modify(mover_, -4, 1, FillOrKill), Status::NotFillable);
  EXPECT_EQ(modify(mover_, 2, 7, FillOrKill), done(7));
  EXPECT_EQ(book.find(mover_), std::nullopt);
}

TEST_P(ModifyTimeInForce, ImmediateOrCancelNeedsNoRoomOnALevel) {
  rest_on(takers(), 5, -3, most);
  EXPECT_EQ(modify(mover_, -3, 1, PostOnly), stays(Status::QuantityOverflow, mover_, 5));
  EXPECT_EQ(modify(mover_, -3, 1, ImmediateOrCancel), done(0, 1));
}

TEST_P(ModifyTimeInForce, FaultsAreCommandHandleQuantityPriceCrossing) {
  const auto status = [this](OrderHandle handle, Price price, Quantity quantity, TimeInForce time_in_force) {
    return book.modify_order(handle, price, quantity, time_in_force, DiscardTrades{}).status;
  };
  constexpr Price out_of_band = 10'000;
  EXPECT_EQ(status({}, out_of_band, 0, no_time_in_force), Status::InvalidCommand);
  for (const TimeInForce time_in_force : {PostOnly, ImmediateOrCancel, FillOrKill}) {
    EXPECT_EQ(status({}, out_of_band, 0, time_in_force), Status::UnknownOrder);
    EXPECT_EQ(status(mover_, out_of_band, 0, time_in_force), Status::InvalidQuantity);
  }
  EXPECT_EQ(status(mover_, out_of_band, most, PostOnly), Status::PriceOutOfBand);
  EXPECT_EQ(status(mover_, at(0), most, PostOnly), Status::WouldCross);
  EXPECT_EQ(status(mover_, at(0), most, FillOrKill), Status::NotFillable);
}

}  // namespace
}  // namespace llmes::test
