// SPDX-License-Identifier: MIT
//
// The books of a DBN file: random records, right and wrong, against an oracle; and the rule of each action.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/dbn.hpp"
#include "llmes/market_data/mbo_book.hpp"
#include "llmes/market_data/price_grid.hpp"
#include "tests/support/mbo_oracle.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

constexpr std::uint8_t last = static_cast<std::uint8_t>(dbn::Flag::Last);
constexpr std::uint8_t top = static_cast<std::uint8_t>(dbn::Flag::TopOfBook);

dbn::Mbo record(char action, char side, std::uint64_t id, std::int64_t price, std::uint32_t size,
                std::uint8_t flags = last, std::uint32_t instrument = 1, std::uint16_t publisher = 1) {
  dbn::Mbo made;
  made.header.publisher = publisher;
  made.header.instrument = instrument;
  made.order_id = id;
  made.price = price;
  made.size = size;
  made.flags = flags;
  made.action = static_cast<dbn::Action>(action);
  made.side = static_cast<dbn::BidAsk>(side);
  return made;
}

std::map<std::string, std::uint64_t> named(const FeedFaults& faults) {
  std::map<std::string, std::uint64_t> all;
  for (std::size_t i = 0; i < FeedFaults::kinds; ++i) {
    const auto fault = static_cast<FeedFault>(i);
    if (faults[fault] != 0) all[std::string(to_string(fault))] = faults[fault];
  }
  return all;
}

std::vector<RestingOrder> queue(const MboBook& books, BookNumber book, Side side) {
  std::vector<RestingOrder> all;
  books.visit_orders(book, side, [&](RestingOrder order) {
    order.handle = {};
    all.push_back(order);
  });
  return all;
}

/// All that the queries say of a side is what its queue says.
void expect_side(const MboBook& books, BookNumber book, Side side, const std::vector<RestingOrder>& expected) {
  ASSERT_EQ(queue(books, book, side), expected);
  std::vector<DepthLevel> levels;
  for (const RestingOrder& order : expected) {
    if (levels.empty() || levels.back().price != order.price) levels.push_back({order.price, 0, 0});
    ASSERT_EQ(books.queue_ahead(book, order.id),
              (QueuePosition{levels.back().quantity, levels.back().order_count}));
    levels.back().quantity += order.quantity;
    ++levels.back().order_count;
    std::optional<RestingOrder> found = books.find(book, order.id);
    ASSERT_TRUE(found);
    found->handle = {};
    ASSERT_EQ(*found, order);
  }
  ASSERT_EQ(books.best(book, side), expected.empty() ? std::nullopt : std::optional(expected.front().price));
  for (const DepthLevel& level : levels) ASSERT_EQ(books.level(book, side, level.price), level);
  std::vector<DepthLevel> depth(levels.size() + 1);
  depth.resize(books.depth(book, side, depth));
  ASSERT_EQ(depth, levels);
}

void expect_same(const MboBook& books, const MboOracle& oracle) {
  ASSERT_EQ(named(books.faults()), oracle.faults);
  ASSERT_EQ(books.book_count(), oracle.books.size());
  ASSERT_EQ(books.size(), oracle.size());
  for (const auto& [name, expected] : oracle.books) {
    const MboInstrument instrument{name.first, name.second};
    const std::optional<BookNumber> book = books.book_of(instrument);
    ASSERT_TRUE(book);
    ASSERT_EQ(books.instrument(*book), instrument);
    ASSERT_EQ(books.size(*book), MboOracle::size(expected));
    ASSERT_EQ(books.is_settled(*book), expected.is_settled);
    for (const Side side : {Side::Buy, Side::Sell}) {
      ASSERT_NO_FATAL_FAILURE(expect_side(books, *book, side, MboOracle::queue(expected, side)));
    }
  }
}

