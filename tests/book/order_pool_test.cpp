// SPDX-License-Identifier: MIT
//
// The pool hands out each slot once and takes it back; generations distinguish the uses of a slot.
#include "llmes/book/order_pool.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/print.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

constexpr std::size_t anchor_count = 4;
constexpr std::size_t capacity = 6;

TEST(OrderPool, HandsOutEachSlotOnceThenIsFull) {
  for (const std::size_t anchors : {std::size_t{1}, std::size_t{2}, anchor_count}) {
    OrderPool pool(anchors, capacity);
    EXPECT_EQ(pool.slot_count(), anchors + capacity);
    std::set<SlotIndex> taken;
    for (std::size_t i = 0; i < capacity; ++i) {
      ASSERT_FALSE(pool.full());
      EXPECT_EQ(pool.live_count(), i);
      const SlotIndex index = pool.acquire(0);
      EXPECT_GE(index, anchors) << "an anchor was handed out";
      EXPECT_LT(index, pool.slot_count());
      EXPECT_TRUE(taken.insert(index).second);
    }
    EXPECT_TRUE(pool.full());
    EXPECT_EQ(pool.live_count(), capacity);
  }
}

TEST(OrderPool, HasNothingInItsSlotsAtFirst) {
  const OrderPool pool(anchor_count, capacity);
  for (SlotIndex i = 0; i < pool.slot_count(); ++i) {
    EXPECT_EQ(pool[i].id, 0u) << i;
    EXPECT_EQ(pool[i].quantity, 0u) << i;
    EXPECT_EQ(pool[i].level, 0u) << i;
    EXPECT_EQ(pool[i].generation, 0u) << i;
  }
}

