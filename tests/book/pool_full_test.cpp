// SPDX-License-Identifier: MIT
//
// A full pool rejects orders that would rest, never loses a fill, and has all its slots again once drained.
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class PoolFull : public SideTest {
 protected:
  /// Fills the pool with makers of two lots over four levels, from step 0.
  std::vector<OrderHandle> fill_pool() {
    std::vector<OrderHandle> handles;
    for (OrderId id = 1; id <= capacity; ++id) handles.push_back(rest(id, static_cast<int>(id % 4), 2));
    return handles;
  }
};
LLMES_TEST_BOTH_SIDES(PoolFull);

TEST_P(PoolFull, RejectsAnOrderThatWouldRest) {
  fill_pool();
  const Snapshot before = snapshot_of(book);
  EXPECT_EQ(add(makers(), 100, 2, 1), Result{Status::PoolFull});
  EXPECT_EQ(take(101, -1, 1), Result{Status::PoolFull});
  EXPECT_EQ(take(102, -1, 1, TimeInForce::PostOnly), Result{Status::PoolFull});
  EXPECT_EQ(snapshot_of(book), before);
}

TEST_P(PoolFull, SweepThenRestFindsTheSlotOfAMaker) {
  fill_pool();
  const Result result = take(100, 0, 100);
  EXPECT_EQ(result.status, Status::Success);
  EXPECT_EQ(result.filled, 8u);
  EXPECT_EQ(book.find(result.handle), (RestingOrder{result.handle, 100, takers(), at(0), 92}));
  EXPECT_EQ(book.size(), capacity - 4 + 1);
}

TEST_P(PoolFull, OneMakerUsedUpIsRoomEnough) {
  for (OrderId id = 1; id < capacity; ++id) rest(id, 9, 2);
  rest(capacity, 0, 2);
  const Result result = take(100, 0, 3);
  EXPECT_EQ(result.filled, 2u);
  EXPECT_EQ(book.find(result.handle)->quantity, 1u);
  EXPECT_EQ(book.size(), capacity);
}

TEST_P(PoolFull, ATakerThatUsesUpNoMakerTrades) {
  fill_pool();
  EXPECT_EQ(take(100, 0, 1), done(1));
  EXPECT_EQ(book.size(), capacity);
}

TEST_P(PoolFull, ModifyNeedsNoSlotOfItsOwn) {
  const auto handles = fill_pool();
  EXPECT_EQ(modify(handles[0], 30, 9), rests(handles[0], 9));
  EXPECT_EQ(modify(handles[1], 2, 9), rests(handles[1], 9));
  EXPECT_EQ(book.size(), capacity);
}

TEST_P(PoolFull, ModifyIntoTheOtherSideTradesAndRests) {
  for (OrderId id = 1; id < capacity; ++id) rest(id, 3, 2);
  const OrderHandle mover = rest_on(takers(), 50, 0, 1);
  EXPECT_EQ(modify(mover, 3, 31), rests(mover, 1, 30));
  EXPECT_EQ(book.size(), 1u);
}

TEST_P(PoolFull, ModifyIntoTheOtherSideThatUsesUpNoMakerTradesAndIsGone) {
  for (OrderId id = 1; id < capacity; ++id) rest(id, 3, 2);
  const OrderHandle mover = rest_on(takers(), 50, 0, 1);
  EXPECT_EQ(modify(mover, 3, 1), done(1));
  EXPECT_EQ(book.size(), capacity - 1);
}

TEST_P(PoolFull, EverySlotIsFreeAgainAfterEveryWayToLeave) {
  for (int round = 0; round < 50; ++round) {
    const auto handles = fill_pool();
    ASSERT_EQ(book.size(), capacity);
    switch (round % 4) {
      case 0: market(100, 1'000); break;
      case 1:
        for (const OrderHandle handle : handles) ASSERT_EQ(book.cancel_order(handle), Status::Success);
        break;
      case 2:
        for (const OrderHandle handle : handles) ASSERT_EQ(book.reduce_order(handle, 2), Status::Success);
        break;
      default:
        EXPECT_EQ(book.cancel_order(handles[0]), Status::Success);
        modify(rest_on(takers(), 100, -9, 1), 5, 2 * capacity - 2);
        break;
    }
    ASSERT_EQ(book.size(), 0u) << "round " << round;
  }
}

}  // namespace
}  // namespace llmes::test
