// SPDX-License-Identifier: MIT
//
// Each index finds the slot of every id that rests, and of no other, whatever came and went before. The model is a
// map from id to slot, and a list of the ids that live in the slots, which confirms what an index answers.
#include "llmes/id_index.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/support/print.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scarce_memory.hpp"
#include "tests/support/unmixed.hpp"

namespace llmes::test {
namespace {

constexpr OrderId largest_id = std::numeric_limits<OrderId>::max();
constexpr std::uint64_t page = PagedIds::ids_per_page;

static_assert(IdIndex<DenseIds> && IdIndex<PagedIds> && IdIndex<HashedIds>);
static_assert(!DenseIds::forgets && PagedIds::forgets && HashedIds::forgets);

template <IdIndex Index>
Index index_of(const typename Index::Config& config, std::size_t capacity) {
  CreateStatus status{};
  std::optional<Index> index = Index::create(config, capacity, status);
  EXPECT_EQ(status, CreateStatus::Success);
  return std::move(index).value();
}

/// An index with the slots that it leads to, and beside it the truth.
template <IdIndex Index>
class Checked {
 public:
  /// Slots 1 to `capacity` are for orders.
  Checked(const typename Index::Config& config, std::size_t capacity)
      : index(index_of<Index>(config, capacity)), ids_(capacity + 1) {
    for (std::size_t slot = capacity; slot > 0; --slot) free_.push_back(static_cast<SlotIndex>(slot));
  }

