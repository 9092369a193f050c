// SPDX-License-Identifier: MIT
//
// The table of any ids finds the slot of every id that rests, and of no other, whatever came and went before.
#include "llmes/ids/hashed_ids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/checked_index.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/id_of_hash.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

TEST(HashedIds, MixIdsByABijection) {
  Random random(5);
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{1}, largest_id, random.next(), random.next()}) {
    EXPECT_EQ(hash_of(id_of_hash(number)), number);
    EXPECT_EQ(id_of_hash(hash_of(number)), number);
  }
}

TEST(HashedIds, FindWhatRestsAndNothingElse) {
  // In small tables most entries touch, and the searches go around the end.
  for (const std::size_t capacity :
       {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{8}, std::size_t{50}}) {
    SCOPED_TRACE(capacity);
    Checked<HashedIds> checked({}, std::max<std::size_t>(capacity, 2));
    play(checked, 4'000, Random(6), [](Random& random) {
      const OrderId patterns[] = {random.below(20), largest_id - random.below(20), random.below(20) << 32,
                                  id_of_hash(random.below(40))};
      return patterns[random.below(4)];
    });
  }
}

/// Ids that all want the same buckets, with the same tag or another, where the table ends.
TEST(HashedIds, FindIdsThatCollide) {
  for (const std::size_t capacity : {8u, 16u, 40u}) {
    Checked<HashedIds> checked({}, capacity);
    play(checked, 6'000, Random(7), [](Random& random) {
      const std::uint64_t hash = 0xffff'ffff - random.below(2);
      const std::uint64_t tag = random.below(3);
      return id_of_hash(hash << 32 | tag << 18 | random.below(16));
    });
  }
}

/// Makes ids whose search begins in a bucket, all of the same tag, from its number and one below 2^18.
auto ids_by_bucket(const HashedIds& index) {
  return [buckets = index.memory_bytes() / 32](std::uint64_t bucket, std::uint64_t number) {
    const std::uint64_t hash = ((bucket << 32) + buckets - 1) / buckets;
    return id_of_hash(hash << 32 | std::uint64_t{5} << 18 | number);
  };
}

/// A search goes to the next bucket only as long as an entry is there that found this one full.
TEST(HashedIds, SearchNoFurtherThanTheyMust) {
  auto index = index_of<HashedIds>({}, 40);
  const auto id = ids_by_bucket(index);
  for (SlotIndex slot = 1; slot <= 7; ++slot) index.insert(id(0, slot), slot);
  index.insert(id(1, 8), 8);
  const auto asked = [&] {
    std::vector<SlotIndex> slots;  // their lowest bytes, over which nothing lies
    const auto matches = [&](SlotIndex slot) { return slots.push_back(slot & 0xff), false; };
    EXPECT_EQ(index.find(id(0, 9), matches), 0u);
    return slots;
  };
  EXPECT_EQ(asked(), (std::vector<SlotIndex>{1, 2, 3, 4, 5, 6, 7, 8}));
  index.erase(id(0, 7), 7);
  EXPECT_EQ(asked(), (std::vector<SlotIndex>{1, 2, 3, 4, 5, 6}));
}

/// Two entries with the same number: that of an id with another tag stays, although a search among the tags finds
/// it as well, above one that has the tag.
TEST(HashedIds, ForgetNoOrderWhoseEntryLooksTheSame) {
  const auto id = [](std::uint64_t tag, std::uint64_t number) { return id_of_hash(tag << 18 | number << 26); };
  const OrderId before = id(5, 2);
  const OrderId other = id(4, 1);
  const OrderId leaving = id(5, 0);
  auto index = index_of<HashedIds>({}, 8);
  index.insert(before, 2);
  constexpr SlotIndex far = (SlotIndex{1} << 26) + 1;
  index.insert(other, far);  // under the bits of its id it reads as 1 does under those of the next
  index.insert(leaving, 1);
  index.erase(leaving, 1);
  EXPECT_EQ(index.find(other, [](SlotIndex slot) { return slot == far; }), far);
  index.erase(other, far);
  EXPECT_EQ(index.find(before, [](SlotIndex slot) { return slot == 2; }), 2u);
  index.erase(before, 2);
  for (const OrderId gone : {before, other, leaving}) {
    EXPECT_EQ(index.find(gone, [](SlotIndex) { return true; }), 0u);
  }
}

