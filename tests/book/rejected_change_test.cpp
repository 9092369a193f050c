// SPDX-License-Identifier: MIT
//
// A rejected modify, replace or reduce names the order that rests on as it was, so nobody who keeps the handle of
// the result loses the order.
#include "tests/support/extremes.hpp"
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class RejectedChange : public SideTest {};
LLMES_TEST_BOTH_SIDES(RejectedChange);

TEST_P(RejectedChange, NamesTheOrderThatRestsOn) {
  const OrderHandle order = rest(1, 0, 5);
  rest_on(takers(), 2, -1, 1);
  rest(3, 1, most);
  for (const Command& command :
       {Command::modify(order, at(0), 0), Command::modify(order, 10'000, 5), Command::modify(order, at(1), 5),
        Command::modify(order, at(0), 5, no_time_in_force),
        Command::modify(order, at(-1), 5, TimeInForce::PostOnly),
        Command::modify(order, at(-1), 5, TimeInForce::FillOrKill), Command::replace(order, 1, at(0), 0),
        Command::replace(order, 1, 10'000, 5), Command::replace(order, 1, at(1), 5),
        Command::replace(order, 1, at(0), 5, no_time_in_force), Command::reduce(order, 0),
        Command::reduce(order, 6)}) {
    const Result result = book.apply(command, DiscardTrades{});
    EXPECT_NE(result.status, Status::Success);
    EXPECT_EQ(result, stays(result.status, order, 5));
    EXPECT_TRUE(result.rests());
    EXPECT_EQ(book.find(result.handle)->id, 1u);
  }
}

TEST_P(RejectedChange, OfNoOrderNamesNone) {
  const OrderHandle gone = rest(1, 0, 5);
  EXPECT_EQ(book.cancel_order(gone), Status::Success);
  rest(2, 0, 5);
  for (const OrderHandle handle : {gone, OrderHandle{}, OrderHandle{0, 1}, OrderHandle{0xffffffffu, 1}}) {
    EXPECT_EQ(modify(handle, 0, 0), Result{Status::UnknownOrder});
    EXPECT_EQ(modify(handle, 0, 1, no_time_in_force), Result{Status::InvalidCommand});
    EXPECT_EQ(replace(handle, 1, 0, 0), Result{Status::UnknownOrder});
    EXPECT_EQ(replace(handle, 1, 0, 1, no_time_in_force), Result{Status::InvalidCommand});
    EXPECT_EQ(book.apply(Command::reduce(handle, 1), DiscardTrades{}), Result{Status::UnknownOrder});
  }
}

}  // namespace
}  // namespace llmes::test
