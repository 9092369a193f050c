// SPDX-License-Identifier: MIT
//
// A post-only order rests whole or is rejected.
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class PostOnly : public SideTest {
 protected:
  Result post(int step, Quantity quantity) { return take(100, step, quantity, TimeInForce::PostOnly); }
};
LLMES_TEST_BOTH_SIDES(PostOnly);

TEST_P(PostOnly, RestsOneTickShortOfTheTouch) {
  rest(1, 0, 5);
  const Result result = post(-1, 3);
  EXPECT_EQ(result.status, Status::Success);
  EXPECT_EQ(book.find(result.handle), (RestingOrder{result.handle, 100, takers(), at(-1), 3}));
}

TEST_P(PostOnly, IsRejectedAtTheTouchAndBeyond) {
  rest(1, 0, 5);
  const Snapshot before = snapshot_of(book);
  EXPECT_EQ(post(0, 3), Result{Status::WouldCross});
  EXPECT_EQ(post(1, 30), Result{Status::WouldCross});
  EXPECT_EQ(trades(), Trades{});
  EXPECT_EQ(snapshot_of(book), before);
}

TEST_P(PostOnly, RestsInAnEmptyBookAtAnyPrice) {
  EXPECT_EQ(post(60, 3).status, Status::Success);
  EXPECT_EQ(best(takers()), at(60));
}

TEST_P(PostOnly, MayTradeLaterLikeAnyMaker) {
  const OrderHandle posted = post(0, 3).handle;
  EXPECT_EQ(add(makers(), 1, 0, 2).filled, 2u);
  EXPECT_EQ(trades(), (Trades{{1, 100, posted, at(0), 2, 1, 0, makers()}}));
}

TEST_P(PostOnly, OnceRestingMayBeModifiedIntoTheOtherSide) {
  rest(1, 0, 5);
  const OrderHandle posted = post(-1, 3).handle;
  EXPECT_EQ(modify(posted, 0, 3).filled, 3u);
}

}  // namespace
}  // namespace llmes::test
