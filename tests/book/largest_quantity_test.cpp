// SPDX-License-Identifier: MIT
//
// A book made with a largest quantity rejects an order of more lots, whatever else it would do.
#include <array>

#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class LargestQuantity : public SideTest {
 protected:
  using enum TimeInForce;

  void SetUp() override {
    book = *Book::create({.base_price = base_price, .capacity = capacity, .quantity_max = 10});
  }
};
LLMES_TEST_BOTH_SIDES(LargestQuantity);

TEST_P(LargestQuantity, IsOfAnAddWhateverItsTimeInForce) {
  for (const TimeInForce time_in_force : {GoodTillCancel, PostOnly, ImmediateOrCancel, FillOrKill}) {
    EXPECT_EQ(add(makers(), 1, 0, 11, time_in_force), Result{Status::InvalidQuantity});
    EXPECT_EQ(add(makers(), 1, 0, 0, time_in_force), Result{Status::InvalidQuantity});
  }
  EXPECT_TRUE(add(makers(), 1, 0, 10).rests());
}

TEST_P(LargestQuantity, IsOfATakerToo) {
  for (OrderId id = 1; id <= 3; ++id) rest(id, 0, 9);
  EXPECT_EQ(take(4, 0, 11), Result{Status::InvalidQuantity});
  EXPECT_EQ(market(4, 11), Result{Status::InvalidQuantity});
  EXPECT_EQ(trades(), Trades{});
  EXPECT_EQ(market(4, 10), done(10));
}

TEST_P(LargestQuantity, IsOfAModify) {
  const OrderHandle order = rest(1, 0, 5);
  for (const TimeInForce time_in_force : {GoodTillCancel, PostOnly, ImmediateOrCancel, FillOrKill}) {
    EXPECT_EQ(modify(order, 1, 11, time_in_force), stays(Status::InvalidQuantity, order, 5));
  }
  EXPECT_EQ(modify(order, 0, 11), stays(Status::InvalidQuantity, order, 5));
  EXPECT_EQ(modify(order, 0, 10), rests(order, 10));
}

TEST_P(LargestQuantity, IsNotOfALevel) {
  rest(1, 0, 10);
  rest(2, 0, 10);
  EXPECT_EQ(level(makers(), 0).quantity, 20u);
}

TEST_P(LargestQuantity, GoesWithABookThatIsMoved) {
  Book moved = std::move(book);
  EXPECT_EQ(moved.add_limit_order(1, makers(), at(0), 11, GoodTillCancel, DiscardTrades{}).status,
            Status::InvalidQuantity);
  book = std::move(moved);
  EXPECT_EQ(add(makers(), 1, 0, 11), Result{Status::InvalidQuantity});
}

}  // namespace
}  // namespace llmes::test
