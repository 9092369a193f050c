// SPDX-License-Identifier: MIT
//
// Each index finds the slot of every id that rests, and of no other, whatever came and went before. How pages come
// and go: paged_ids_test.cpp.
#include "llmes/id_index.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/checked_index.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scarce_memory.hpp"
#include "tests/support/unmixed.hpp"

namespace llmes::test {
namespace {

constexpr OrderId largest_id = std::numeric_limits<OrderId>::max();

static_assert(IdIndex<DenseIds> && IdIndex<PagedIds> && IdIndex<HashedIds>);
static_assert(!DenseIds::forgets && PagedIds::forgets && HashedIds::forgets);

// ---- Dense.

TEST(DenseIds, FindWhatRestsAndNothingElse) {
  for (const OrderId first : {OrderId{0}, OrderId{1'000}, largest_id - 49}) {
    Checked<DenseIds> checked({.first = first, .count = 50}, 20);
    play(checked, 3'000, Random(1), [first](Random& random) { return first - 3 + random.below(56); });
  }
}

TEST(DenseIds, HoldTheirRange) {
  const auto index = index_of<DenseIds>({.first = 1'000, .count = 50}, 5);
  for (const OrderId id : {OrderId{1'000}, OrderId{1'049}}) EXPECT_TRUE(index.holds(id)) << id;
  for (const OrderId id : {OrderId{0}, OrderId{999}, OrderId{1'050}, largest_id})
    EXPECT_FALSE(index.holds(id)) << id;
  const auto last = index_of<DenseIds>({.first = largest_id - 1, .count = 2}, 5);
  EXPECT_TRUE(last.holds(largest_id));
  EXPECT_TRUE(last.holds(largest_id - 1));
  EXPECT_FALSE(last.holds(largest_id - 2));
  EXPECT_FALSE(last.holds(0));
}

TEST(DenseIds, AnswerNoIdOutsideTheirRangeWithOneOfIt) {
  auto index = index_of<DenseIds>({.first = 10, .count = 3}, 5);
  for (const OrderId id : {OrderId{10}, OrderId{11}, OrderId{12}}) index.insert(id, 7);
  for (const OrderId id : {OrderId{0}, OrderId{9}, OrderId{13}, largest_id}) {
    EXPECT_EQ(index.hint(id), 0u) << id;
    EXPECT_EQ(index.find(id, [](SlotIndex slot) { return slot == 7; }), 0u) << id;
    index.fetch(id);
  }
}

TEST(DenseIds, TakeFourBytesForEachIdAndFourMore) {
  EXPECT_EQ(index_of<DenseIds>({.first = 7, .count = 1'000}, 5).memory_bytes(), 4'004u);
}

TEST(DenseIds, ARangeThatIsNoneMakesNoIndex) {
  const auto status_of = [](OrderId first, std::size_t count) {
    CreateStatus status{};
    const bool made = DenseIds::create({first, count}, 1, status).has_value();
    EXPECT_EQ(made, status == CreateStatus::Success);
    return status;
  };
  EXPECT_EQ(status_of(0, 0), CreateStatus::InvalidIdRange);
  EXPECT_EQ(status_of(largest_id, 0), CreateStatus::InvalidIdRange);
  EXPECT_EQ(status_of(largest_id, 1), CreateStatus::Success);
  EXPECT_EQ(status_of(largest_id, 2), CreateStatus::InvalidIdRange);
  EXPECT_EQ(status_of(largest_id - 9, 10), CreateStatus::Success);
  EXPECT_EQ(status_of(largest_id - 9, 11), CreateStatus::InvalidIdRange);
  EXPECT_EQ(status_of(2, largest_id), CreateStatus::InvalidIdRange);
  // All ids there are, but no memory for them.
  EXPECT_EQ(status_of(1, largest_id), CreateStatus::OutOfMemory);
  EXPECT_EQ(status_of(0, std::size_t{1} << 61), CreateStatus::OutOfMemory);
}

TEST(DenseIds, HaveNoRangeUnlessTheyAreGivenOne) {
  constexpr DenseIds::Config config;
  EXPECT_EQ(config.first, 0u);
  EXPECT_EQ(config.count, 0u);
}

// ---- A table with linear probing.

struct Entry {
  std::uint32_t number;
  [[nodiscard]] bool used() const { return number != 0; }
  [[nodiscard]] std::uint32_t hash() const { return number; }
};

/// Searches begin all over the table, by the upper bits of the hash, and go around its end.
TEST(ProbingTable, SpreadsWhereSearchesBegin) {
  const ProbingTable<Entry> table(8);
  EXPECT_EQ(table.size_bytes(), 16 * sizeof(Entry));
  EXPECT_EQ(table.home(0), 0u);
  EXPECT_EQ(table.home(std::uint32_t{5} << 28), 5u);
  EXPECT_EQ(table.home(std::numeric_limits<std::uint32_t>::max()), 15u);
  EXPECT_EQ(table.after(0), 1u);
  EXPECT_EQ(table.after(15), 0u);
}

// ---- Hashed.

TEST(HashedIds, MixIdsByABijection) {
  Random random(5);
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{1}, largest_id, random.next(), random.next()}) {
    EXPECT_EQ(mixed(unmixed(number)), number);
    EXPECT_EQ(unmixed(mixed(number)), number);
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
                                  unmixed(random.below(40))};
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
      return unmixed(hash << 32 | tag << 24 | random.below(16));
    });
  }
}

/// Makes ids whose search begins in a bucket, all of the same tag, from its number and one below 2^24.
auto ids_by_bucket(const HashedIds& index) {
  return [buckets = index.memory_bytes() / 32](std::uint64_t bucket, std::uint64_t number) {
    const std::uint64_t hash = ((bucket << 32) + buckets - 1) / buckets;
    return unmixed(hash << 32 | std::uint64_t{5} << 24 | number);
  };
}

/// A search goes to the next bucket only as long as an entry is there that found this one full.
TEST(HashedIds, SearchNoFurtherThanTheyMust) {
  auto index = index_of<HashedIds>({}, 40);
  const auto id = ids_by_bucket(index);
  for (SlotIndex slot = 1; slot <= 7; ++slot) index.insert(id(0, slot), slot);
  index.insert(id(1, 8), 8);
  const auto asked = [&] {
    std::vector<SlotIndex> slots;
    const auto matches = [&](SlotIndex slot) { return slots.push_back(slot), false; };
    EXPECT_EQ(index.find(id(0, 9), matches), 0u);
    return slots;
  };
  EXPECT_EQ(asked(), (std::vector<SlotIndex>{1, 2, 3, 4, 5, 6, 7, 8}));
  index.erase(id(0, 7), 7);
  EXPECT_EQ(asked(), (std::vector<SlotIndex>{1, 2, 3, 4, 5, 6}));
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
/// looks at the slot of another id, as the tags are the same.
template <class IdOf>
void expect_short_searches(const char* what, IdOf id_of) {
  constexpr std::size_t count = 1 << 16;
  auto index = index_of<HashedIds>({}, count);
  const std::size_t buckets = index.memory_bytes() / 32;
  std::vector<std::size_t> orders_of(buckets);
  std::size_t gone_by = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t home = (mixed(id_of(i)) >> 32) * buckets >> 32;
    gone_by += ++orders_of[home] > 6 ? 1 : 0;
    index.insert(id_of(i), static_cast<SlotIndex>(i + 1));
  }
  EXPECT_LT(*std::max_element(orders_of.begin(), orders_of.end()), 22u) << what;
  // With a perfect hash: 1.6 %.
  EXPECT_LT(gone_by, count / 40) << what;

  std::size_t asked = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto matches = [&](SlotIndex slot) { return ++asked, slot == i + 1; };
    ASSERT_EQ(index.find(id_of(i), matches), i + 1) << what;
  }
  // With a perfect hash: 0.6 % too many.
  EXPECT_LT(asked, count + count / 80) << what;
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

TEST(HashedIds, TakeABucketOf32BytesForThreeOrders) {
  EXPECT_EQ(index_of<HashedIds>({}, 1).memory_bytes(), 32u);
  EXPECT_EQ(index_of<HashedIds>({}, 2).memory_bytes(), 32u);
  EXPECT_EQ(index_of<HashedIds>({}, 3).memory_bytes(), 64u);
  EXPECT_EQ(index_of<HashedIds>({}, 3'000).memory_bytes(), 32 * 1'001u);
}

TEST(HashedIds, ACapacityThatIsNoneMakesNoIndex) {
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{1} << 32, std::size_t{1} << 63}) {
    CreateStatus status{};
    EXPECT_FALSE(HashedIds::create({}, capacity, status).has_value());
    EXPECT_EQ(status, CreateStatus::InvalidCapacity) << capacity;
  }
}

// ---- All of them.

template <class Index>
constexpr typename Index::Config config_of_5;
template <>
constexpr DenseIds::Config config_of_5<DenseIds>{.first = 0, .count = 5};
template <>
constexpr PagedIds::Config config_of_5<PagedIds>{.page_count = 5};

template <class Index>
class AnyIdIndex : public ::testing::Test {};
using Indexes = ::testing::Types<DenseIds, PagedIds, HashedIds>;
TYPED_TEST_SUITE(AnyIdIndex, Indexes);

TYPED_TEST(AnyIdIndex, HasTheOrdersOfTheOneItIsMovedFrom) {
  auto from = index_of<TypeParam>(config_of_5<TypeParam>, 5);
  from.insert(3, 8);
  TypeParam to = std::move(from);
  EXPECT_EQ(to.hint(3), 8u);
  TypeParam assigned = index_of<TypeParam>(config_of_5<TypeParam>, 5);
  assigned.insert(4, 9);
  assigned = std::move(to);
  EXPECT_EQ(assigned.hint(3), 8u);
  EXPECT_EQ(assigned.hint(4), 0u);
  for (TypeParam* empty : {&from, &to}) {
    EXPECT_EQ(empty->hint(3), 0u);
    EXPECT_EQ(empty->find(3, [](SlotIndex slot) { return slot != 0; }), 0u);
    EXPECT_EQ(empty->holds(3), (!std::is_same_v<TypeParam, DenseIds>));
    empty->fetch(3);
  }
  if constexpr (TypeParam::forgets) from.clear();
  EXPECT_EQ(from.hint(3), 0u);
  from = std::move(assigned);
  EXPECT_EQ(from.hint(3), 8u);
}

TEST(IdIndex, TooLittleMemoryForAnyOfItsTablesMakesNone) {
  expect_out_of_memory_at_each_of(1, [](CreateStatus& status) { return DenseIds::create({0, 5}, 5, status); });
  expect_out_of_memory_at_each_of(4, [](CreateStatus& status) { return PagedIds::create({5}, 5, status); });
  expect_out_of_memory_at_each_of(1, [](CreateStatus& status) { return HashedIds::create({}, 5, status); });
}

#if !LLMES_TEST_SANITIZED  // a sanitizer needs more address space than that itself

template <class Index>
CreateStatus status_of(const typename Index::Config& config, std::size_t capacity) {
  CreateStatus status{};
  return Index::create(config, capacity, status).has_value() ? CreateStatus::Success : status;
}

/// The exit status of a process that asks for 4 to 32 GiB where there are 2.
int with_too_little_memory() {
  const rlimit limit{std::uint64_t{2} << 30, std::uint64_t{2} << 30};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
  const bool refused = status_of<DenseIds>({0, std::size_t{1} << 30}, 1) == CreateStatus::OutOfMemory &&
                       status_of<PagedIds>({std::size_t{1} << 20}, 1) == CreateStatus::OutOfMemory &&
                       status_of<HashedIds>({}, std::size_t{1} << 31) == CreateStatus::OutOfMemory;
  return refused ? 0 : 1;
}

TEST(IdIndex, TooLittleMemoryMakesNone) {
  EXPECT_EXIT(std::_Exit(with_too_little_memory()), ::testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace llmes::test
