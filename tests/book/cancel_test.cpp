// SPDX-License-Identifier: MIT
//
// A cancel takes the order off, leaves its neighbours alone, and tells what it took off if it is asked.
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class Cancel : public SideTest {};
LLMES_TEST_BOTH_SIDES(Cancel);

TEST_P(Cancel, TellsWhatTheOrderWas) {
  rest(1, 0, 5);
  const OrderHandle middle = rest(2, 0, 7);
  rest(3, 0, 5);
  take(4, 0, 6);  // all of the first, a lot of the second
  RestingOrder cancelled;
  EXPECT_EQ(book.cancel_order(middle, cancelled), Status::Success);
  EXPECT_EQ(cancelled, (RestingOrder{middle, 2, makers(), at(0), 6}));
  EXPECT_EQ(queue(makers()), (Ids{3}));
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 5, 1}));
}

TEST_P(Cancel, OfAnUnknownOrderTellsNothing) {
  const OrderHandle order = rest(1, 0, 5);
  const RestingOrder before{order, 9, takers(), at(3), 4};
  RestingOrder cancelled = before;
  EXPECT_EQ(book.cancel_order({}, cancelled), Status::UnknownOrder);
  EXPECT_EQ(book.cancel_order({order.index, order.generation + 2}, cancelled), Status::UnknownOrder);
  EXPECT_EQ(cancelled, before);
  EXPECT_EQ(queue(makers()), (Ids{1}));
}

TEST_P(Cancel, AsACommandTellsTheLots) {
  const OrderHandle order = rest(1, 0, 5);
  EXPECT_EQ(book.apply(Command::reduce(order, 2), DiscardTrades{}), kept_place(order, 3, 2));
  EXPECT_EQ(book.apply(Command::cancel(order), DiscardTrades{}), done(0, 3));
  EXPECT_EQ(book.apply(Command::cancel(order), DiscardTrades{}), Result{Status::UnknownOrder});
  const OrderHandle other = rest(2, 0, 5);
  EXPECT_EQ(book.apply(Command::reduce(other, 5), DiscardTrades{}), done(0, 5)) << "by all that is open";
}

}  // namespace
}  // namespace llmes::test
