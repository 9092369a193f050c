// SPDX-License-Identifier: MIT
//
// Fill-or-kill trades whole or not at all, and what counts as fillable is exactly what the sweep would trade.
#include "tests/support/extremes.hpp"
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class FillOrKill : public SideTest {
 protected:
  Result fill_or_kill(int step, Quantity quantity) { return take(100, step, quantity, TimeInForce::FillOrKill); }

  /// 3 + 4 lots at step 0, 5 at step 1, 6 at step 4.
  void rest_makers() {
    rest(1, 0, 3);
    rest(2, 0, 4);
    rest(3, 1, 5);
    rest(4, 4, 6);
  }
};
LLMES_TEST_BOTH_SIDES(FillOrKill);

TEST_P(FillOrKill, TradesOverSeveralMakersAndLevels) {
  rest_makers();
  EXPECT_EQ(fill_or_kill(4, 14), done(14));
  EXPECT_EQ(trades().size(), 4u);
  EXPECT_EQ(level(makers(), 4), (DepthLevel{at(4), 4, 1}));
}

TEST_P(FillOrKill, IsDecidedToTheLotAtEachLimit) {
  rest_makers();
  const Snapshot before = snapshot_of(book);
  for (const auto& [step, reachable] : {std::pair{0, 7}, {1, 12}, {2, 12}, {3, 12}, {4, 18}, {9, 18}}) {
    SCOPED_TRACE(step);
    EXPECT_EQ(fill_or_kill(step, static_cast<Quantity>(reachable) + 1), Result{Status::NotFillable});
    EXPECT_EQ(trades(), Trades{});
    EXPECT_EQ(snapshot_of(book), before);
  }
  EXPECT_EQ(fill_or_kill(0, 7), done(7));
  EXPECT_EQ(fill_or_kill(3, 5), done(5));
  EXPECT_EQ(fill_or_kill(9, 6), done(6));
  EXPECT_EQ(book.size(), 0u);
}

TEST_P(FillOrKill, IsNotFillableWhereNothingCrosses) {
  EXPECT_EQ(fill_or_kill(0, 1), Result{Status::NotFillable}) << "an empty book";
  rest_makers();
  EXPECT_EQ(fill_or_kill(-1, 1), Result{Status::NotFillable}) << "one tick away";
}

TEST_P(FillOrKill, CountsTotalsThatTogetherOverflow) {
  rest(1, 0, most - 1);
  rest(2, 1, most - 1);
  EXPECT_EQ(fill_or_kill(0, most), Result{Status::NotFillable});
  EXPECT_EQ(fill_or_kill(1, most), done(most));
  EXPECT_EQ(level(makers(), 1), (DepthLevel{at(1), most - 2, 1}));
}

TEST_P(FillOrKill, NeedsNoSlot) {
  for (OrderId id = 1; id <= capacity; ++id) rest(id, 0, 2);
  EXPECT_EQ(fill_or_kill(0, 1), done(1));
  EXPECT_EQ(book.size(), capacity);
}

}  // namespace
}  // namespace llmes::test
