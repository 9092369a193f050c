// SPDX-License-Identifier: MIT
//
// The side of a wide book by itself: anchors come from its list and go back to it, the last one first.
#include "llmes/book/wide_side_book.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace llmes::test::wide_side_book_test {
namespace {

constexpr std::size_t n = 128;
constexpr std::size_t capacity = 5;

/// Both sides of a book and its pool.
class WideSideBookTest : public ::testing::TestWithParam<Side> {
 protected:
  WideSideBookTest() {
    for (const Side each : {Side::Buy, Side::Sell}) {
      EXPECT_TRUE(sides[static_cast<std::size_t>(each)].prepare(pool, each, capacity));
    }
  }
  SlotIndex rest(std::size_t rank, Quantity quantity = 1) {
    const SlotIndex index = pool.acquire(0);
    pool[index].id = 77;
    pool[index].quantity = quantity;
    book.push_back(pool, side, rank, index);
    return index;
  }
  void leave(SlotIndex index) {
    PriceLevel level(pool, pool[index].level);
    level.erase(index);
    book.retire_if_empty(pool, level);
    pool.release(index);
  }

  const Side side = GetParam();
  OrderPool pool{2 * capacity, capacity};
  std::array<WideSideBook<n>, 2> sides;
  WideSideBook<n>& book = sides[static_cast<std::size_t>(side)];
  const SlotIndex first = static_cast<SlotIndex>(static_cast<std::size_t>(side) * capacity);
};
INSTANTIATE_TEST_SUITE_P(Sides, WideSideBookTest, ::testing::Values(Side::Buy, Side::Sell));

TEST_P(WideSideBookTest, HasAnAnchorForEachOrderOrForEachPrice) {
  EXPECT_EQ(WideSideBook<n>::memory_bytes(1), (2 * 1 + 1) * 32 + 2 * 2 * 4u);
  EXPECT_EQ(WideSideBook<n>::memory_bytes(5), (2 * 5 + 5) * 32 + 2 * 16 * 4u);
  EXPECT_EQ(WideSideBook<n>::memory_bytes(n), (2 * n + n) * 32 + 2 * 2 * n * 4);
  EXPECT_EQ(WideSideBook<n>::memory_bytes(n + 1), (2 * n + n + 1) * 32 + 2 * 2 * n * 4);
}

TEST_P(WideSideBookTest, ALevelKnowsItsSideAndRank) {
  for (const std::size_t rank : {std::size_t{0}, std::size_t{63}, std::size_t{64}, n - 1}) {
    const SlotIndex order = rest(rank);
    const SlotIndex anchor = book.anchor(pool, side, rank);
    EXPECT_EQ(pool[order].level, anchor);
    EXPECT_EQ(WideSideBook<n>::side_of(pool, anchor), side);
    EXPECT_EQ(WideSideBook<n>::rank_of(pool, anchor), rank);
    EXPECT_EQ(pool[anchor].level, 1u);
    EXPECT_TRUE(book.occupied(pool, rank));
    leave(order);
    EXPECT_FALSE(book.occupied(pool, rank));
  }
}

TEST_P(WideSideBookTest, TakesTheAnchorThatWasGivenBackLast) {
  const SlotIndex a = rest(10);
  const SlotIndex b = rest(20);
  rest(30);
  EXPECT_EQ(book.anchor(pool, side, 10), first);
  EXPECT_EQ(book.anchor(pool, side, 20), first + 1);
  EXPECT_EQ(book.anchor(pool, side, 30), first + 2);
  leave(a);
  leave(b);
  rest(40);
  rest(50);
  rest(60);
  EXPECT_EQ(book.anchor(pool, side, 40), first + 1);
  EXPECT_EQ(book.anchor(pool, side, 50), first);
  EXPECT_EQ(book.anchor(pool, side, 60), first + 3);
}

TEST_P(WideSideBookTest, ThePoppedLevelLeavesWithItsOrders) {
  const std::size_t beyond = 10 + 16;  // a rank that shares the chain of rank 10
  const SlotIndex a = rest(10, 3);
  const SlotIndex b = rest(10, 4);
  const SlotIndex next = rest(beyond);
  const SlotIndex anchor = book.anchor(pool, side, 10);
  EXPECT_EQ(book.pop_best(pool, 10, PriceLevel(pool, anchor)), beyond);
  EXPECT_EQ(pool[a].next, b);
  EXPECT_EQ(pool[b].next, anchor);
  EXPECT_FALSE(book.occupied(pool, 10));
  EXPECT_EQ(pool[book.anchor(pool, side, beyond)].next, next);
  EXPECT_EQ(book.pop_best(pool, beyond, PriceLevel(pool, pool[next].level)), n);
  EXPECT_EQ(book.best(), n);
  rest(20);
  rest(30, 5);
  EXPECT_EQ(book.anchor(pool, side, 30), anchor);
  EXPECT_EQ(pool[anchor].quantity, 5u);
  EXPECT_EQ(pool[anchor].level, 1u);
}

TEST_P(WideSideBookTest, EveryOrderCanHaveALevelOfItsOwn) {
  for (int round = 0; round < 3; ++round) {
    std::vector<SlotIndex> orders;
    for (std::size_t i = 0; i < capacity; ++i) orders.push_back(rest(i * 20 + static_cast<std::size_t>(round)));
    for (std::size_t i = 0; i < capacity; ++i) {
      const SlotIndex anchor = book.anchor(pool, side, i * 20 + static_cast<std::size_t>(round));
      EXPECT_GE(anchor, first);
      EXPECT_LT(anchor, first + capacity);
      EXPECT_EQ(pool[anchor].next, orders[i]);
    }
    for (const SlotIndex order : orders) leave(order);
  }
}

TEST(WideSideBook, LeavesTheSlotsOfOrdersAsTheyAre) {
  OrderPool pool{2, 1};
  std::array<WideSideBook<n>, 2> sides;
  for (const Side side : {Side::Buy, Side::Sell}) {
    EXPECT_TRUE(sides[static_cast<std::size_t>(side)].prepare(pool, side, 1));
  }
  EXPECT_EQ(pool.acquire(0), 2u);
  EXPECT_TRUE(pool.full());
}

TEST_P(WideSideBookTest, OrdersOfALevelShareAnAnchor) {
  const SlotIndex a = rest(10, 3);
  const SlotIndex b = rest(10, 4);
  const SlotIndex anchor = book.anchor(pool, side, 10);
  EXPECT_EQ(pool[a].level, anchor);
  EXPECT_EQ(pool[b].level, anchor);
  EXPECT_EQ(pool[anchor].quantity, 7u);
  EXPECT_EQ(pool[anchor].level, 2u);
  leave(a);
  EXPECT_TRUE(book.occupied(pool, 10)) << "one is left";
  leave(b);
  EXPECT_FALSE(book.occupied(pool, 10));
  rest(11, 5);
  EXPECT_EQ(book.anchor(pool, side, 11), anchor);
  EXPECT_EQ(pool[anchor].quantity, 5u) << "an anchor begins anew";
  EXPECT_EQ(pool[anchor].level, 1u);
  EXPECT_EQ(pool[anchor].generation, 0u) << "no handle names it";
}

TEST_P(WideSideBookTest, AnEmptyLevelHasRoomForAnything) {
  constexpr Quantity most = std::numeric_limits<Quantity>::max();
  EXPECT_TRUE(book.has_room(pool, side, 10, most));
  const SlotIndex order = rest(10, 5);
  EXPECT_FALSE(book.has_room(pool, side, 10, most));
  EXPECT_TRUE(book.has_room(pool, side, 10, most - 5));
  EXPECT_FALSE(book.has_room(pool, side, 10, most - 4));
  EXPECT_TRUE(book.has_room(pool, side, 10, most - 4, 1));
  EXPECT_TRUE(book.has_room(pool, side, 11, most)) << "another level";
  leave(order);
  EXPECT_TRUE(book.has_room(pool, side, 10, most));
}

TEST_P(WideSideBookTest, AShiftMovesEveryLevelWithItsAnchor) {
  for (const std::size_t shift : {std::size_t{1}, std::size_t{0} - 1, std::size_t{37}, std::size_t{0} - 37}) {
    const std::vector<std::size_t> ranks{40, 41, 63, 64, 80};
    std::vector<std::pair<SlotIndex, SlotIndex>> before;  // order and anchor
    for (const std::size_t rank : ranks) {
      const SlotIndex order = rest(rank);
      before.emplace_back(order, book.anchor(pool, side, rank));
    }
    book.shift_ranks(pool, side, shift);
    std::size_t expected = ranks.front() + shift;
    EXPECT_EQ(book.best(), expected);
    EXPECT_EQ(book.worst(pool), ranks.back() + shift);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      expected = ranks[i] + shift;
      ASSERT_TRUE(book.occupied(pool, expected));
      EXPECT_EQ(book.anchor(pool, side, expected), before[i].second);
      EXPECT_EQ(WideSideBook<n>::rank_of(pool, before[i].second), expected);
      EXPECT_EQ(WideSideBook<n>::side_of(pool, before[i].second), side);
      leave(before[i].first);
    }
    EXPECT_EQ(book.best(), n);
  }
}