/// When each bucket has been full, and the entry that then went on is still there.
TEST(HashedIds, EndASearchThatEachBucketSendsOn) {
  auto index = index_of<HashedIds>({}, 60);
  const std::uint64_t buckets = index.memory_bytes() / 32;
  const auto id = ids_by_bucket(index);
  for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
    // Six entries fill a bucket, or five and the one that the bucket before has sent on.
    const SlotIndex filling = bucket == 0 ? 6 : 5;
    for (SlotIndex slot = 1; slot <= filling; ++slot) index.insert(id(bucket, slot), slot);
    index.insert(id(bucket, 7), 100 + static_cast<SlotIndex>(bucket));
    for (SlotIndex slot = 1; slot <= filling; ++slot) index.erase(id(bucket, slot), slot);
  }
  for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
    std::vector<SlotIndex> asked;
    const auto matches = [&](SlotIndex slot) { return asked.push_back(slot), false; };
    EXPECT_EQ(index.find(id(bucket, 8), matches), 0u) << bucket;
    EXPECT_EQ(asked.size(), buckets) << "each bucket, once";
    const auto is_right = [bucket](SlotIndex slot) { return slot == 100 + bucket; };
    EXPECT_EQ(index.find(id(bucket, 7), is_right), 100 + bucket);
  }
}

TEST(HashedIds, HoldEveryIdAsLongAsItsOrderCanRest) {
  Checked<HashedIds> checked({}, 1'000);
  Random random(8);
  for (const OrderId id : {OrderId{0}, largest_id}) checked.insert(id);
  while (!checked.full()) checked.insert(random.next());
  checked.expect_all_found();
  EXPECT_TRUE(checked.index.holds(0));
  EXPECT_TRUE(checked.index.holds(random.next()));
}

/// A full table of ids that follow a pattern: how many of them find their bucket full, and how often a search
/// asks about the entry of another id, as the tags are the same.
template <class IdOf>
void expect_short_searches(const char* what, IdOf id_of) {
  constexpr std::size_t count = 1 << 16;
  auto index = index_of<HashedIds>({}, count);
  const std::size_t buckets = index.memory_bytes() / 32;
  std::vector<std::size_t> orders_of(buckets);
  std::size_t gone_by = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t home = (hash_of(id_of(i)) >> 32) * buckets >> 32;
    gone_by += ++orders_of[home] > 6 ? 1 : 0;
    index.insert(id_of(i), static_cast<SlotIndex>(i + 1));
  }
  EXPECT_LT(*std::max_element(orders_of.begin(), orders_of.end()), 22u) << what;
  // With a perfect hash: 0.3 %.
  EXPECT_LT(gone_by, count / 200) << what;

  std::size_t asked = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto matches = [&](SlotIndex slot) { return ++asked, slot == i + 1; };
    ASSERT_EQ(index.find(id_of(i), matches), i + 1) << what;
  }
  // With a perfect hash: 0.4 % too many.
  EXPECT_LT(asked, count + count / 120) << what;
}

/// What a search reads of another id with the same tag is a slot only by chance, once in 64 times.
TEST(HashedIds, ReadFewSlotsOfAnotherId) {
  constexpr std::size_t count = 1 << 16;
  Checked<HashedIds> checked({}, count);
  Random random(11);
  while (!checked.full()) checked.insert(random.next());
  std::size_t asked = 0;
  std::size_t slots = 0;
  const auto matches = [&](SlotIndex slot) { return ++asked, slots += slot <= count ? 1 : 0, false; };
  for (std::size_t i = 0; i < 4 * count; ++i) EXPECT_EQ(checked.index.find(random.next(), matches), 0u);
  EXPECT_GT(asked, count / 80);
  EXPECT_LT(slots, asked / 32);
}

