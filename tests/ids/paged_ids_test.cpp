// SPDX-License-Identifier: MIT
//
// When pages are taken, closed and given back, and that every id is found on the way, wherever it is kept.
#include "llmes/ids/paged_ids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/support/checked_index.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/id_inspector.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

constexpr std::uint64_t page = PagedIds::ids_per_page;
constexpr std::size_t few = 128;        // so many orders of a closed page move
constexpr std::size_t open_pages = 16;  // so many pages are open

template <class Index>
void expect_kept(const Checked<Index>& checked, std::size_t pages, std::size_t in_table, const char* when = "") {
  EXPECT_EQ(IdInspector::pages_in_use(checked.index), pages) << when;
  EXPECT_EQ(IdInspector::orders_in_table(checked.index), in_table) << when;
  EXPECT_EQ(IdInspector::broken_invariant(checked.index), "") << when;
  checked.expect_all_found();
}

/// Inserts ids that follow each other.
void insert(Checked<PagedIds>& checked, OrderId first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) checked.insert(first + i);
}
/// Inserts the first id of each of some ranges that follow each other.
void take_pages(Checked<PagedIds>& checked, std::uint64_t first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) checked.insert((first + i) * page);
}

TEST(PagedIds, FindWhatRestsAndNothingElse) {
  // On either side of 0, so that pages are taken and given back all the time, and often none is left.
  for (const std::size_t page_count : {1u, 2u, 5u, 30u}) {
    SCOPED_TRACE(page_count);
    Checked<PagedIds> checked({.page_count = page_count}, 20);
    play(checked, 6'000, Random(2), [](Random& random) { return random.below(8) * page + random.below(6) - 3; });
  }
}

/// The ranges of random ids often have their place in the directory in common, and more often than there are
/// pages.
TEST(PagedIds, FindWhatRestsHoweverManyRangesHaveAPlaceInCommon) {
  for (const std::size_t page_count : {2u, 4u, 8u}) {
    SCOPED_TRACE(page_count);
    for (const std::size_t capacity : {page_count, 2 * page_count}) {
      Checked<PagedIds> checked({.page_count = page_count}, capacity);
      play(checked, 1'000, Random(10), [](Random& random) { return random.below(1'000) * page; });
    }
  }
}

/// The directory has four places a page, or up to twice as many.
TEST(PagedIds, KeepARangeInTheTableWhosePlaceAnotherHas) {
  constexpr std::uint64_t places = 32;
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{7}, largest_id / page - places}) {
    SCOPED_TRACE(first);
    Checked<PagedIds> checked({.page_count = 8}, 10);
    take_pages(checked, first, 1);
    checked.insert((first + places) * page);
    expect_kept(checked, 1, 1, "the place is taken");
    EXPECT_EQ(IdInspector::open_pages(checked.index), 1u);
    checked.insert((first + places) * page + 1);
    checked.insert((first + 1) * page);
    expect_kept(checked, 2, 2, "a place of its own");
    checked.erase(first * page);
    checked.insert((first + places) * page + 2);
    expect_kept(checked, 2, 2, "the place is free again");
    EXPECT_TRUE(IdInspector::is_in_page(checked.index, (first + places) * page + 2));
    for (const std::uint64_t i : {0u, 1u, 2u}) checked.erase((first + places) * page + i);
    expect_kept(checked, 1, 0);
  }
}

TEST(PagedIds, GiveRangesThatFollowEachOtherPlacesOfTheirOwn) {
  constexpr std::size_t page_count = 40;
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{12'345}}) {
    Checked<PagedIds> checked({.page_count = page_count}, page_count * (few + 1));
    for (std::uint64_t range = first; range < first + page_count; ++range) insert(checked, range * page, few + 1);
    expect_kept(checked, page_count, 0);
  }
}

