// SPDX-License-Identifier: MIT
//
// Reduce takes lots off a resting order, which keeps its place until nothing is left of it.
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class Reduce : public SideTest {};
LLMES_TEST_BOTH_SIDES(Reduce);

TEST_P(Reduce, KeepsThePlace) {
  const OrderHandle first = rest(1, 0, 5);
  rest(2, 0, 5);
  EXPECT_EQ(book.reduce_order(first, 4), Status::Success);
  EXPECT_EQ(queue(makers()), (Ids{1, 2}));
  EXPECT_EQ(book.find(first)->quantity, 1u);
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 6, 2}));
}

TEST_P(Reduce, ByAllThatIsOpenIsACancel) {
  const OrderHandle first = rest(1, 0, 5);
  rest(2, 0, 5);
  EXPECT_EQ(book.reduce_order(first, 5), Status::Success);
  EXPECT_EQ(book.find(first), std::nullopt);
  EXPECT_EQ(queue(makers()), (Ids{2}));
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 5, 1}));
  EXPECT_EQ(book.reduce_order(first, 1), Status::UnknownOrder);
}

TEST_P(Reduce, CountsWhatIsOpenNotWhatWasEntered) {
  const OrderHandle order = rest(1, 0, 5);
  take(2, 0, 3);
  EXPECT_EQ(book.reduce_order(order, 3), Status::InvalidQuantity);
  EXPECT_EQ(book.reduce_order(order, 2), Status::Success);
  EXPECT_EQ(book.size(), 0u);
}

TEST_P(Reduce, InTheMiddleLeavesTheSiblingsAlone) {
  rest(1, 0, 5);
  const OrderHandle middle = rest(2, 0, 5);
  rest(3, 0, 5);
  EXPECT_EQ(book.reduce_order(middle, 5), Status::Success);
  EXPECT_EQ(queue(makers()), (Ids{1, 3}));
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 10, 2}));
}

}  // namespace
}  // namespace llmes::test
