// SPDX-License-Identifier: MIT
//
// A pool in which orders live where their ids say, beside a map from id to slot.
#include "llmes/sets/placed_pool.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "llmes/ids/id_lookup.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

constexpr std::size_t anchors = 3;

class CheckedPool {
 public:
  explicit CheckedPool(std::size_t capacity) : pool(anchors, capacity) {}

  [[nodiscard]] bool rests(OrderId id) const { return truth_.contains(id); }
  [[nodiscard]] std::size_t size() const { return truth_.size(); }
  [[nodiscard]] OrderId some(Random& random) const {
    return std::next(truth_.begin(), static_cast<std::ptrdiff_t>(random.below(truth_.size())))->first;
  }

  void add(OrderId id) {
    const SlotIndex slot = pool.acquire(id);
    ASSERT_GE(slot, anchors);
    ASSERT_LT(slot, pool.slot_count());
    ASSERT_TRUE(taken_.emplace(slot, id).second) << "slot " << slot << " has an order already";
    pool[slot].id = id;
    truth_[id] = pool.handle(slot);
  }
  void remove(OrderId id) {
    const OrderHandle handle = truth_.at(id);
    pool.release(handle.index);
    taken_.erase(handle.index);
    truth_.erase(id);
    ASSERT_FALSE(pool.contains(handle));
  }
  void expect_found(OrderId id) const {
    const auto there = truth_.find(id);
    ASSERT_EQ(pool.handle_of(id), there == truth_.end() ? OrderHandle{} : there->second) << "id " << id;
    ASSERT_LT(pool.likely_slot(id), pool.slot_count());
    pool.prefetch_tags(id);
    pool.prefetch_bucket(id);
  }
  void expect_all_found() const {
    for (const auto& [id, handle] : truth_) expect_found(id);
    ASSERT_EQ(pool.live_count(), truth_.size());
    ASSERT_EQ(pool.full(), truth_.size() == pool.capacity());
  }

  PlacedPool pool;

 private:
  std::unordered_map<OrderId, OrderHandle> truth_;
  std::unordered_map<SlotIndex, OrderId> taken_;
};