/// What an index has had, and has been asked to fetch, is forgotten when it is cleared or gets what another has.
TEST(PagedIds, LookWhereARangeIsNowAndNotWhereItWas) {
  constexpr std::size_t count = 30;
  for (OrderId id = 0; id < count * page; id += page) {
    SCOPED_TRACE(id);
    Checked<PagedIds> many({.page_count = count}, count);
    const auto fill = [&] {
      take_pages(many, 0, count);
      for (OrderId each = 0; each < count * page; each += page) many.index.fetch(each);
    };
    fill();
    many.clear();
    many.insert(id);
    expect_kept(many, 1, 0);
    many.clear();
    fill();
    auto alone = index_of<PagedIds>({.page_count = count}, count);
    alone.insert(id, 7);
    alone.fetch(id);
    PagedIds moved = std::move(alone);
    EXPECT_EQ(alone.hint(id), 0u);  // NOLINT(bugprone-use-after-move)
    moved.fetch(id);
    many.index = std::move(moved);
    EXPECT_EQ(moved.hint(id), 0u);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(many.index.hint(id), 7u);
  }
}

TEST(PagedIds, GiveAPageBackWhenItsLastOrderHasLeft) {
  Checked<PagedIds> checked({.page_count = 5}, 10);
  for (const OrderId id : {OrderId{5}, OrderId{6}, page + 6, largest_id}) checked.insert(id);
  expect_kept(checked, 3, 0);
  checked.erase(5);
  expect_kept(checked, 3, 0, "6 rests");
  checked.erase(6);
  expect_kept(checked, 2, 0);
  checked.erase(largest_id);
  checked.erase(page + 6);
  expect_kept(checked, 0, 0);
}

TEST(PagedIds, APageThatIsTakenAgainHasNothingOfItsFormerIds) {
  Checked<PagedIds> checked({.page_count = 1}, 4);
  for (const OrderId id : {OrderId{5}, OrderId{6}}) checked.insert(id);
  for (const OrderId id : {OrderId{5}, OrderId{6}}) checked.erase(id);
  checked.insert(page + 5);
  for (const OrderId id : {OrderId{5}, OrderId{6}, page + 5, page + 6}) checked.expect_found(id);
  EXPECT_EQ(checked.index.hint(5), 0u);
  EXPECT_EQ(checked.index.hint(page + 6), 0u);
}

TEST(PagedIds, AnswerWithNoSlotThatIsNotConfirmed) {
  PagedIds index = index_of<PagedIds>({.page_count = 1}, 4);
  index.insert(5, 1);
  index.insert(page + 5, 2);
  for (const OrderId id : {OrderId{5}, page + 5}) {
    EXPECT_EQ(index.find(id, [](SlotIndex) { return false; }), 0u) << id;
    EXPECT_NE(index.find(id, [](SlotIndex slot) { return slot != 0; }), 0u) << id;
  }
}