  [[nodiscard]] bool rests(OrderId id) const { return truth_.contains(id); }
  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] std::vector<OrderId> resting() const {
    std::vector<OrderId> ids;
    for (const auto& [id, slot] : truth_) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  void insert(OrderId id) {
    const SlotIndex slot = free_.back();
    free_.pop_back();
    ids_[slot] = id;
    truth_[id] = slot;
    index.insert(id, slot);
  }

  void erase(OrderId id) {
    const SlotIndex slot = truth_.at(id);
    if constexpr (Index::forgets) index.erase(id, slot);
    ids_[slot].reset();
    truth_.erase(id);
    free_.push_back(slot);
  }

  void clear() {
    for (const OrderId id : resting()) {
      free_.push_back(truth_.at(id));
      ids_[truth_.at(id)].reset();
      truth_.erase(id);
    }
    if constexpr (Index::forgets) index.clear();
  }

  /// 0 if nothing is found.
  [[nodiscard]] SlotIndex find(OrderId id) const {
    return index.find(id, [&](SlotIndex slot) { return slot < ids_.size() && ids_[slot] == id; });
  }
  void expect_found(OrderId id) const {
    const auto expected = truth_.find(id);
    ASSERT_EQ(find(id), expected == truth_.end() ? 0 : expected->second) << "id " << id;
  }
  void expect_all_found() const {
    for (const auto& [id, slot] : truth_) ASSERT_EQ(find(id), slot) << "id " << id;
  }

  Index index;

 private:
  std::vector<std::optional<OrderId>> ids_;  ///< by slot
  std::unordered_map<OrderId, SlotIndex> truth_;
  std::vector<SlotIndex> free_;
};

/// Inserts and erases at random ids that `pick` draws; asks for each of them and for all that rest.
template <class Index, class Pick>
void play(Checked<Index>& checked, int rounds, Random random, Pick pick) {
  std::size_t most_resting = 0;
  for (int round = 0; round < rounds; ++round) {
    const OrderId id = pick(random);
    checked.index.fetch(id);
    if (checked.rests(id)) {
      ASSERT_TRUE(checked.index.holds(id));
      checked.erase(id);
    } else if (!checked.full() && checked.index.holds(id)) {
      checked.insert(id);
    } else if (const std::vector<OrderId> resting = checked.resting(); !resting.empty()) {
      checked.erase(resting[random.below(resting.size())]);
    }
    checked.expect_found(id);
    checked.expect_found(pick(random));
    if (round % 8 == 0) checked.expect_all_found();
    if (round == rounds / 2) checked.clear();
    most_resting = std::max(most_resting, checked.resting().size());
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(most_resting, 1u);
}

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

// ---- Paged.

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

TEST(PagedIds, FindWhatRestsAndNothingElse) {
  // Ids near the ends of pages, and in far more pages than there are.
  Checked<PagedIds> checked({.page_count = 3}, 20);
  play(checked, 6'000, Random(2), [](Random& random) { return random.below(8) * page + random.below(6) - 3; });
}

/// A full directory has a free entry on the way of every search, wherever it begins.
TEST(PagedIds, EndTheirSearchWhenAllPagesAreInUse) {
  for (const std::size_t page_count : {2u, 4u, 8u}) {
    SCOPED_TRACE(page_count);
    Checked<PagedIds> checked({.page_count = page_count}, page_count);
    play(checked, 1'000, Random(10), [](Random& random) { return random.below(1'000) * page; });
  }
}

TEST(PagedIds, FindGrowingIdsWithGaps) {
  Checked<PagedIds> checked({.page_count = 4}, 50);
  OrderId newest = largest_id - 100'000;  // they grow past the largest, to 0 and on
  std::vector<OrderId> resting;
  for (Random random(3); newest > 100'000 || newest < 50'000;) {
    newest += 1 + random.below(100);
    ASSERT_TRUE(checked.index.holds(newest));
    checked.insert(newest);
    resting.push_back(newest);
    if (resting.size() == 40) {
      const std::size_t leaving = random.below(10);
      checked.erase(resting[leaving]);
      resting.erase(resting.begin() + static_cast<std::ptrdiff_t>(leaving));
    }
    while (newest - resting.front() > 2 * page) {
      checked.erase(resting.front());
      resting.erase(resting.begin());
    }
    checked.expect_all_found();
  }
}

/// Room is what the definition says: a page in which an order rests, or one that is free.
TEST(PagedIds, HoldAsManyPagesAsTheyWereMadeFor) {
  constexpr std::size_t page_count = 3;
  Checked<PagedIds> checked({.page_count = page_count}, 12);
  std::size_t refused = 0;
  Random random(4);
  for (int round = 0; round < 5'000; ++round) {
    std::set<std::uint64_t> in_use;
    for (const OrderId id : checked.resting()) in_use.insert(id / page);
    const OrderId id = (largest_id - 2 * page) + random.below(6) * page + random.below(2);
    const bool room = in_use.contains(id / page) || in_use.size() < page_count;
    ASSERT_EQ(checked.index.holds(id), room) << "round " << round;
    if (checked.rests(id)) {
      checked.erase(id);
    } else if (room && !checked.full()) {
      checked.insert(id);
    }
    refused += room ? 0 : 1;
    if (round % 64 == 0) checked.clear();
    checked.expect_all_found();
  }
  EXPECT_GT(refused, 100u);
}

TEST(PagedIds, APageThatIsTakenAgainHasNothingOfItsFormerIds) {
  Checked<PagedIds> checked({.page_count = 1}, 4);
  for (const OrderId id : {OrderId{5}, OrderId{6}}) checked.insert(id);
  EXPECT_FALSE(checked.index.holds(page));
  checked.erase(5);
  EXPECT_FALSE(checked.index.holds(page)) << "6 rests";
  checked.erase(6);
  ASSERT_TRUE(checked.index.holds(page));
  checked.insert(page + 5);
  checked.expect_found(page + 5);
  for (const OrderId id : {OrderId{5}, OrderId{6}, OrderId{page + 6}}) checked.expect_found(id);
  EXPECT_EQ(checked.index.hint(5), 0u);
}

TEST(PagedIds, TakeSixteenKibibytesAndUpTo68BytesForEachPage) {
  EXPECT_EQ(index_of<PagedIds>({.page_count = 4}, 5).memory_bytes(), 4 * 16'384 + 5 * 4 + 8 * 16u);
  EXPECT_EQ(index_of<PagedIds>({.page_count = 5}, 5).memory_bytes(), 5 * 16'384 + 6 * 4 + 16 * 16u);
}

TEST(PagedIds, NoPagesMakeNoIndex) {
  for (const std::size_t page_count : {std::size_t{0}, std::size_t{1} << 32, std::size_t{1} << 52}) {
    CreateStatus status{};
    EXPECT_FALSE(PagedIds::create({page_count}, 1, status).has_value());
    EXPECT_EQ(status, CreateStatus::InvalidIdRange) << page_count;
  }
}

TEST(PagedIds, HaveNoPagesUnlessTheyAreGivenSome) {
  EXPECT_EQ(PagedIds::Config{}.page_count, 0u);
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
  for (const TypeParam* empty : {&from, &to}) {
    EXPECT_EQ(empty->hint(3), 0u);
    EXPECT_EQ(empty->find(3, [](SlotIndex slot) { return slot != 0; }), 0u);
    EXPECT_EQ(empty->holds(3), (std::is_same_v<TypeParam, HashedIds>));
    empty->fetch(3);
  }
  if constexpr (TypeParam::forgets) from.clear();
  EXPECT_EQ(from.hint(3), 0u);
  from = std::move(assigned);
  EXPECT_EQ(from.hint(3), 8u);
}

TEST(IdIndex, TooLittleMemoryForAnyOfItsTablesMakesNone) {
  expect_out_of_memory_at_each_of(1, [](CreateStatus& status) { return DenseIds::create({0, 5}, 5, status); });
  expect_out_of_memory_at_each_of(3, [](CreateStatus& status) { return PagedIds::create({5}, 5, status); });
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
