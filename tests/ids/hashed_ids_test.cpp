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
      return id_of_hash(hash << 32 | tag << 24 | random.below(16));
    });
  }
}

/// Makes ids whose search begins in a bucket, all of the same tag, from its number and one below 2^24.
auto ids_by_bucket(const HashedIds& index) {
  return [buckets = index.memory_bytes() / 32](std::uint64_t bucket, std::uint64_t number) {
    const std::uint64_t hash = ((bucket << 32) + buckets - 1) / buckets;
    return id_of_hash(hash << 32 | std::uint64_t{5} << 24 | number);
  };
}

/// A search goes to the next bucket only as long as an entry is there that found this one full.
TEST(HashedIds, SearchNoFurtherThanTheyMust) {
  auto index = index_of<HashedIds>({}, 40);
  const auto id = ids_by_bucket(index);
  for (SlotIndex slot = 1; slot <= 7; ++slot) index.insert(id(0, slot), slot);
  index.insert(id(1, 8), 8);
  const auto asked = [&] {
    std::vector<SlotIndex> slots;  // their lowest bytes, over which nothing is laid
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
  const auto id = [](std::uint64_t tag, std::uint64_t number) { return id_of_hash(tag << 24 | number); };
  const OrderId before = id(5, 2);
  const OrderId other = id(4, 1);
  const OrderId leaving = id(5, 0);
  auto index = index_of<HashedIds>({}, 8);
  index.insert(before, 2);
  index.insert(other, 257);  // 257 under the bits of its id, and 1 under those of the next
  index.insert(leaving, 1);
  index.erase(leaving, 1);
  EXPECT_EQ(index.find(other, [](SlotIndex slot) { return slot == 257; }), 257u);
  index.erase(other, 257);
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

/// What a search reads of another id with the same tag is a slot only by chance, once in 2^16 times for so many
/// slots.
TEST(HashedIds, ReadNoSlotOfAnotherId) {
  constexpr std::size_t count = 1 << 16;
  Checked<HashedIds> checked({}, count);
  Random random(11);
  while (!checked.full()) checked.insert(random.next());
  std::size_t asked = 0;
  std::size_t slots = 0;
  const auto matches = [&](SlotIndex slot) { return ++asked, slots += slot <= count ? 1 : 0, false; };
  for (std::size_t i = 0; i < 4 * count; ++i) EXPECT_EQ(checked.index.find(random.next(), matches), 0u);
  EXPECT_GT(asked, count / 80);
  EXPECT_LE(slots, 2u);
}

TEST(HashedIds, SearchShortlyWhateverPatternTheIdsFollow) {
  expect_short_searches("from 0", [](std::uint64_t i) { return i; });
  expect_short_searches("from the largest", [](std::uint64_t i) { return ~i; });
  expect_short_searches("random", [](std::uint64_t i) { return Random(i).next(); });
  for (int bits = 1; bits <= 48; ++bits) {
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

TEST(HashedIds, ACapacityThatIsNoneMakesNoIndex) {
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{1} << 32, std::size_t{1} << 63}) {
    CreateStatus status{};
    EXPECT_FALSE(HashedIds::create({}, capacity, status).has_value());
    EXPECT_EQ(status, CreateStatus::InvalidCapacity) << capacity;
  }
}

}  // namespace
}  // namespace llmes::test
