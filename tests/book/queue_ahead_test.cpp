// SPDX-License-Identifier: MIT
//
// `queue_ahead` tells the lots and the orders before an order on its level.
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class QueueAhead : public SideTest {};
LLMES_TEST_BOTH_SIDES(QueueAhead);

TEST_P(QueueAhead, IsWhatStandsBeforeAnOrder) {
  const OrderHandle first = rest(1, 0, 3);
  const OrderHandle second = rest(2, 0, 4);
  const OrderHandle third = rest(3, 0, 5);
  const OrderHandle better = rest(4, -1, 6);
  EXPECT_EQ(book.queue_ahead(first), (QueuePosition{0, 0}));
  EXPECT_EQ(book.queue_ahead(second), (QueuePosition{3, 1}));
  EXPECT_EQ(book.queue_ahead(third), (QueuePosition{7, 2}));
  EXPECT_EQ(book.queue_ahead(better), (QueuePosition{0, 0})) << "another level does not count";
}

TEST_P(QueueAhead, FollowsWhatHappensBeforeIt) {
  const OrderHandle first = rest(1, 0, 3);
  const OrderHandle second = rest(2, 0, 4);
  const OrderHandle third = rest(3, 0, 5);
  take(9, 0, 1);
  EXPECT_EQ(book.queue_ahead(third), (QueuePosition{6, 2}));
  EXPECT_EQ(book.reduce_order(second, 1), Status::Success);
  EXPECT_EQ(book.queue_ahead(third), (QueuePosition{5, 2}));
  modify(first, 0, 9);
  EXPECT_EQ(book.queue_ahead(third), (QueuePosition{3, 1}));
  EXPECT_EQ(book.queue_ahead(first), (QueuePosition{8, 2})) << "at the back of the queue now";
  EXPECT_EQ(book.cancel_order(second), Status::Success);
  EXPECT_EQ(book.queue_ahead(third), (QueuePosition{0, 0}));
}

TEST_P(QueueAhead, OfNoOrderIsNothing) {
  const OrderHandle order = rest(1, 0, 3);
  EXPECT_EQ(book.queue_ahead({}), std::nullopt);
  EXPECT_EQ(book.queue_ahead({0, 1}), std::nullopt);
  EXPECT_EQ(book.queue_ahead({0xffffffffu, 1}), std::nullopt);
  EXPECT_EQ(book.cancel_order(order), Status::Success);
  EXPECT_EQ(book.queue_ahead(order), std::nullopt);
}

}  // namespace
}  // namespace llmes::test
