// SPDX-License-Identifier: MIT
//
// A reduce that is asked tells what the order is now.
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class ReduceLeft : public SideTest {};
LLMES_TEST_BOTH_SIDES(ReduceLeft);

TEST_P(ReduceLeft, TellsWhatRestsNow) {
  const OrderHandle order = rest(7, 0, 5);
  RestingOrder left;
  EXPECT_EQ(book.reduce_order(order, 2, left), Status::Success);
  EXPECT_EQ(left, (RestingOrder{order, 7, makers(), at(0), 3}));
  EXPECT_EQ(book.find(order), left);
}

TEST_P(ReduceLeft, TellsThatNothingIsLeft) {
  const OrderHandle order = rest(7, 0, 5);
  RestingOrder left;
  EXPECT_EQ(book.reduce_order(order, 5, left), Status::Success);
  EXPECT_EQ(left, (RestingOrder{order, 7, makers(), at(0), 0}));
  EXPECT_EQ(book.find(left.handle), std::nullopt);
}

TEST_P(ReduceLeft, IsLeftAloneByARejection) {
  const OrderHandle order = rest(7, 0, 5);
  const RestingOrder before{{1, 2}, 3, takers(), 4, 5};
  RestingOrder left = before;
  EXPECT_EQ(book.reduce_order(order, 0, left), Status::InvalidQuantity);
  EXPECT_EQ(book.reduce_order(order, 6, left), Status::InvalidQuantity);
  EXPECT_EQ(book.reduce_order({}, 1, left), Status::UnknownOrder);
  EXPECT_EQ(left, before);
}

}  // namespace
}  // namespace llmes::test
