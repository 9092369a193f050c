// SPDX-License-Identifier: MIT
//
// The depth query writes levels from the best outwards, as many as there is room for.
#include <array>

#include "tests/support/extremes.hpp"
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class Depth : public SideTest {};
LLMES_TEST_BOTH_SIDES(Depth);

TEST_P(Depth, OfAnEmptySideIsNothing) {
  std::array<DepthLevel, 2> out{DepthLevel{7, 7, 7}, {8, 8, 8}};
  EXPECT_EQ(book.depth(makers(), out), 0u);
  EXPECT_EQ(out[0], (DepthLevel{7, 7, 7})) << "nothing is written";
}

TEST_P(Depth, IsBestFirstWithTotalsAndCounts) {
  rest(1, 70, 1);
  rest(2, 0, 2);
  rest(3, 13, 3);
  rest(4, 0, 4);
  rest_on(takers(), 5, -1, 9);
  EXPECT_EQ(depth_of(book, makers()), (std::vector<DepthLevel>{{at(0), 6, 2}, {at(13), 3, 1}, {at(70), 1, 1}}));
  EXPECT_EQ(depth_of(book, takers()), (std::vector<DepthLevel>{{at(-1), 9, 1}}));
}

TEST_P(Depth, StopsWhereTheRoomEnds) {
  for (int step = 0; step < 5; ++step) rest(static_cast<OrderId>(step), step, 1);
  std::array<DepthLevel, 3> out;
  EXPECT_EQ(book.depth(makers(), std::span(out).first(2)), 2u);
  EXPECT_EQ(out[0].price, at(0));
  EXPECT_EQ(out[1].price, at(1));
  EXPECT_EQ(out[2], DepthLevel{}) << "beyond the room nothing is written";
  EXPECT_EQ(book.depth(makers(), {}), 0u);
}

TEST_P(Depth, ReachesBothEndsOfTheBand) {
  rest(1, -50, 1);
  rest(2, 77, 2);
  EXPECT_EQ(depth_of(book, makers()), (std::vector<DepthLevel>{{at(-50), 1, 1}, {at(77), 2, 1}}));
}

TEST_P(Depth, FollowsPartialFillsCancelsAndModifies) {
  rest(1, 0, 5);
  const OrderHandle second = rest(2, 0, 5);
  const OrderHandle third = rest(3, 2, 5);
  take(9, 0, 2);
  EXPECT_EQ(depth_of(book, makers()), (std::vector<DepthLevel>{{at(0), 8, 2}, {at(2), 5, 1}}));
  EXPECT_EQ(book.cancel_order(second), Status::Success);
  EXPECT_EQ(depth_of(book, makers()), (std::vector<DepthLevel>{{at(0), 3, 1}, {at(2), 5, 1}}));
  modify(third, 0, 6);
  EXPECT_EQ(depth_of(book, makers()), (std::vector<DepthLevel>{{at(0), 9, 2}}));
}

TEST_P(Depth, OfNoSideIsNothing) {
  rest(1, 0, 5);
  std::array<DepthLevel, 2> out;
  EXPECT_EQ(book.depth(no_side, out), 0u);
  EXPECT_EQ(book.level(no_side, at(0)), DepthLevel{at(0)});
  EXPECT_TRUE(orders_of(book, no_side).empty());
}

}  // namespace
}  // namespace llmes::test