/// Adds and removes at random; `pick` draws ids.
void play(std::size_t capacity, int rounds, const std::function<OrderId(Random&, int)>& pick) {
  CheckedPool checked(capacity);
  Random random(capacity);
  bool was_full = false;
  for (int round = 0; round < rounds; ++round) {
    const OrderId id = pick(random, round);
    if (checked.rests(id)) {
      checked.remove(id);
    } else if (!checked.pool.full()) {
      checked.add(id);
    } else {
      was_full = true;
      checked.remove(checked.some(random));
    }
    checked.expect_found(id);
    checked.expect_found(pick(random, round));
    if (round % 16 == 0) checked.expect_all_found();
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_TRUE(was_full);
  while (checked.size() > 0) checked.remove(checked.some(random));
  checked.expect_all_found();
  for (const std::uint64_t word : BookInspector::tags_of(checked.pool)) ASSERT_EQ(word, 0u);
}

TEST(PlacedPool, FindsIdsThatGrow) {
  for (const std::size_t capacity : {1u, 2u, 3u, 4u, 5u, 17u, 100u, 1'000u}) {
    play(capacity, 6'000, [](Random& random, int round) {
      return static_cast<OrderId>(round) + random.below(random.chance(70) ? 8 : 3'000);
    });
  }
}

TEST(PlacedPool, FindsIdsOfOneBucket) {
  for (const std::size_t capacity : {1u, 4u, 13u, 90u}) {
    const CheckedPool empty(capacity);
    const std::size_t buckets = BookInspector::tags_of(empty.pool).size();
    play(capacity, 3'000, [buckets](Random& random, int) { return random.below(400) * 4 * buckets; });
  }
}

/// The eighth order of a bucket lives in the next one; that of the last bucket is the first.
TEST(PlacedPool, GoesOnToTheNextBucket) {
  CheckedPool checked(40);
  const std::span<const std::uint64_t> tags = BookInspector::tags_of(checked.pool);
  for (std::size_t bucket = 0; bucket < tags.size(); ++bucket) {
    Random random(bucket);
    std::vector<OrderId> ids;
    while (ids.size() < 8) {
      const OrderId id = random.next();
      checked.add(id);
      if (tags[bucket] != 0) ids.push_back(id);
      checked.remove(id);
    }
    for (const OrderId id : ids) checked.add(id);
    EXPECT_NE(tags[(bucket + 1) % tags.size()], 0u) << bucket;
    checked.expect_all_found();
    for (const OrderId id : ids) checked.remove(id);
    for (const std::uint64_t word : tags) ASSERT_EQ(word, 0u) << bucket;
  }
}

/// So a search looks at no slot of another order, while all orders of a bucket are of 32 rounds.
TEST(PlacedPool, TellsTheIdsOf32RoundsApart) {
  for (const std::size_t capacity : {5u, 12u, 40u}) {
    CheckedPool checked(capacity);
    const std::span<const std::uint64_t> tags = BookInspector::tags_of(checked.pool);
    for (const OrderId first : {OrderId{0}, OrderId{1'000'003}, OrderId{1} << 45}) {
      std::vector<std::set<std::uint64_t>> used(tags.size());
      for (OrderId id = first; id < first + 32 * 4 * tags.size(); ++id) {
        checked.add(id);
        for (std::size_t bucket = 0; bucket < tags.size(); ++bucket) {
          if (tags[bucket] != 0) used[bucket].insert(tags[bucket]);
        }
        checked.remove(id);
      }
      for (const std::set<std::uint64_t>& some : used) EXPECT_EQ(some.size(), 128u) << capacity << ", " << first;
    }
  }
}

TEST(PlacedPool, FindsTheExtremes) {
  play(9, 2'000, [](Random& random, int) { return random.below(20) - 10; });
  play(50, 2'000, [](Random& random, int) { return random.chance(50) ? random.next() : ~random.below(60); });
}

/// With its own number of orders for each: steps of round numbers use all buckets, and few orders are passed on.
TEST(PlacedPool, PutsIdsInRoundStepsWhereTheyBelong) {
  for (const OrderId step : {1u, 2u, 4u, 5u, 8u, 10u, 64u, 100u, 1'000u, 4'096u, 1'000'000u}) {
    CheckedPool checked(4'000);
    for (OrderId i = 0; i < 4'000; ++i) checked.add(7 + i * step);
    checked.expect_all_found();
    std::uint64_t passes = 0;
    for (const std::uint64_t word : BookInspector::tags_of(checked.pool)) passes += word >> 56;
    EXPECT_LT(passes, 400u) << "step " << step;
  }
}

/// A count that has reached its largest number stays there, and all orders are found.
TEST(PlacedPool, FindsOrdersThatMoreHaveGoneByThanItCanCount) {
  constexpr std::size_t capacity = 1'200;
  CheckedPool checked(capacity);
  const std::span<const std::uint64_t> tags = BookInspector::tags_of(checked.pool);
  const OrderId step = 4 * tags.size();
  for (OrderId i = 0; i < capacity; ++i) checked.add(i * step);
  EXPECT_EQ(tags[0] >> 56, 255u);
  checked.expect_all_found();
  checked.expect_found(capacity * step);
  for (OrderId i = 0; i < capacity; i += 2) checked.remove(i * step);
  checked.expect_all_found();
  for (OrderId i = 1; i < capacity; i += 2) checked.remove(i * step);
  EXPECT_EQ(tags[0] >> 56, 255u);
  checked.expect_found(step);
  checked.add(step);
  checked.expect_all_found();
}

/// Each bucket is passed, and full of other ids: a search that finds nothing ends where it began.
TEST(PlacedPool, EndsASearchThatHasSeenAllBuckets) {
  CheckedPool checked(4);
  ASSERT_EQ(BookInspector::tags_of(checked.pool).size(), 1u);
  for (OrderId id = 0; id < 4; ++id) checked.add(id);
  BookInspector::tags_of(checked.pool)[0] |= std::uint64_t{1} << 56;
  EXPECT_EQ(checked.pool.handle_of(99), OrderHandle{});
}

TEST(PlacedPool, AHandleStaysStaleWhenItsSlotIsTakenAgain) {
  CheckedPool checked(1);
  checked.add(5);
  const OrderHandle old = checked.pool.handle_of(5);
  checked.remove(5);
  checked.add(5);
  EXPECT_EQ(checked.pool.handle_of(5).index, old.index);
  EXPECT_FALSE(checked.pool.contains(old));
}

TEST(PlacedPool, HasNoSlotsOnceMovedFrom) {
  CheckedPool checked(10);
  checked.add(5);
  const OrderHandle handle = checked.pool.handle_of(5);
  PlacedPool moved = std::move(checked.pool);
  EXPECT_EQ(moved.handle_of(5), handle);
  EXPECT_EQ(checked.pool.slot_count(), 0u);
  EXPECT_EQ(checked.pool.capacity(), 0u);
  EXPECT_TRUE(checked.pool.full());
  for (const OrderId id : {OrderId{0}, OrderId{5}, largest_id}) {
    EXPECT_EQ(checked.pool.handle_of(id), OrderHandle{});
    checked.pool.prefetch_tags(id);
    checked.pool.prefetch_bucket(id);
    EXPECT_LT(checked.pool.likely_slot(id), anchors + 7);
  }
  checked.pool = std::move(moved);
  EXPECT_EQ(checked.pool.handle_of(5), handle);
  checked.pool = PlacedPool();
  EXPECT_EQ(checked.pool.slot_count(), 0u);
  EXPECT_EQ(checked.pool.handle_of(5), OrderHandle{});
}

TEST(PlacedPool, HasAsManySlotsAsItSays) {
  for (const std::size_t capacity : {1u, 4u, 5u, 8u, 17u, 20u, 40u, 1'000u}) {
    const PlacedPool pool(anchors, capacity);
    const std::size_t buckets = BookInspector::tags_of(pool).size();
    EXPECT_GE(buckets * 4, capacity);
    EXPECT_LT(buckets * 4, capacity + 16);
    EXPECT_NE(buckets % 2, 0u);
    EXPECT_NE(buckets % 5, 0u);
    EXPECT_EQ(pool.slot_count(), anchors + 7 * buckets);
    EXPECT_EQ(PlacedPool::memory_bytes(anchors, capacity), 32 * pool.slot_count() + 8 * buckets);
  }
  // The largest pool, for which there is no memory here, has as many slots as there are numbers of slots.
  const std::size_t most = PlacedPool::capacity_max(anchors);
  EXPECT_LE(PlacedPool::memory_bytes(0, most) / (7 * 32 + 8) * 7 + anchors, std::numeric_limits<SlotIndex>::max());
  EXPECT_GT(PlacedPool::memory_bytes(0, most + 32) / (7 * 32 + 8) * 7 + anchors,
            std::numeric_limits<SlotIndex>::max());
}

TEST(PlacedIds, CanAlwaysBeMade) {
  auto status = CreateStatus::OutOfMemory;
  EXPECT_TRUE(PlacedIds::create({}, 1, status));
  EXPECT_EQ(status, CreateStatus::Success);
}

}  // namespace
}  // namespace llmes::test