TEST(PagedIds, GiveAPageBackThatIsClosedWithFewOrders) {
  for (const std::size_t orders : {std::size_t{1}, few - 1, few}) {
    Checked<PagedIds> checked({.page_count = 40}, 1'000);
    insert(checked, 100, orders);
    take_pages(checked, 1, open_pages - 1);
    expect_kept(checked, open_pages, 0, "as many are open as can be");
    take_pages(checked, open_pages, 1);
    expect_kept(checked, open_pages, orders, "the first one is closed");
  }
}

TEST(PagedIds, GiveAClosedPageBackAsSoonAsFewOrdersAreLeft) {
  Checked<PagedIds> checked({.page_count = 40}, 1'000);
  insert(checked, page - few - 4, few + 4);
  take_pages(checked, 1, 3 * open_pages);
  expect_kept(checked, 1 + open_pages, 2 * open_pages);
  checked.insert(7);
  expect_kept(checked, 1 + open_pages, 2 * open_pages, "a late one of a closed page");
  for (std::size_t i = 0; i < 4; ++i) checked.erase(page - 1 - i);
  expect_kept(checked, 1 + open_pages, 2 * open_pages, "one more than few");
  const std::vector<OrderId> last{7, page - 5, page - few - 4};
  checked.erase(last[1]);
  expect_kept(checked, open_pages, 2 * open_pages + few);
  for (const OrderId id : {last[0], last[2]}) {
    checked.erase(id);
    checked.expect_found(id);
  }
  expect_kept(checked, open_pages, 2 * open_pages + few - 2);
}

/// An open page may have any number of orders.
TEST(PagedIds, KeepAnOpenPageHoweverFewItsOrdersAre) {
  Checked<PagedIds> checked({.page_count = 40}, 1'000);
  insert(checked, 0, few + 10);
  take_pages(checked, 1, open_pages - 1);
  for (OrderId id = 1; id < few + 10; ++id) checked.erase(id);
  expect_kept(checked, open_pages, 0);
}

TEST(PagedIds, KeepAnIdThatComesWhenItsPageIsGone) {
  Checked<PagedIds> checked({.page_count = 40}, 1'000);
  checked.insert(3);
  take_pages(checked, 1, open_pages);
  expect_kept(checked, open_pages, 1);
  checked.insert(4);
  expect_kept(checked, open_pages, 2, "a new page, for which the oldest is closed");
  checked.erase(3);
  checked.insert(3);
  expect_kept(checked, open_pages, 1, "the same id in the page");
  checked.erase(4);
  checked.erase(3);
  expect_kept(checked, open_pages - 1, 1);
}

/// Else pages that come and go would close one that is in use.
TEST(PagedIds, CountNoPageAsOpenThatHasBeenGivenBack) {
  Checked<PagedIds> checked({.page_count = 40}, 1'000);
  take_pages(checked, 0, open_pages);
  for (const std::uint64_t range : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{open_pages - 1}}) {
    checked.erase(range * page);
    EXPECT_EQ(IdInspector::open_pages(checked.index), open_pages - 1);
    expect_kept(checked, open_pages - 1, 0);
    take_pages(checked, 100 + range, 1);
    expect_kept(checked, open_pages, 0, "none is closed");
  }
  take_pages(checked, 200, 1);
  expect_kept(checked, open_pages, 1);
  EXPECT_FALSE(IdInspector::is_in_page(checked.index, page)) << "the oldest was closed";
  EXPECT_TRUE(IdInspector::is_in_page(checked.index, 2 * page));
}

TEST(PagedIds, CloseTheOldestPageWhenNoneIsLeft) {
  Checked<PagedIds> checked({.page_count = 3}, 1'000);
  take_pages(checked, 0, 3);
  checked.insert(3 * page);
  expect_kept(checked, 3, 1, "a page for the new range");
  EXPECT_FALSE(IdInspector::is_in_page(checked.index, 0));
}

TEST(PagedIds, KeepAnIdInTheTableIfNoPageIsLeft) {
  Checked<PagedIds> checked({.page_count = 2}, 1'000);
  insert(checked, 0, few + 1);
  insert(checked, page, few + 1);
  for (std::uint64_t range = 2; range < 6; ++range) {
    EXPECT_TRUE(checked.index.holds(range * page));
    take_pages(checked, range, 1);
    expect_kept(checked, 2, range - 1);
    EXPECT_EQ(IdInspector::open_pages(checked.index), range == 2 ? 1u : 0u);
  }
  checked.insert(2 * few);
  expect_kept(checked, 2, 4, "a range that has a page");
  checked.erase(page);
  expect_kept(checked, 1, 4 + few);
  checked.insert(5 * page + 1);
  expect_kept(checked, 2, 4 + few, "a page is left again");
}

TEST(PagedIds, HaveRoomForEveryOrderThatCanRest) {
  for (const std::size_t page_count : {1u, 3u, 100u}) {
    Checked<PagedIds> checked({.page_count = page_count}, 2'000);
    Random random(4);
    for (const OrderId id : {OrderId{0}, largest_id}) checked.insert(id);
    while (!checked.full()) {
      const OrderId id = random.chance(50) ? random.next() : random.below(100 * page);
      ASSERT_TRUE(checked.index.holds(id));
      if (!checked.rests(id)) checked.insert(id);
    }
    EXPECT_EQ(IdInspector::pages_in_use(checked.index), std::min(page_count, open_pages));
    expect_kept(checked, std::min(page_count, open_pages), IdInspector::orders_in_table(checked.index));
  }
}

TEST(PagedIds, AreEmptyWhenTheyAreCleared) {
  Checked<PagedIds> checked({.page_count = 20}, 1'000);
  for (int round = 0; round < 3; ++round) {
    insert(checked, 0, few + 1);
    take_pages(checked, 1, 2 * open_pages);
    expect_kept(checked, 1 + open_pages, open_pages);
    checked.clear();
    expect_kept(checked, 0, 0);
    EXPECT_EQ(IdInspector::open_pages(checked.index), 0u);
    for (const OrderId id : {OrderId{0}, page, 2 * open_pages * page}) checked.expect_found(id);
  }
}

/// The table has two buckets, in which each id has one of 255 tags.
TEST(PagedIds, LookForNoIdInTheTableThatIsAboveAllThatHaveBeenThere) {
  constexpr OrderId moved = 5 * page;
  const auto place = [](OrderId id) {
    return std::pair(mixed(id) >> 63, std::max<std::uint64_t>(mixed(id) >> 24 & 0xff, 1));
  };
  const auto next_like = [&](OrderId id, OrderId from) {
    while (place(from) != place(id)) ++from;
    return from;
  };
  PagedIds index = index_of<PagedIds>({.page_count = 1}, 2);
  index.insert(moved, 1);
  index.insert(6 * page, 2);
  const auto asked = [&](OrderId id) {
    int count = 0;
    // The lowest byte of a slot has nothing laid over it.
    const auto matches = [&](SlotIndex slot) { return count += (slot & 0xff) == 1 ? 1 : 0, false; };
    EXPECT_EQ(index.find(id, matches), 0u);
    EXPECT_EQ(index.hint(id) == 0, count == 0);
    return count;
  };
  EXPECT_EQ(asked(next_like(moved, 0)), 1);
  EXPECT_EQ(asked(moved), 1);
  EXPECT_EQ(asked(next_like(moved, moved + 1)), 0);
  EXPECT_EQ(asked(next_like(moved, 7 * page)), 0);
  index.clear();
  index.insert(0, 1);
  index.insert(6 * page, 2);
  EXPECT_EQ(asked(0), 1);
  EXPECT_EQ(asked(next_like(0, 1)), 0) << "the largest id there is 0 since the index was cleared";
}

TEST(PagedIds, FindGrowingIdsWithGaps) {
  Checked<PagedIds> checked({.page_count = 4}, 50);
  OrderId newest = largest_id - 100'000;  // they grow past the largest, to 0 and on
  std::vector<OrderId> resting;
  for (Random random(3); newest > 100'000 || newest < 50'000;) {
    newest += 1 + random.below(100);
    checked.insert(newest);
    resting.push_back(newest);
    if (resting.size() == 40) {
      const std::size_t leaving = random.below(10);
      checked.erase(resting[leaving]);
      resting.erase(resting.begin() + static_cast<std::ptrdiff_t>(leaving));
    }
    checked.expect_all_found();
  }
}

TEST(PagedIds, TakePagesAndATable) {
  EXPECT_EQ(index_of<PagedIds>({.page_count = 4}, 5).memory_bytes(), 4 * 16'384 + 4 + 5 * 4 + 16 * 16 + 3 * 32u);
  EXPECT_EQ(index_of<PagedIds>({.page_count = 5}, 30).memory_bytes(), 5 * 16'384 + 4 + 6 * 4 + 32 * 16 + 16 * 32u);
}

TEST(PagedIds, NoPagesMakeNoIndex) {
  for (const std::size_t page_count : {std::size_t{0}, std::size_t{1} << 32, std::size_t{1} << 52}) {
    CreateStatus status{};
    EXPECT_FALSE(PagedIds::create({page_count}, 1, status).has_value());
    EXPECT_EQ(status, CreateStatus::InvalidIdRange) << page_count;
  }
}

TEST(PagedIds, ACapacityThatIsNoneMakesNoIndex) {
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{1} << 32}) {
    CreateStatus status{};
    EXPECT_FALSE(PagedIds::create({1}, capacity, status).has_value());
    EXPECT_EQ(status, CreateStatus::InvalidCapacity) << capacity;
  }
}

TEST(PagedIds, HaveNoPagesUnlessTheyAreGivenSome) {
  EXPECT_EQ(PagedIds::Config{}.page_count, 0u);
}

}  // namespace
}  // namespace llmes::test