/// Records about few orders and prices, so that they meet; now and then something wrong.
dbn::Mbo random_record(Random& random) {
  const std::array<char, 12> actions{'A', 'A', 'A', 'A', 'C', 'C', 'C', 'M', 'M', 'T', 'F', 'N'};
  char action = actions[random.below(actions.size())];
  if (random.chance(1)) action = random.chance(50) ? 'R' : '?';
  const char side = random.chance(2) ? 'N' : random.chance(50) ? 'B' : 'A';
  std::int64_t price = (random.chance(90) ? 5'000 : 625) * static_cast<std::int64_t>(random.below(30)) - 20'000;
  if (random.chance(1)) {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    const std::array<std::int64_t, 6> odd{dbn::undefined_price, dbn::undefined_price - 1, least, least + 1, 1, 7};
    price = odd[random.below(odd.size())];
  }
  const auto instrument = static_cast<std::uint32_t>(1 + random.below(3));
  if (instrument == 2 && price > -20'000 && price < 150'000) price *= 100'000;  // on both sides of one unit
  const auto size = static_cast<std::uint32_t>(random.below(6));
  auto flags = random.chance(70) ? last : std::uint8_t{0};
  if (random.chance(3)) flags = static_cast<std::uint8_t>(flags | top);
  return record(action, side, random.below(40), price, size, flags, instrument,
                static_cast<std::uint16_t>(random.below(2)));
}

TEST(MboBook, AgreesWithAnOracle) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    auto books = MboBook::create({.instruments = 5, .capacity = 40});
    ASSERT_TRUE(books);
    MboOracle oracle(5, 40);
    for (int i = 0; i < 3'000; ++i) {
      const dbn::Mbo next = random_record(random);
      books->apply(next);
      oracle.apply(next);
      if (i % 16 == 0) {
        ASSERT_NO_FATAL_FAILURE(expect_same(*books, oracle)) << "seed " << seed << " at " << i;
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(*books, oracle));
    EXPECT_GT(oracle.size(), 5u);
    EXPECT_GE(oracle.faults.size(), 8u);
  }
}

TEST(MboBook, ASpanOfRecordsIsAsManySingleOnes) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    auto books = MboBook::create({.instruments = 5, .capacity = 40});
    MboOracle oracle(5, 40);
    for (int round = 0; round < 60; ++round) {
      std::vector<std::byte> bytes(random.below(120) * sizeof(dbn::Mbo));
      dbn::Writer writer(bytes);
      while (writer.written().size() < bytes.size()) {
        const dbn::Mbo next = random_record(random);
        EXPECT_EQ(writer.append(next), dbn::WriteStatus::Success);
        oracle.apply(next);
      }
      dbn::RecordReader reader(bytes);
      books->apply(reader);
      EXPECT_EQ(reader.offset(), bytes.size());
      ASSERT_NO_FATAL_FAILURE(expect_same(*books, oracle)) << "seed " << seed << " round " << round;
    }
  }
}

TEST(MboBook, AGridThatCannotBecomeFinerStays) {
  constexpr std::int64_t unit = dbn::price_scale;
  auto books = MboBook::create({.instruments = 1, .capacity = 10, .far_levels = 2});
  for (std::uint64_t id = 1; id <= 4; ++id) {
    EXPECT_TRUE(books->apply(record('A', 'B', id, 100 * unit * static_cast<std::int64_t>(id), 5)));
  }
  const std::vector<RestingOrder> bids = queue(*books, 0, Side::Buy);
  EXPECT_FALSE(books->apply(record('A', 'B', 5, 150 * unit, 5)));
  EXPECT_FALSE(books->apply(record('M', 'B', 4, 150 * unit, 5)));
  EXPECT_EQ(books->faults()[FeedFault::NoRoom], 2u);
  EXPECT_EQ(queue(*books, 0, Side::Buy), bids);
  EXPECT_EQ(books->step(0), 100 * unit);
}

TEST(MboBook, AnOrderThatDoesNotRestLeavesTheGrid) {
  constexpr std::int64_t unit = dbn::price_scale;
  auto books = MboBook::create({.instruments = 1, .capacity = 10});
  EXPECT_TRUE(books->apply(record('A', 'B', 1, 100 * unit, 5)));
  EXPECT_FALSE(books->apply(record('A', 'B', 2, 103 * unit, 0)));
  EXPECT_FALSE(books->apply(record('A', 'B', 1, 103 * unit, 5)));
  EXPECT_FALSE(books->apply(record('M', 'B', 1, 103 * unit, 0)));
  EXPECT_FALSE(books->apply(record('M', 'B', 2, 103 * unit, 0)));
  EXPECT_EQ(books->step(0), 100 * unit);
}

