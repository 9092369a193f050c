// SPDX-License-Identifier: MIT
//
// An immediate-or-cancel order trades what it can; its remainder never rests.
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class ImmediateOrCancel : public SideTest {
 protected:
  Result immediate(int step, Quantity quantity) {
    return take(100, step, quantity, TimeInForce::ImmediateOrCancel);
  }
};
LLMES_TEST_BOTH_SIDES(ImmediateOrCancel);

TEST_P(ImmediateOrCancel, RemainderNeverRests) {
  rest(1, 0, 2);
  rest(2, 5, 2);
  EXPECT_EQ(immediate(3, 9), done(2, 7));
  EXPECT_EQ(best(takers()), std::nullopt);
  EXPECT_EQ(queue(makers()), (Ids{2}));
}

TEST_P(ImmediateOrCancel, OnAnEmptyBookIsASuccessThatFillsNothing) {
  EXPECT_EQ(immediate(0, 9), done(0, 9));
  EXPECT_EQ(book.size(), 0u);
}

TEST_P(ImmediateOrCancel, OneTickAwayFillsNothing) {
  rest(1, 0, 2);
  EXPECT_EQ(immediate(-1, 9), done(0, 9));
  EXPECT_EQ(queue(makers()), (Ids{1}));
  EXPECT_EQ(trades(), Trades{});
}

TEST_P(ImmediateOrCancel, NeedsNoSlot) {
  for (OrderId id = 1; id <= capacity; ++id) rest(id, 0, 1);
  EXPECT_EQ(immediate(-1, 9), done(0, 9));
  EXPECT_EQ(immediate(0, 99), done(capacity, 99 - capacity));
}

}  // namespace
}  // namespace llmes::test
