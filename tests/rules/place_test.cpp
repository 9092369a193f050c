// SPDX-License-Identifier: MIT
//
// A stated place in the queue, in a book with rules.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/rules/ruled_book.hpp"
#include "tests/support/results.hpp"

namespace llmes::test {
namespace {

class RuledPlaceTest : public RuledBookTest<> {
 protected:
  Result before(OrderHandle neighbour, OrderId id, Quantity quantity, const OrderTerms& terms = {}) {
    return book.add_resting_order_before(neighbour, id, quantity, terms);
  }
};

TEST_F(RuledPlaceTest, AMassCancelGoesByTheQueue) {
  const OrderHandle first = sell(1, 10, 1, of(1));
  const OrderHandle second = sell(2, 10, 2, of(1));
  sell(3, 10, 3, hidden(1));
  EXPECT_EQ(before(second, 4, 4, of(1)).status, Status::Success);
  EXPECT_EQ(before(first, 5, 5, of(1)).status, Status::Success);
  EXPECT_EQ(before(first, 6, 6, of(2)).status, Status::Success);
  EXPECT_EQ(queue(Side::Sell, 10), (std::vector<OrderId>{5, 6, 1, 4, 2, 3}));
  EXPECT_EQ(book.mass_cancel({.owner = 1}, told), done(0, 15));
  EXPECT_EQ(told.take(),
            (Lines{"5 cancelled 5", "1 cancelled 1", "4 cancelled 4", "2 cancelled 2", "3 cancelled 0"}));
}

/// His list has it behind a hidden order of his, which is behind it in the queue.
TEST_F(RuledPlaceTest, AMassCancelTakesWhatIsDisplayedFirst) {
  const OrderHandle other = sell(1, 10, 1, of(2));
  sell(2, 10, 2, hidden(1));
  EXPECT_EQ(before(other, 3, 3, of(1)).status, Status::Success);
  EXPECT_EQ(queue(Side::Sell, 10), (std::vector<OrderId>{3, 1, 2}));
  EXPECT_EQ(book.mass_cancel({.owner = 1}, told), done(0, 5));
  EXPECT_EQ(told.take(), (Lines{"3 cancelled 3", "2 cancelled 0"}));
}

TEST_F(RuledPlaceTest, NothingComesBeforeAHiddenOrder) {
  const OrderHandle order = sell(1, 10, 5, hidden());
  const OrderHandle shown = sell(2, 10, 5);
  EXPECT_EQ(before(order, 3, 1).status, Status::InvalidCommand);
  EXPECT_EQ(before(shown, 3, 1, hidden()).status, Status::InvalidCommand);
  EXPECT_EQ(before(shown, 3, 0).status, Status::InvalidQuantity);
  EXPECT_EQ(before({}, 3, 1).status, Status::UnknownOrder);
  EXPECT_EQ(before(shown, 3, 1).status, Status::Success);
  EXPECT_EQ(queue(Side::Sell, 10), (std::vector<OrderId>{3, 2, 1}));
}

TEST_F(RuledPlaceTest, IsRejectedAsAnAddIs) {
  constexpr Quantity largest = std::numeric_limits<Quantity>::max();
  constexpr Quantity reserves = largest / 4;
  const OrderHandle shown = sell(1, 10, 5, of(1));
  sell(2, 11, reserves + reserves / 2, reserve(reserves / 2));
  EXPECT_EQ(before(shown, 3, 1, of(1, static_cast<SelfTrade>(5))).status, Status::InvalidCommand);
  EXPECT_EQ(before(shown, 3, largest - reserves + 1).status, Status::QuantityOverflow);
  EXPECT_EQ(before(shown, 3, largest - reserves - 4).status, Status::QuantityOverflow) << "five lots are there";
  EXPECT_EQ(before(shown, 3, largest - reserves - 5).status, Status::Success);
  for (OrderId id = 4; book.size() < 32; ++id) buy(id, 9, 1);
  EXPECT_EQ(before(shown, 99, 1).status, Status::PoolFull);
  EXPECT_EQ(queue(Side::Sell, 10), (std::vector<OrderId>{3, 1}));
}

}  // namespace
}  // namespace llmes::test