TEST(MboBook, KeepsThePlaceOfAnOrderThatShrinks) {
  auto books = MboBook::create({.instruments = 1, .capacity = 10});
  const auto ids = [&] {
    std::vector<OrderId> all;
    for (const RestingOrder& order : queue(*books, 0, Side::Buy)) all.push_back(order.id);
    return all;
  };
  for (const std::uint64_t id : {1u, 2u, 3u}) EXPECT_TRUE(books->apply(record('A', 'B', id, 100, 10)));
  EXPECT_TRUE(books->apply(record('M', 'B', 1, 100, 10)));
  EXPECT_TRUE(books->apply(record('M', 'B', 1, 100, 5)));
  EXPECT_EQ(ids(), (std::vector<OrderId>{1, 2, 3}));
  EXPECT_TRUE(books->apply(record('M', 'B', 1, 100, 6)));  // larger
  EXPECT_EQ(ids(), (std::vector<OrderId>{2, 3, 1}));
  EXPECT_TRUE(books->apply(record('M', 'B', 2, 101, 1)));  // another price
  EXPECT_EQ(ids(), (std::vector<OrderId>{2, 3, 1}));
  EXPECT_TRUE(books->apply(record('M', 'B', 2, 100, 1)));
  EXPECT_EQ(ids(), (std::vector<OrderId>{3, 1, 2}));
  EXPECT_TRUE(books->apply(record('M', 'B', 9, 100, 1)));  // unknown
  EXPECT_EQ(ids(), (std::vector<OrderId>{3, 1, 2, 9}));
  EXPECT_TRUE(books->apply(record('C', 'B', 1, 100, 2)));  // a part
  EXPECT_EQ(ids(), (std::vector<OrderId>{3, 1, 2, 9}));
  EXPECT_EQ(books->find(0, 1)->quantity, 4u);
  EXPECT_TRUE(books->apply(record('C', 'B', 1, 100, 4)));
  EXPECT_EQ(ids(), (std::vector<OrderId>{3, 2, 9}));
  for (const char action : {'T', 'F', 'N'}) EXPECT_FALSE(books->apply(record(action, 'B', 3, 100, 10)));
  EXPECT_EQ(ids(), (std::vector<OrderId>{3, 2, 9}));
  EXPECT_EQ(books->faults().total(), 0u);
}

TEST(MboBook, ATopOfBookTakesThePlaceOfItsSide) {
  auto books = MboBook::create({.instruments = 1, .capacity = 10});
  books->apply(record('A', 'B', 1, 100, 1));
  books->apply(record('A', 'A', 2, 110, 1));
  EXPECT_TRUE(books->apply(record('A', 'B', 0, 90, 7, top | last)));
  EXPECT_TRUE(books->apply(record('A', 'A', 0, 95, 8, top | last)));
  const OrderId bid = MboBook::top_of_book_id(Side::Buy);
  const OrderId ask = MboBook::top_of_book_id(Side::Sell);
  EXPECT_EQ(queue(*books, 0, Side::Buy), (std::vector<RestingOrder>{{{}, bid, Side::Buy, 90, 7}}));
  EXPECT_EQ(queue(*books, 0, Side::Sell), (std::vector<RestingOrder>{{{}, ask, Side::Sell, 95, 8}}));
  EXPECT_TRUE(books->apply(record('A', 'B', 0, dbn::undefined_price, 0, top | last)));
  EXPECT_EQ(books->size(), 1u);
  EXPECT_FALSE(books->apply(record('A', 'B', 0, dbn::undefined_price, 0, top | last)));
  EXPECT_EQ(books->faults().total(), 0u);
}

TEST(MboBook, IsSettledAfterTheLastRecordOfAnEvent) {
  auto books = MboBook::create({.instruments = 2, .capacity = 10});
  EXPECT_TRUE(books->is_settled(0));  // there is none yet
  books->apply(record('A', 'B', 1, 100, 1, 0, 1));
  books->apply(record('A', 'B', 1, 100, 1, last, 2));
  EXPECT_FALSE(books->is_settled(0));
  EXPECT_TRUE(books->is_settled(1));
  books->apply(record('T', 'N', 0, 100, 1, last, 1));
  EXPECT_TRUE(books->is_settled(0));
}

TEST(MboBook, ASnapshotIsAClearAndItsOrders) {
  auto books = MboBook::create({.instruments = 2, .capacity = 10});
  constexpr auto snapshot = static_cast<std::uint8_t>(dbn::Flag::Snapshot);
  books->apply(record('A', 'B', 1, 100, 1, last, 1));
  books->apply(record('A', 'B', 1, 100, 1, last, 2));
  EXPECT_TRUE(books->apply(record('R', 'N', 0, dbn::undefined_price, 0, snapshot, 1)));
  EXPECT_EQ(books->size(0), 0u);
  EXPECT_EQ(books->size(1), 1u);
  for (const std::uint64_t id : {7u, 5u, 6u}) books->apply(record('A', 'B', id, 100, 1, snapshot, 1));
  EXPECT_FALSE(books->is_settled(0));
  books->apply(record('A', 'A', 8, 101, 1, snapshot | last, 1));
  EXPECT_TRUE(books->is_settled(0));
  EXPECT_EQ(queue(*books, 0, Side::Buy).front().id, 7u);
  EXPECT_EQ(queue(*books, 0, Side::Buy).back().id, 6u);
}

