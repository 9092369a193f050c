// SPDX-License-Identifier: MIT
//
// What a span of requests by id fetches ahead: entry, slot, neighbours and level of each, in this order, each of
// them once and in time; and nothing that is in the caches anyway.
#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "llmes/ids/id_book.hpp"

namespace llmes::test {
namespace {

/// What was asked for, and how many requests had been applied by then.
struct Fetch {
  std::uint64_t what;
  std::size_t done;
};

/// What the book and the index below say of themselves, and what they were asked for.
struct Seen {
  std::size_t index_bytes;
  std::size_t order_count;
  std::size_t done = 0;
  std::size_t searches = 0;
  std::vector<Fetch> entries{};
  std::vector<Fetch> hints{};
  std::vector<Fetch> slots{};
  std::vector<Fetch> neighbours{};
  std::vector<Fetch> levels{};

  void note(std::vector<Fetch>& fetches, std::uint64_t what) const { fetches.push_back({what, done}); }
};
Seen* seen = nullptr;

/// Its hint for an id is a number of its own.
constexpr SlotIndex slot_of(OrderId id) {
  return static_cast<SlotIndex>(id + 5'000);
}

class WatchedIds : public DenseIds {
 public:
  explicit WatchedIds(DenseIds&& ids) noexcept : DenseIds(std::move(ids)) {}
  static std::optional<WatchedIds> create(const Config& config, std::size_t capacity, CreateStatus& status) {
    return WatchedIds(DenseIds::create(config, capacity, status).value());
  }
  template <std::predicate<SlotIndex> Matches>
  [[nodiscard]] SlotIndex find(OrderId id, Matches matches) const {
    ++seen->searches;
    return DenseIds::find(id, matches);
  }
  void fetch(OrderId id) const { seen->note(seen->entries, id); }
  [[nodiscard]] SlotIndex hint(OrderId id) const {
    seen->note(seen->hints, id);
    return slot_of(id);
  }
  [[nodiscard]] std::size_t memory_bytes() const { return seen->index_bytes; }
};

template <bool HasColdLevels>
class WatchedBook : public OrderBook<128> {
 public:
  static constexpr bool has_cold_levels() { return HasColdLevels; }

  explicit WatchedBook(OrderBook<128>&& book) noexcept : OrderBook<128>(std::move(book)) {}
  static std::optional<WatchedBook> create(const BookConfig& config, CreateStatus& status) {
    return WatchedBook(OrderBook<128>::create(config, status).value());
  }
  [[nodiscard]] std::size_t size() const { return seen->order_count; }
  void fetch(SlotIndex slot) const { seen->note(seen->slots, slot); }
  void fetch_neighbours(SlotIndex slot) const { seen->note(seen->neighbours, slot); }
  void fetch_level(Side side, Price price) const {
    EXPECT_EQ(side, price % 2 == 0 ? Side::Buy : Side::Sell);
    seen->note(seen->levels, static_cast<std::uint64_t>(price));
  }
};

/// From here on a span fetches ahead.
constexpr std::size_t cached_bytes = std::size_t{1} << 20;
constexpr std::size_t cached_orders = cached_bytes / sizeof(OrderSlot);

/// Applies a span of orders with the ids and prices 0, 1, 2 and so on, none of which rests.
template <class Watched>
Seen fetched_for(std::size_t count, std::size_t index_bytes, std::size_t order_count) {
  using Book = IdBook<Watched, WatchedIds>;
  Seen all{index_bytes, order_count};
  seen = &all;
  Book book = Book::create({.capacity = 1}, {.first = 0, .count = 1'000}).value();
  const auto at = [](std::size_t i) {
    return Request::add_limit(OrderId{i}, i % 2 == 0 ? Side::Buy : Side::Sell, static_cast<Price>(i), Quantity{1},
                              TimeInForce::ImmediateOrCancel);
  };
  book.apply(
      count, at, [&](const Result&) { ++all.done; }, DiscardTrades{});
  EXPECT_EQ(all.done, count);
  return all;
}

/// Each request from `first` on was fetched, in their order, `least` to `most` requests ahead or at once.
void expect_in_turn(const char* what, const std::vector<Fetch>& fetches, std::size_t first, std::size_t count,
                    std::size_t least, std::size_t most) {
  SCOPED_TRACE(what);
  ASSERT_EQ(fetches.size(), count - std::min(first, count));
  for (std::size_t i = first; i < count; ++i) {
    const auto [number, done] = fetches[i - first];
    EXPECT_EQ(number, i);
    EXPECT_LE(done + (done == 0 ? 0 : least), i);
    EXPECT_LE(i, done + most);
  }
}

/// The numbers of the requests whose slots these are.
std::vector<Fetch> requests_of(std::vector<Fetch> slots) {
  for (Fetch& slot : slots) slot.what -= slot_of(0);
  return slots;
}

/// A book that is wide or not by its type.
template <class Wide>
struct IdFetchOf : ::testing::Test {
  using Narrow = WatchedBook<false>;
};
using WideBooks = ::testing::Types<WatchedBook<true>>;
TYPED_TEST_SUITE(IdFetchOf, WideBooks);

TYPED_TEST(IdFetchOf, ASpanIsInStagesAheadOfEachRequest) {
  for (const std::size_t count : {0u, 1u, 4u, 5u, 8u, 9u, 12u, 13u, 31u, 32u, 33u, 41u, 100u}) {
    SCOPED_TRACE(count);
    const Seen all = fetched_for<TypeParam>(count, cached_bytes, cached_orders);
    // Each stage has the time of eight requests at least. The first requests have less, and some stages leave them
    // out.
    expect_in_turn("entries", all.entries, 0, count, 28, 40);
    expect_in_turn("hints", all.hints, 0, count, 12, 20);
    expect_in_turn("slots", requests_of(all.slots), 0, count, 12, 20);
    expect_in_turn("neighbours", requests_of(all.neighbours), 4, count, 4, 12);
    expect_in_turn("levels", all.levels, 12, count, 12, 20);
  }
}

TYPED_TEST(IdFetchOf, ASpanLeavesOutWhatIsInTheCaches) {
  const Seen small_index = fetched_for<TypeParam>(100, cached_bytes - 1, cached_orders);
  EXPECT_TRUE(small_index.entries.empty());
  EXPECT_EQ(small_index.slots.size(), 100u);
  const Seen few_orders = fetched_for<TypeParam>(100, cached_bytes, cached_orders - 1);
  EXPECT_EQ(few_orders.entries.size(), 100u);
  EXPECT_TRUE(few_orders.hints.empty());
  EXPECT_TRUE(few_orders.slots.empty());
  EXPECT_TRUE(few_orders.neighbours.empty());
  EXPECT_FALSE(few_orders.levels.empty());
  const Seen narrow = fetched_for<typename TestFixture::Narrow>(100, cached_bytes, cached_orders);
  EXPECT_EQ(narrow.entries.size(), 100u);
  EXPECT_EQ(narrow.slots.size(), 100u);
  EXPECT_TRUE(narrow.levels.empty());
}

TEST(IdFetch, ACallLooksAmongRecentIdsFirst) {
  using Book = IdBook<WatchedBook<false>, WatchedIds>;
  constexpr auto gtc = TimeInForce::GoodTillCancel;
  Seen all{0, 0};
  seen = &all;
  Book book = Book::create({.base_price = 0, .capacity = 5}, {.first = 0, .count = 1'000}).value();
  const DiscardTrades sink;
  const auto searches = [&] { return std::exchange(all.searches, 0); };

  EXPECT_TRUE(book.add_limit_order(1, Side::Buy, 40, 5, gtc, sink).rests());
  EXPECT_TRUE(book.apply(Request::add_limit(2, Side::Buy, 40, 5, gtc), sink).rests());
  EXPECT_EQ(searches(), 2u) << "each looks for an order of its id";
  EXPECT_EQ(book.add_limit_order(1, Side::Buy, 40, 5, gtc, sink).status, Status::DuplicateId);
  EXPECT_EQ(searches(), 1u);
  EXPECT_TRUE(book.find(1).has_value()) << "the duplicate is not the recent one";
  EXPECT_TRUE(book.modify_order(1, 41, 5, sink).rests());
  EXPECT_EQ(book.reduce_order(1, 1), Status::Success);
  EXPECT_EQ(book.cancel_order(2), Status::Success);
  EXPECT_EQ(searches(), 0u);
  EXPECT_FALSE(book.find(2).has_value());
  EXPECT_EQ(searches(), 1u) << "it may rest all the same";
  EXPECT_TRUE(book.replace_order(1, 3, 42, 5, sink).rests());
  EXPECT_EQ(searches(), 1u) << "for an order of the new id";
  EXPECT_EQ(book.cancel_order(3), Status::Success);
  EXPECT_EQ(searches(), 0u);
}

}  // namespace
}  // namespace llmes::test