TEST_P(WideSideBookTest, IsEmptyOnceMovedFrom) {
  rest(10);
  const WideSideBook<n> taken = std::move(book);
  EXPECT_TRUE(taken.occupied(pool, 10));
  EXPECT_EQ(book.best(), n);
}

TEST_P(WideSideBookTest, AnAnchorThatIsGivenBackLeavesItsChain) {
  constexpr std::size_t apart = 16;  // as many as chains, for this capacity
  const SlotIndex older = rest(3);
  const SlotIndex younger = rest(3 + apart);
  leave(younger);
  const SlotIndex elsewhere = rest(4);
  EXPECT_EQ(pool[book.anchor(pool, side, 3)].next, older);
  EXPECT_EQ(pool[book.anchor(pool, side, 4)].next, elsewhere);
}

/// Ranks that are a multiple of the number of chains apart.
TEST_P(WideSideBookTest, LevelsOfOneChainComeAndGoInAnyOrder) {
  constexpr std::size_t apart = 16;  // as many as chains, for this capacity
  std::vector<std::size_t> ranks(capacity);
  for (std::size_t i = 0; i < capacity; ++i) ranks[i] = 3 + i * apart;
  std::vector<std::size_t> leaving = ranks;
  do {
    std::vector<SlotIndex> orders(n);
    for (const std::size_t rank : ranks) orders[rank] = rest(rank);
    for (std::size_t gone = 0; gone < capacity; ++gone) {
      for (std::size_t i = gone; i < capacity; ++i) {
        const std::size_t rank = leaving[i];
        ASSERT_EQ(pool[book.anchor(pool, side, rank)].next, orders[rank]);
      }
      leave(orders[leaving[gone]]);
    }
    ASSERT_EQ(book.best(), n);
  } while (std::ranges::next_permutation(leaving).found);
}

}  // namespace
}  // namespace llmes::test::wide_side_book_test