TEST(MboBook, ARejectedRecordChangesNothing) {
  auto books = MboBook::create({.instruments = 1, .capacity = 2});
  books->apply(record('A', 'B', 1, 100, 5));
  books->apply(record('A', 'A', 2, 110, 5));
  const std::vector<RestingOrder> bids = queue(*books, 0, Side::Buy);
  const std::vector<RestingOrder> asks = queue(*books, 0, Side::Sell);
  const Price step = books->step(0);
  const std::vector<std::pair<dbn::Mbo, FeedFault>> wrong{
      {record('A', 'B', 3, 103, 5), FeedFault::NoRoom},
      {record('A', 'B', 1, 103, 5), FeedFault::DuplicateReference},
      {record('A', 'N', 3, 103, 5), FeedFault::InvalidSide},
      {record('A', 'B', 3, dbn::undefined_price, 5), FeedFault::InvalidPrice},
      {record('A', 'B', 0, 103, 0, top), FeedFault::ZeroQuantity},
      {record('A', 'B', 0, std::numeric_limits<std::int64_t>::min(), 1, top), FeedFault::InvalidPrice},
      {record('C', 'B', 3, 100, 5), FeedFault::UnknownReference},
      {record('C', 'B', 1, 100, 6), FeedFault::OverExecution},
      {record('C', 'B', 1, 100, 0), FeedFault::ZeroQuantity},
      {record('M', 'B', 1, 103, 0), FeedFault::ZeroQuantity},
      {record('M', 'A', 1, 103, 1), FeedFault::InvalidSide},
      {record('M', 'N', 1, 103, 1), FeedFault::InvalidSide},
      {record('M', 'B', 1, dbn::undefined_price, 1), FeedFault::InvalidPrice},
      {record('M', 'B', 3, 103, 1), FeedFault::NoRoom},
      {record('x', 'B', 1, 100, 1), FeedFault::UnknownType},
      {record('A', 'B', 3, 100, 1, last, 2), FeedFault::UnknownSymbol}};
  std::uint64_t faults = 0;
  for (const auto& [one, fault] : wrong) {
    const std::uint64_t before = books->faults()[fault];
    EXPECT_FALSE(books->apply(one));
    EXPECT_EQ(books->faults()[fault], before + 1) << to_string(fault);
    EXPECT_EQ(books->faults().total(), ++faults);
    EXPECT_EQ(queue(*books, 0, Side::Buy), bids);
    EXPECT_EQ(queue(*books, 0, Side::Sell), asks);
    EXPECT_EQ(books->step(0), step);
  }
}

TEST(MboBook, ClearBeginsAgain) {
  auto books = MboBook::create({.instruments = 1, .capacity = 2});
  books->apply(record('A', 'B', 1, 100, 5, 0, 8));
  books->apply(record('A', 'B', 1, 100, 5, 0, 9));
  EXPECT_EQ(books->faults().total(), 1u);
  books->clear();
  EXPECT_EQ(books->faults().total(), 0u);
  EXPECT_EQ(books->size(), 0u);
  EXPECT_EQ(books->book_count(), 0u);
  EXPECT_EQ(books->book_of({1, 8}), std::nullopt);
  EXPECT_TRUE(books->apply(record('A', 'B', 1, 7, 5, last, 9)));
  EXPECT_EQ(books->instrument(0), (MboInstrument{1, 9}));
  EXPECT_EQ(books->best(0, Side::Buy), 7);
}

TEST(MboBook, OneThatWasMovedFromHasNoRoom) {
  auto books = MboBook::create({.instruments = 1, .capacity = 2});
  books->apply(record('A', 'B', 1, 100, 5));
  const MboBook moved = *std::move(books);
  EXPECT_EQ(moved.best(0, Side::Buy), 100);
  EXPECT_FALSE(books->apply(record('A', 'B', 2, 100, 5)));
  EXPECT_EQ(books->faults()[FeedFault::UnknownSymbol], 1u);
  EXPECT_EQ(books->best(0, Side::Buy), std::nullopt);
  EXPECT_EQ(books->book_of({1, 1}), std::nullopt);
  EXPECT_EQ(books->size(), 0u);
}

