// SPDX-License-Identifier: MIT
//
// A level is a queue with a total, against std::deque.
#include "llmes/book/price_level.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "tests/support/extremes.hpp"
#include "tests/support/random.hpp"

namespace llmes::test::price_level_test {
namespace {

constexpr SlotIndex anchor = 1;
constexpr std::size_t anchor_count = 3;

struct PriceLevelTest : ::testing::Test {
  OrderPool pool{anchor_count, 64};
  PriceLevel level{pool, anchor};
  std::deque<SlotIndex> expected;

  SlotIndex take(Quantity quantity) {
    const SlotIndex index = pool.acquire(0);
    pool[index].quantity = quantity;
    return index;
  }
  void push_back(Quantity quantity) {
    const SlotIndex index = take(quantity);
    level.push_back(index);
    expected.push_back(index);
  }
  void erase(std::size_t place) {
    const SlotIndex index = expected[place];
    level.erase(index);
    pool.release(index);
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(place));
  }
  void expect_equal() {
    ASSERT_EQ(level.empty(), expected.empty());
    Quantity total = 0;
    for (const SlotIndex index : expected) total += pool[index].quantity;
    ASSERT_EQ(level.total(), total);
    ASSERT_EQ(level.front(), expected.empty() ? anchor : expected.front());
    std::deque<SlotIndex> forward;
    for (SlotIndex i = pool[anchor].next; i != anchor; i = pool[i].next) forward.push_back(i);
    ASSERT_EQ(forward, expected);
    std::deque<SlotIndex> backward;
    for (SlotIndex i = pool[anchor].previous; i != anchor; i = pool[i].previous) backward.push_front(i);
    ASSERT_EQ(backward, expected);
  }
};

TEST_F(PriceLevelTest, IsEmptyAtFirst) {
  expect_equal();
}

TEST_F(PriceLevelTest, LosesHeadMiddleTailAndTheOnlyOrder) {
  for (Quantity quantity = 1; quantity <= 5; ++quantity) push_back(quantity);
  for (const std::size_t place : {0u, 1u, 2u, 1u, 0u}) {
    erase(place);
    expect_equal();
  }
}

TEST_F(PriceLevelTest, ReductionKeepsThePlace) {
  for (Quantity quantity = 5; quantity <= 7; ++quantity) push_back(quantity);
  level.reduce(expected[1], 4);
  EXPECT_EQ(pool[expected[1]].quantity, 2u);
  expect_equal();
}

TEST_F(PriceLevelTest, LeavesItsNeighboursAlone) {
  PriceLevel below(pool, anchor - 1);
  PriceLevel above(pool, anchor + 1);
  const SlotIndex low = take(3);
  const SlotIndex high = take(4);
  below.push_back(low);
  above.push_back(high);
  push_back(5);
  erase(0);
  EXPECT_EQ(below.front(), low);
  EXPECT_EQ(below.total(), 3u);
  EXPECT_EQ(above.front(), high);
  EXPECT_EQ(above.total(), 4u);
}

TEST_F(PriceLevelTest, HasRoomUpToTheLargestTotal) {
  EXPECT_TRUE(level.has_room(most));
  push_back(10);
  EXPECT_TRUE(level.has_room(most - 10));
  EXPECT_FALSE(level.has_room(most - 9));
  EXPECT_TRUE(level.has_room(most - 6, 4));
  EXPECT_FALSE(level.has_room(most - 5, 4));
  EXPECT_TRUE(level.has_room(most, 10));
}

TEST_F(PriceLevelTest, AgreesWithAQueueThroughRandomUse) {
  Random random(2);
  for (int i = 0; i < 5'000; ++i) {
    if (!pool.full() && random.chance(52)) {
      push_back(1 + random.below(9));
    } else if (!expected.empty()) {
      const std::size_t place = random.below(expected.size());
      const Quantity quantity = pool[expected[place]].quantity;
      if (quantity > 1 && random.chance(40)) {
        level.reduce(expected[place], 1 + random.below(quantity - 1));
      } else {
        erase(place);
      }
    }
    expect_equal();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace llmes::test::price_level_test