TEST(OrderPool, EverySlotOfTheLargestHasAnIndexOfItsOwn) {
  for (const std::size_t anchors : {std::size_t{1}, std::size_t{128}, std::size_t{524'288}}) {
    EXPECT_EQ(OrderPool::capacity_max(anchors) + anchors, std::numeric_limits<SlotIndex>::max());
  }
}

TEST(OrderPool, AReleasedSlotIsTheNextAcquired) {
  OrderPool pool(anchor_count, capacity);
  const SlotIndex first = pool.acquire(0);
  const SlotIndex second = pool.acquire(0);
  pool.release(first);
  pool.release(second);
  EXPECT_EQ(pool.acquire(0), second);
  EXPECT_EQ(pool.acquire(0), first);
}

TEST(OrderPool, AHandleIsFoundUntilItsSlotIsReleased) {
  OrderPool pool(anchor_count, capacity);
  const SlotIndex index = pool.acquire(0);
  const OrderHandle handle = pool.handle(index);
  EXPECT_TRUE(pool.contains(handle));
  pool.release(index);
  EXPECT_FALSE(pool.contains(handle));
  ASSERT_EQ(pool.acquire(0), index);
  EXPECT_FALSE(pool.contains(handle)) << "the slot has another order now";
  EXPECT_TRUE(pool.contains(pool.handle(index)));
}

TEST(OrderPool, AnchorsFreeSlotsAndSlotsBeyondTheEndAreNotFound) {
  OrderPool pool(anchor_count, capacity);
  const OrderHandle live = pool.handle(pool.acquire(0));
  for (std::uint32_t index = 0; index < anchor_count + capacity + 5; ++index) {
    for (const std::uint32_t generation : {0u, 1u, 2u, 3u, 0xffffffffu}) {
      const OrderHandle handle{index, generation};
      EXPECT_EQ(pool.contains(handle), handle == live) << handle;
    }
  }
  EXPECT_FALSE(pool.contains({0xffffffffu, 1}));
}

TEST(OrderPool, AgreesWithASetThroughRandomUse) {
  OrderPool pool(anchor_count, capacity);
  Random random(1);
  std::vector<OrderHandle> live;
  std::vector<OrderHandle> dead;
  for (int i = 0; i < 20'000; ++i) {
    if (!pool.full() && random.chance(55)) {
      live.push_back(pool.handle(pool.acquire(0)));
    } else if (!live.empty()) {
      std::swap(live[random.below(live.size())], live.back());
      pool.release(live.back().index);
      dead.push_back(live.back());
      live.pop_back();
    }
    ASSERT_EQ(pool.live_count(), live.size());
    ASSERT_EQ(pool.full(), live.size() == capacity);
    for (const OrderHandle handle : live) ASSERT_TRUE(pool.contains(handle));
    const OrderHandle once = dead.empty() ? OrderHandle{} : dead[random.below(dead.size())];
    ASSERT_FALSE(pool.contains(once));
  }
}

TEST(OrderPool, WithoutSlotsFindsNothingAndIsFull) {
  OrderPool pool;
  EXPECT_TRUE(pool.full());
  EXPECT_EQ(pool.slot_count(), 0u);
  EXPECT_FALSE(pool.contains({}));
  EXPECT_FALSE(pool.contains({1, 1}));
}

TEST(OrderPool, MovedFromHasNoSlots) {
  OrderPool pool(anchor_count, capacity);
  const OrderHandle handle = pool.handle(pool.acquire(0));
  OrderPool other = std::move(pool);
  EXPECT_TRUE(other.contains(handle));
  EXPECT_EQ(other.live_count(), 1u);
  EXPECT_FALSE(pool.contains(handle));
  EXPECT_TRUE(pool.full());
  pool = std::move(other);
  EXPECT_TRUE(pool.contains(handle));
  EXPECT_EQ(other.slot_count(), 0u);
  EXPECT_EQ(other.live_count(), 0u);
}

#if defined(__linux__)
/// The addresses within [begin, end) that the system was asked to back with huge pages, as ranges.
std::vector<std::pair<std::uintptr_t, std::uintptr_t>> huge_ranges(std::uintptr_t begin, std::uintptr_t end) {
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> found;
  std::ifstream maps("/proc/self/smaps");
  std::string range;  // "FIRST-LAST ..."; what follows are lines "NAME: VALUE" about it
  for (std::string line; std::getline(maps, line);) {
    if (line.find(':') > line.find('-')) range = line;
    if (!line.starts_with("VmFlags:") || line.find(" hg") == std::string::npos) continue;
    std::uintptr_t first = 0;
    std::uintptr_t last = 0;
    char dash = 0;
    std::istringstream(range) >> std::hex >> first >> dash >> last;
    if (first < end && last > begin) found.emplace_back(first, last);
  }
  return found;
}

TEST(OrderPool, AsksForHugePagesWhereWholeOnesFit) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) GTEST_SKIP() << "a kernel without them";
  constexpr std::uintptr_t huge_page = 2'097'152;
  // Above 32 MiB, where malloc of glibc gives each block pages of its own, which nobody has asked anything of.
  constexpr std::size_t slots = 20 * huge_page / sizeof(OrderSlot);
  const OrderPool pool(anchor_count, slots - anchor_count);
  const auto begin = reinterpret_cast<std::uintptr_t>(&pool[0]);
  const std::uintptr_t end = begin + slots * sizeof(OrderSlot);
  const auto ranges = huge_ranges(begin, end);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_LT(ranges[0].first - begin, huge_page) << "nothing before the block, and all whole pages of it";
  EXPECT_LT(end - ranges[0].second, huge_page);
  EXPECT_EQ(ranges[0].first % huge_page, 0u);
  EXPECT_EQ(ranges[0].second % huge_page, 0u);
}
#endif

TEST(OrderPool, AsksForMemoryOfAnySlotWithoutHarm) {
  OrderPool pool(anchor_count, capacity);
  for (SlotIndex slot = 0; slot < 40; ++slot) {
    pool.prefetch(slot);
    pool.prefetch_neighbours(slot);
  }
  pool.prefetch(0xffffffffu);
  pool.prefetch_neighbours(0xffffffffu);
}

}  // namespace
}  // namespace llmes::test
