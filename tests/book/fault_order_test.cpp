// SPDX-License-Identifier: MIT
//
// A call with several faults reports the one that its documentation lists first.
#include "tests/support/extremes.hpp"
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

constexpr Price out_of_band = 10'000;

class FaultOrder : public SideTest {
 protected:
  Status limit(Side side, Price price, Quantity quantity,
               TimeInForce time_in_force = TimeInForce::GoodTillCancel) {
    return book.add_limit_order(1, side, price, quantity, time_in_force, DiscardTrades{}).status;
  }
  Status modify_at(OrderHandle handle, Price price, Quantity quantity) {
    return book.modify_order(handle, price, quantity, DiscardTrades{}).status;
  }
  /// Fills the pool; the last maker leaves no room on its level.
  void fill_pool() {
    for (OrderId id = 1; id < capacity; ++id) rest(id, 0, 1);
    rest(capacity, 5, most);
  }
};
LLMES_TEST_BOTH_SIDES(FaultOrder);

TEST_P(FaultOrder, OfALimitOrderIsCommandQuantityPrice) {
  EXPECT_EQ(limit(no_side, out_of_band, 0), Status::InvalidCommand);
  EXPECT_EQ(limit(makers(), out_of_band, 0, no_time_in_force), Status::InvalidCommand);
  EXPECT_EQ(limit(makers(), out_of_band, 0), Status::InvalidQuantity);
  EXPECT_EQ(limit(makers(), out_of_band, 0, TimeInForce::FillOrKill), Status::InvalidQuantity);
}

TEST_P(FaultOrder, OfALimitOrderIsPriceBeforeWhatTheBookHolds) {
  fill_pool();
  EXPECT_EQ(limit(makers(), out_of_band, most), Status::PriceOutOfBand);
  EXPECT_EQ(limit(makers(), out_of_band, most, TimeInForce::PostOnly), Status::PriceOutOfBand);
}

TEST_P(FaultOrder, OfALimitOrderIsCrossingBeforeTheFullPool) {
  fill_pool();
  EXPECT_EQ(limit(takers(), at(0), 1, TimeInForce::PostOnly), Status::WouldCross);
  EXPECT_EQ(limit(takers(), at(0), most, TimeInForce::FillOrKill), Status::NotFillable);
  EXPECT_EQ(limit(makers(), at(5), 1, TimeInForce::FillOrKill), Status::NotFillable);
}

TEST_P(FaultOrder, OfALimitOrderIsTheFullPoolBeforeTheLevelsTotal) {
  fill_pool();
  EXPECT_EQ(limit(makers(), at(5), 1), Status::PoolFull);
  EXPECT_EQ(limit(makers(), at(5), 1, TimeInForce::PostOnly), Status::PoolFull);
}

TEST_P(FaultOrder, OfAMarketOrderIsCommandQuantity) {
  EXPECT_EQ(book.add_market_order(1, no_side, 0, DiscardTrades{}).status, Status::InvalidCommand);
}

TEST_P(FaultOrder, OfAModifyIsHandleQuantityPriceTotal) {
  const OrderHandle order = rest(1, 0, 5);
  rest(2, 5, most);
  EXPECT_EQ(modify_at({}, out_of_band, 0), Status::UnknownOrder);
  EXPECT_EQ(modify_at(order, out_of_band, 0), Status::InvalidQuantity);
  EXPECT_EQ(modify_at(order, out_of_band, most), Status::PriceOutOfBand);
  EXPECT_EQ(modify_at(order, at(5), 1), Status::QuantityOverflow);
}

TEST_P(FaultOrder, OfAnOrderInFrontIsHandleQuantityPoolTotal) {
  const OrderHandle other = rest(1, 0, 5);
  EXPECT_EQ(book.add_resting_order_before({}, 2, 0).status, Status::UnknownOrder);
  EXPECT_EQ(book.add_resting_order_before(other, 2, most).status, Status::QuantityOverflow);
  for (OrderId id = 2; id <= capacity; ++id) rest(id, 1, 1);
  EXPECT_EQ(book.add_resting_order_before({}, 20, most).status, Status::UnknownOrder);
  EXPECT_EQ(book.add_resting_order_before(other, 20, 0).status, Status::InvalidQuantity);
  EXPECT_EQ(book.add_resting_order_before(other, 20, most).status, Status::PoolFull);
}

TEST_P(FaultOrder, OfAReduceIsHandleQuantity) {
  EXPECT_EQ(book.reduce_order({}, 0), Status::UnknownOrder);
}

}  // namespace
}  // namespace llmes::test