TEST(HashedIds, SearchShortlyWhateverPatternTheIdsFollow) {
  expect_short_searches("from 0", [](std::uint64_t i) { return i; });
  expect_short_searches("from the largest", [](std::uint64_t i) { return ~i; });
  expect_short_searches("random", [](std::uint64_t i) { return Random(i).next(); });
  for (int bits = 1; bits <= 48; bits += LLMES_TEST_SANITIZED ? 3 : 1) {
    expect_short_searches("multiples of a power of two", [bits](std::uint64_t i) { return i << bits; });
  }
  expect_short_searches("odd and far apart", [](std::uint64_t i) { return i * 1'000'003; });
  expect_short_searches("a client's number before its own", [](std::uint64_t i) { return i % 64 << 40 | i / 64; });
  expect_short_searches("a day before the number", [](std::uint64_t i) { return 20'261'122'000'000'000 + i; });
}

TEST(HashedIds, HintAtTheSlotMostly) {
  Checked<HashedIds> checked({}, 1'000);
  Random random(9);
  while (!checked.full()) checked.insert(random.next());
  std::size_t right = 0;
  for (const OrderId id : checked.resting()) right += checked.index.hint(id) == checked.find(id) ? 1 : 0;
  EXPECT_GT(right, 950u);
}

/// A search for an id that is not there has no slot to hint at, and a slot that is fetched in vain evicts another.
TEST(HashedIds, HintAtNothingForMostIdsThatDoNotRest) {
  Checked<HashedIds> checked({}, 1'000);
  Random random(10);
  while (!checked.full()) checked.insert(random.next());
  std::size_t none = 0;
  for (int i = 0; i < 1'000; ++i) none += checked.index.hint(random.next()) == 0 ? 1 : 0;
  EXPECT_GT(none, 970u);
}

TEST(HashedIds, TakeABucketOf32BytesForTwoOrders) {
  EXPECT_EQ(index_of<HashedIds>({}, 1).memory_bytes(), 32u);
  EXPECT_EQ(index_of<HashedIds>({}, 2).memory_bytes(), 64u);
  EXPECT_EQ(index_of<HashedIds>({}, 3).memory_bytes(), 64u);
  EXPECT_EQ(index_of<HashedIds>({}, 3'000).memory_bytes(), 32 * 1'501u);
}

/// Orders come and go, so that their number passes each number at which another table is taken into use, up and
/// down. `pick` draws ids.
template <class Pick>
void grow_and_shrink(Checked<HashedIds>& checked, std::size_t capacity, Random random, Pick pick) {
  std::vector<OrderId> resting;
  const std::size_t least = checked.index.bytes_in_use();
  const auto add = [&] {
    const OrderId id = pick(random);
    checked.expect_found(id);
    if (checked.rests(id) || checked.full()) return;
    checked.insert(id);
    resting.push_back(id);
  };
  const auto remove = [&] {
    std::swap(resting[random.below(resting.size())], resting.back());
    ASSERT_FALSE(checked.index.lacks(resting.back()));
    checked.expect_found(resting.back());
    checked.erase(resting.back());
    checked.expect_found(resting.back());
    resting.pop_back();
  };
  const auto go_to = [&](std::size_t goal) {
    for (std::size_t i = 0; resting.size() != goal; ++i) {
      const bool more = resting.size() < goal;
      if (resting.empty() || random.below(100) < (more ? 80u : 20u)) {
        add();
      } else {
        remove();
      }
      if (i % (capacity / 8) == 0) checked.expect_all_found();
      if (::testing::Test::HasFatalFailure()) return;
    }
    // Of 512 inserts to a table that is too large, one on average sees that.
    for (std::size_t i = 0; i < 2 * capacity; ++i) {
      if (resting.size() <= goal && !checked.full()) {
        add();
      } else {
        remove();
      }
      if (::testing::Test::HasFatalFailure()) return;
    }
    checked.expect_all_found();
  };
  for (int round = 0; round < 2; ++round) {
    go_to(capacity);
    EXPECT_EQ(checked.index.bytes_in_use(), 32 * (capacity / 2 + 1));
    go_to(capacity / 20);
    go_to(10);
    EXPECT_EQ(checked.index.bytes_in_use(), least);
  }
}

TEST(HashedIds, FindAllWhileTheyMoveToALargerTableAndBack) {
  for (const std::size_t capacity : {8'192u, 70'000u}) {
    if (LLMES_TEST_SANITIZED && capacity > 8'192) break;  // it takes long
    SCOPED_TRACE(capacity);
    Checked<HashedIds> random_ids({}, capacity);
    grow_and_shrink(random_ids, capacity, Random(12), [](Random& random) { return random.next(); });
    Checked<HashedIds> close_ids({}, capacity);
    grow_and_shrink(close_ids, capacity, Random(13), [capacity](Random& random) {
      return OrderId{20'261'122'000'000'000} + random.below(2 * capacity);
    });
  }
}

/// Most of few homes: entries move that are in another bucket than theirs.
TEST(HashedIds, FindIdsThatCollideWhileTheyMove) {
  constexpr std::size_t capacity = 8'192;
  Checked<HashedIds> checked({}, capacity);
  grow_and_shrink(checked, capacity, Random(14), [](Random& random) {
    if (random.below(4) == 0) return random.next();
    return id_of_hash(random.below(600) << 54 | random.below(100) << 18);
  });
}

TEST(HashedIds, TakeASmallTableForFewOrders) {
  const auto few = index_of<HashedIds>({}, 1'000'000, 1'000'001);
  EXPECT_EQ(few.bytes_in_use(), 32 * (1'953 / 2 + 1u));
  EXPECT_LT(few.memory_bytes(), 19u * 1'000'000);
  EXPECT_EQ(index_of<HashedIds>({}, 8'000, 8'001).bytes_in_use(), 32 * 4'001u) << "a small one as it is";
  // No entry could say which order it is of.
  EXPECT_EQ(index_of<HashedIds>({}, 1'000'000, (std::size_t{1} << 26) + 1).bytes_in_use(), 32 * 500'001u);
}

/// Adds until entries begin to move to another table. Returns the bytes of the one before.
std::size_t insert_until_entries_move(Checked<HashedIds>& checked, Random& random) {
  const std::size_t before = checked.index.bytes_in_use();
  while (checked.index.bytes_in_use() == before) checked.insert(random.next());
  return before;
}

TEST(HashedIds, AreMovedWhileEntriesMove) {
  constexpr std::size_t capacity = 8'192;
  Checked<HashedIds> checked({}, capacity);
  Random random(16);
  insert_until_entries_move(checked, random);
  for (int i = 0; i < 1'500; ++i) checked.insert(random.next());
  ASSERT_EQ(checked.index.bytes_in_use(), 32 * (capacity / 2 + 1)) << "they have moved";

  Checked<HashedIds> other({}, capacity);
  insert_until_entries_move(other, random);
  HashedIds moved = std::move(other.index);
  for (const OrderId id : other.resting()) {
    EXPECT_TRUE(other.index.lacks(id));
    EXPECT_EQ(other.find(id), 0u);
    EXPECT_EQ(other.index.hint(id), 0u);
  }
  other.index.clear();
  other.index = std::move(moved);
  other.expect_all_found();
  other.index = std::move(checked.index);
  for (const OrderId id : checked.resting()) {
    EXPECT_NE(other.index.find(id, [](SlotIndex slot) { return slot <= capacity; }), 0u);
    EXPECT_EQ(checked.find(id), 0u);
  }
}

/// All that rest leave at once while entries move.
TEST(HashedIds, ForgetAllWhileEntriesMove) {
  constexpr std::size_t capacity = 8'192;
  Checked<HashedIds> checked({}, capacity);
  Random random(15);
  const std::size_t small = insert_until_entries_move(checked, random);
  EXPECT_EQ(checked.index.bytes_in_use(), 32u) << "entries move";
  const std::vector<OrderId> before = checked.resting();
  checked.clear();
  for (const OrderId id : before) checked.expect_found(id);
  EXPECT_EQ(checked.index.bytes_in_use(), small);
  while (!checked.full()) checked.insert(random.next());
  checked.expect_all_found();
}

TEST(HashedIds, ACapacityThatIsNoneMakesNoIndex) {
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{1} << 32, std::size_t{1} << 63}) {
    CreateStatus status{};
    EXPECT_FALSE(HashedIds::create({}, capacity, status).has_value());
    EXPECT_EQ(status, CreateStatus::InvalidCapacity) << capacity;
  }
}

}  // namespace
}  // namespace llmes::test
