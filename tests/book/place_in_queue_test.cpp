// SPDX-License-Identifier: MIT
//
// An order may come to rest directly in front of another one: a feed gives the queue of a price in any order.
#include "llmes/sets/book_set.hpp"
#include "tests/support/side_test.hpp"

namespace llmes::test {
namespace {

class PlaceInQueue : public SideTest {};
LLMES_TEST_BOTH_SIDES(PlaceInQueue);

TEST_P(PlaceInQueue, IsDirectlyInFrontOfTheNeighbour) {
  const OrderHandle first = rest(1, 0, 5);
  const OrderHandle last = rest(2, 0, 6);
  rest(3, 1, 1);
  const Result before_last = add_resting_before(last, 4, 7);
  EXPECT_EQ(before_last, rests(before_last.handle, 7));
  EXPECT_EQ(book.find(before_last.handle), (RestingOrder{before_last.handle, 4, makers(), at(0), 7}));
  EXPECT_EQ(queue(makers()), (Ids{1, 4, 2, 3}));
  add_resting_before(first, 5, 1);
  add_resting_before(before_last.handle, 6, 2);
  EXPECT_EQ(queue(makers()), (Ids{5, 1, 6, 4, 2, 3}));
  EXPECT_EQ(level(makers(), 0), (DepthLevel{at(0), 21, 5}));
  EXPECT_EQ(book.queue_ahead(last), (QueuePosition{15, 4}));
}

/// As a feed tells it: the first order, the third, and then the second.
TEST_P(PlaceInQueue, IsThatInWhichOrdersTrade) {
  rest(1, 0, 1);
  const OrderHandle third = rest(3, 0, 3);
  add_resting_before(third, 2, 2);
  rest(4, 0, 4);
  EXPECT_EQ(market(9, 10), done(10));
  Ids makers_met;
  for (const Trade& trade : trades()) makers_met.push_back(trade.maker_id);
  EXPECT_EQ(makers_met, (Ids{1, 2, 3, 4}));
}

/// Also where the order would meet makers.
TEST_P(PlaceInQueue, IsTakenWithoutATradeInACrossedBook) {
  const OrderHandle neighbour = rest(1, 5, 5);
  add_resting(takers(), 2, 5, 5);
  add_resting_before(neighbour, 3, 4);
  EXPECT_EQ(queue(makers()), (Ids{3, 1}));
  EXPECT_EQ(queue(takers()), (Ids{2}));
  EXPECT_TRUE(trades().empty());
}

TEST_P(PlaceInQueue, OutlivesItsNeighbours) {
  const OrderHandle first = rest(1, 0, 5);
  const OrderHandle placed = add_resting_before(first, 2, 5).handle;
  const OrderHandle before_it = add_resting_before(placed, 3, 5).handle;
  EXPECT_EQ(book.cancel_order(first), Status::Success);
  EXPECT_EQ(book.cancel_order(before_it), Status::Success);
  rest(4, 0, 5);
  EXPECT_EQ(queue(makers()), (Ids{2, 4}));
  EXPECT_EQ(add_resting_before(first, 5, 5), Result{Status::UnknownOrder});
}

TEST_P(PlaceInQueue, IsThereForTheLastSlotAndTheLargestTotal) {
  const OrderHandle first = rest(1, 0, 1);
  for (OrderId id = 2; id < capacity; ++id) rest(id, 1, 1);
  EXPECT_EQ(add_resting_before(first, 20, std::numeric_limits<Quantity>::max() - 1).status, Status::Success);
  EXPECT_EQ(book.size(), capacity);
  EXPECT_EQ(queue(makers()).front(), 20u);
}

/// A far level is in use already, so a set without another one has room for it.
TEST_P(PlaceInQueue, IsThereOnAFarLevelOfASetThatHasNoOtherOne) {
  BookSet set = *BookSet::create({.max_books = 2, .capacity = 8, .far_levels = 1});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(set.add_book());
  const auto far = [](Price ticks) { return makers() == Side::Buy ? -ticks : ticks; };
  set.add_resting_order(1, 1, makers(), far(0), 1);
  const OrderHandle neighbour = set.add_resting_order(1, 2, makers(), far(9'000), 1).handle;
  ASSERT_EQ(set.far_levels_left(), 0u);
  const Result result = set.add_resting_order_before(neighbour, 3, 5);
  EXPECT_EQ(result, rests(result.handle, 5));
  EXPECT_EQ(set.book_of(result.handle), BookNumber{1});
  EXPECT_EQ(set.find(result.handle), (RestingOrder{result.handle, 3, makers(), far(9'000), 5}));
  EXPECT_EQ(set.book(1)->queue_ahead(neighbour), (QueuePosition{5, 1}));
}

}  // namespace
}  // namespace llmes::test