TEST(MboBook, IsNotMadeForNothing) {
  CreateStatus status{};
  EXPECT_FALSE(MboBook::create({.instruments = 0, .capacity = 1}, status));
  EXPECT_EQ(status, CreateStatus::InvalidBookCount);
  EXPECT_FALSE(MboBook::create({.instruments = BookSet::books_max, .capacity = 1}, status));
  EXPECT_EQ(status, CreateStatus::InvalidBookCount);
  EXPECT_FALSE(MboBook::create({.instruments = 1, .capacity = 0}, status));
  EXPECT_EQ(status, CreateStatus::InvalidCapacity);
}

TEST(MboBook, DoesNotAllocateOnceMade) {
  Random random(1);
  auto books = MboBook::create({.instruments = 5, .capacity = 40});
  const std::uint64_t before = bench::allocation_count();
  for (int i = 0; i < 2'000; ++i) books->apply(random_record(random));
  books->clear();
  EXPECT_EQ(bench::allocation_count(), before);
}

TEST(TickGrid, HoldsTheMultiplesOfItsStep) {
  constexpr Price highest = TickGrid::highest;
  for (const Price step : {Price{0}, Price{1}, Price{2}, Price{3}, Price{12}, Price{250'000'000}, Price{7'812'500},
                           Price{1} << 40, Price{1} << 62, highest / 3, highest - 1, highest}) {
    const TickGrid grid(static_cast<std::uint64_t>(step));
    Random random(static_cast<std::uint64_t>(step));
    for (int i = 0; i < 2'000; ++i) {
      auto price = static_cast<Price>(random.next()) >> random.below(64);
      if (step != 0 && random.chance(50)) price = price / step * step;
      if (random.chance(2)) price = random.chance(50) ? highest : -highest;
      if (!TickGrid::is_possible(price)) continue;
      const bool is_multiple = step == 0 ? price == 0 : price % step == 0;
      ASSERT_EQ(grid.holds(price), is_multiple) << price << " on " << step;
      if (!is_multiple) {
        const TickGrid finer = grid.with(price);
        ASSERT_TRUE(finer.holds(price) && finer.holds(step)) << price << " and " << step;
        ASSERT_GT(finer.step(), 0);
        continue;
      }
      ASSERT_EQ(grid.tick(price), step == 0 ? 0 : price / step);
      ASSERT_EQ(grid.price(grid.tick(price)), price);
    }
  }
}

TEST(SplitGrid, NumbersItsPricesInTheirOrder) {
  Random random(1);
  for (const Price unit : {Price{1}, Price{10}, Price{1'000}, dbn::price_scale}) {
    SplitGrid grid(unit);
    std::set<Price> prices{0};
    for (int i = 0; i < 60; ++i) {
      auto price = static_cast<Price>(random.next()) >> random.below(64);
      if (random.chance(50)) price = static_cast<Price>(random.below(40)) * unit / 8 - 2 * unit;
      if (random.chance(3)) price = random.chance(50) ? TickGrid::highest : -TickGrid::highest;
      if (!TickGrid::is_possible(price)) continue;
      ASSERT_EQ(grid.holds(price),
                grid.with(price).step() == grid.step() && grid.with(price).low_step() == grid.low_step());
      grid = grid.with(price);
      prices.insert(price);
      std::optional<Price> last;
      for (const Price one : prices) {
        ASSERT_TRUE(grid.holds(one)) << one << " after " << price;
        ASSERT_EQ(grid.price(grid.tick(one)), one) << "after " << price;
        if (last) {
          ASSERT_GT(grid.tick(one), *last) << one << " after " << price;
        }
        last = grid.tick(one);
      }
    }
  }
}

TEST(SplitGrid, StubQuotesLeaveTheOtherStepsCoarse) {
  SplitGrid grid(dbn::price_scale);
  for (const Price price :
       std::initializer_list<Price>{50'010'000'000, 50'030'000'000, 100'000, 1'000'000'000, -3'020'000'000}) {
    grid = grid.with(price);
  }
  EXPECT_EQ(grid.step(), 10'000'000);
  EXPECT_EQ(grid.low_step(), 100'000);
  EXPECT_EQ(grid.tick(50'030'000'000) - grid.tick(50'010'000'000), 2);
  EXPECT_EQ(grid.tick(1'000'000'000) - grid.tick(999'900'000), 1);
  EXPECT_EQ(grid.tick(-1'000'000'000) - grid.tick(-999'900'000), -1);
}

}  // namespace
}  // namespace llmes::test
