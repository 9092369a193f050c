// SPDX-License-Identifier: MIT
//
// The two readers of market-by-order records, `MboBook` and the books of a simulator, have the same orders in the
// same queues after each record: of made events, of records that hold anything, and of real files.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "llmes/dbn.hpp"
#include "llmes/market_data/mbo_book.hpp"
#include "llmes/simulator.hpp"
#include "tests/support/mbo_oracle.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random.hpp"
#include "tests/support/real_data.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/unpacked.hpp"

namespace llmes::test::dbn_books_test {
namespace {

struct Fields {
  char action = 'A';
  char side = 'B';
  std::uint64_t id = 0;
  std::int64_t price = 100;
  std::uint32_t size = 0;
  bool last = false;
  std::uint32_t instrument = 1;
};
dbn::Mbo record_of(const Fields& fields) {
  dbn::Mbo record;
  record.header.instrument = fields.instrument;
  record.order_id = fields.id;
  record.price = fields.price;
  record.size = fields.size;
  record.flags = static_cast<std::uint8_t>(fields.last ? dbn::Flag::Last : dbn::Flag{});
  record.action = static_cast<dbn::Action>(fields.action);
  record.side = static_cast<dbn::BidAsk>(fields.side);
  return record;
}

using Queue = std::vector<std::tuple<OrderId, Price, Quantity>>;

/// Both readers.
struct Readers {
  explicit Readers(std::size_t instruments, std::size_t capacity)
      : books(*MboBook::create({.instruments = instruments, .capacity = capacity})),
        feed(*DbnEvents::create(instruments)),
        market(*MarketBooks::create({.books = instruments, .capacity = capacity}, status)),
        report(*TapeReport::create({.books = instruments, .capacity = capacity}, status)) {}

  void apply(const dbn::Mbo& record) {
    books.apply(record);
    if (record.action == dbn::Action::Trade) traded += record.size.value();
    feed.apply(record, [&](const MarketEvent& event) {
      NoDetails none;
      ++refused[market.apply(event, none)];
      report.take(event);
      const bool is_trade = event.type == MarketEventType::Trade;
      if ((is_trade || event.type == MarketEventType::Fill) && !event.unprinted) printed += event.quantity;
      crosses += is_trade && event.cross ? event.quantity : 0;
      ended = event.last;
    });
  }
  [[nodiscard]] Queue from_books(BookNumber book, Side side) const {
    Queue queue;
    books.visit_orders(
        book, side, [&](const RestingOrder& order) { queue.emplace_back(order.id, order.price, order.quantity); });
    return queue;
  }
  [[nodiscard]] Queue from_market(BookNumber book, Side side) const {
    Queue queue;
    market.set().book(book)->visit_orders(side, [&](const RestingOrder& order) {
      queue.emplace_back(salted_id(book, order.id), order.price, order.quantity);
    });
    return queue;
  }
  void expect_same() const {
    ASSERT_EQ(books.book_count(), feed.book_count());
    for (BookNumber book = 0; book < books.book_count(); ++book) {
      for (const Side side : {Side::Buy, Side::Sell}) ASSERT_EQ(from_books(book, side), from_market(book, side));
    }
  }
  void expect_same_touch(BookNumber book) const {
    for (const Side side : {Side::Buy, Side::Sell}) {
      const std::optional<Price> best = books.best(book, side);
      ASSERT_EQ(best, market.set().book(book)->best(side));
      if (best) {
        ASSERT_EQ(books.level(book, side, *best), market.set().book(book)->level(side, *best));
      }
    }
  }

  CreateStatus status{};
  MboBook books;
  DbnEvents feed;
  MarketBooks market;
  TapeReport report;
  std::map<MarketStatus, std::uint64_t> refused;
  std::uint64_t traded = 0;
  std::uint64_t printed = 0;
  std::uint64_t crosses = 0;
  bool ended = true;
};
Readers after(const std::vector<Fields>& records) {
  Readers readers(1, 20);
  for (const Fields& one : records) readers.apply(record_of(one));
  readers.report.finish();
  return readers;
}

TEST(DbnBooks, WhatFillsLeaveIsWhatTheCancelSays) {
  const Readers readers = after({{.id = 1, .size = 8, .last = true},
                                 {.action = 'T', .side = 'A', .size = 5},
                                 {.action = 'F', .id = 1, .size = 3},
                                 {.action = 'F', .id = 1, .size = 2},
                                 {.action = 'C', .id = 1, .size = 5, .last = true}});
  readers.expect_same();
  EXPECT_EQ(readers.from_market(0, Side::Buy), (Queue{{1, 100, 3}}));
  EXPECT_EQ(readers.printed, 5u);
}

TEST(DbnBooks, AnIcebergMayTradeMoreThanItShows) {
  const std::vector<Fields> before{{.id = 1, .size = 1, .last = true},
                                   {.id = 2, .size = 5, .last = true},
                                   {.action = 'T', .side = 'A', .size = 25},
                                   {.action = 'F', .id = 1, .size = 25}};
  for (const Fields& end : {Fields{.action = 'C', .id = 1, .size = 1, .last = true},
                            Fields{.action = 'M', .id = 1, .size = 1, .last = true}}) {
    std::vector<Fields> records = before;
    records.push_back(end);
    const Readers readers = after(records);
    readers.expect_same();
    const bool is_refilled = end.action == 'M';
    EXPECT_EQ(readers.from_market(0, Side::Buy),
              is_refilled ? (Queue{{2, 100, 5}, {1, 100, 1}}) : (Queue{{2, 100, 5}}));
    EXPECT_EQ(readers.printed, 25u);
    EXPECT_EQ(readers.refused.at(MarketStatus::Success), 4u);
    EXPECT_EQ(readers.report.counts().fills, 1u);
    EXPECT_EQ(readers.report.counts().at_head, 1u);
  }
}

TEST(DbnBooks, AModifyKeepsItsPlaceForWhatFillsHaveLeft) {
  const auto queue_after = [](std::uint32_t filled, std::uint32_t modified) {
    const Readers readers = after({{.id = 1, .size = 8, .last = true},
                                   {.id = 2, .size = 5, .last = true},
                                   {.action = 'F', .id = 1, .size = filled},
                                   {.action = 'M', .id = 1, .size = modified, .last = true}});
    readers.expect_same();
    return readers.from_books(0, Side::Buy);
  };
  EXPECT_EQ(queue_after(3, 5), (Queue{{1, 100, 5}, {2, 100, 5}}));
  EXPECT_EQ(queue_after(3, 4), (Queue{{1, 100, 4}, {2, 100, 5}}));
  EXPECT_EQ(queue_after(3, 6), (Queue{{2, 100, 5}, {1, 100, 6}}));
  EXPECT_EQ(queue_after(8, 8), (Queue{{2, 100, 5}, {1, 100, 8}}));
  EXPECT_EQ(queue_after(30, 2), (Queue{{2, 100, 5}, {1, 100, 2}}));
  EXPECT_EQ(queue_after(0, 8), (Queue{{1, 100, 8}, {2, 100, 5}}));
  // Of another event, of the aggressor, or booked before, a fill does not count.
  for (const std::vector<Fields>& fill :
       {std::vector<Fields>{{.action = 'F', .id = 1, .size = 8, .last = true}},
        std::vector<Fields>{{.action = 'T', .side = 'B', .size = 8}, {.action = 'F', .id = 1, .size = 8}},
        std::vector<Fields>{{.action = 'F', .id = 1, .size = 3}, {.action = 'C', .id = 1, .size = 3}}}) {
    std::vector<Fields> records{{.id = 1, .size = 8, .last = true}, {.id = 2, .size = 5, .last = true}};
    records.insert(records.end(), fill.begin(), fill.end());
    records.push_back({.action = 'M', .id = 1, .size = 5, .last = true});
    const Readers readers = after(records);
    readers.expect_same();
    EXPECT_EQ(readers.from_books(0, Side::Buy), (Queue{{1, 100, 5}, {2, 100, 5}}));
  }
}

TEST(DbnBooks, AModifyToTheOtherSideIsRefused) {
  const Readers readers =
      after({{.id = 1, .size = 8, .last = true},
             {.action = 'M', .side = 'A', .id = 1, .price = 101, .size = 4, .last = true},
             {.action = 'M', .id = 1, .price = dbn::undefined_price, .size = 4, .last = true}});
  readers.expect_same();
  EXPECT_EQ(readers.from_market(0, Side::Buy), (Queue{{1, 100, 8}}));
  EXPECT_EQ(readers.refused.at(MarketStatus::InvalidEvent), 1u);
}

/// 4 lots trade; both sides have a fill of each of them.
TEST(DbnBooks, TheVolumeOfAnAuctionCountsOnce) {
  const Readers readers = after({{.id = 1, .size = 4, .last = true},
                                 {.side = 'A', .id = 2, .size = 3, .last = true},
                                 {.side = 'A', .id = 3, .size = 9, .last = true},
                                 {.action = 'T', .side = 'N', .size = 4},
                                 {.action = 'F', .side = 'N', .id = 1, .size = 4},
                                 {.action = 'F', .side = 'N', .id = 2, .size = 3},
                                 {.action = 'F', .side = 'N', .id = 3, .size = 1},
                                 {.action = 'C', .id = 1, .size = 4},
                                 {.action = 'C', .side = 'A', .id = 2, .size = 3},
                                 {.action = 'M', .side = 'A', .id = 3, .size = 8, .last = true}});
  readers.expect_same();
  EXPECT_EQ(readers.from_market(0, Side::Sell), (Queue{{3, 100, 8}}));
  EXPECT_EQ(readers.printed, 4u);
  EXPECT_EQ(readers.crosses, 4u);
  EXPECT_EQ(readers.report.counts().cross_fills, 3u);
  EXPECT_EQ(readers.report.counts().fills, 0u);
}

TEST(DbnBooks, ALongSnapshotIsOneEvent) {
  Readers readers(1, 10'000);
  for (std::uint64_t id = 1; id <= 9'000; ++id)
    readers.apply(record_of({.side = id % 2 == 0 ? 'B' : 'A', .id = id, .price = 101, .size = 1}));
  readers.apply(record_of({.action = 'N', .last = true}));
  readers.apply(record_of({.id = 9'001, .size = 1, .last = true}));
  readers.report.finish();
  readers.expect_same();
  EXPECT_EQ(readers.report.counts().of(MarketStatus::Success), 9'002u);
  EXPECT_EQ(readers.report.counts().events, 2u);
  EXPECT_EQ(readers.report.counts().locked, 2u);
}

/// Records about few orders and prices, so that they meet, and events as venues send them among those that are
/// wrong.
class RandomRecords {
 public:
  explicit RandomRecords(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::vector<Fields> next_event() {
    std::vector<Fields> event;
    const std::uint64_t dice = random_.below(100);
    const auto instrument = static_cast<std::uint32_t>(1 + random_.below(3));
    if (dice < 45) {
      event.push_back({.side = side(), .id = id(), .price = price(), .size = size()});
    } else if (dice < 55) {
      event.push_back({.action = 'C', .side = side(), .id = id(), .price = price(), .size = size()});
    } else if (dice < 65) {
      event.push_back({.action = 'M', .side = side(), .id = id(), .price = price(), .size = size()});
    } else if (dice < 85) {  // a trade of some orders, each booked by a cancel or a modify, or not
      const char maker = side();
      event.push_back({.action = 'T', .side = maker == 'B' ? 'A' : 'B', .price = price(), .size = size()});
      std::vector<Fields> booked;
      for (std::uint64_t left = 1 + random_.below(4); left > 0; --left) {
        const Fields one{.action = 'F',
                         .side = random_.chance(90) ? maker : side(),
                         .id = id(),
                         .price = price(),
                         .size = size()};
        event.push_back(one);
        Fields book = one;
        book.action = random_.chance(50) ? 'C' : 'M';
        if (random_.chance(30)) book.size = size();
        if (random_.chance(90)) booked.push_back(book);
        if (random_.chance(20)) event.push_back({.action = 'T', .side = side(), .size = size()});
      }
      event.insert(event.end(), booked.begin(), booked.end());
    } else {  // anything
      constexpr std::array<char, 9> actions{'A', 'C', 'M', 'R', 'T', 'F', 'N', '?', 'F'};
      for (std::uint64_t left = 1 + random_.below(6); left > 0; --left) {
        const char action = actions[random_.below(random_.chance(10) ? actions.size() : 3)];
        event.push_back({.action = action,
                         .side = random_.chance(20) ? 'N' : side(),
                         .id = id(),
                         .price = price(),
                         .size = size()});
      }
    }
    for (Fields& one : event) one.instrument = random_.chance(2) ? 1 : instrument;
    event.back().last = !random_.chance(5);
    return event;
  }
  /// The record, now and then with something odd.
  [[nodiscard]] dbn::Mbo record(const Fields& fields) {
    dbn::Mbo record = record_of(fields);
    constexpr std::array<std::int64_t, 4> odd{dbn::undefined_price, dbn::undefined_price - 1,
                                              std::numeric_limits<std::int64_t>::min(), 7};
    if (fields.action != 'T' && random_.chance(2)) record.price = odd[random_.below(odd.size())];
    constexpr std::array<dbn::Flag, 3> flags{dbn::Flag::TopOfBook, dbn::Flag::Snapshot, dbn::Flag::MaybeBadBook};
    if (random_.chance(3)) {
      record.flags = static_cast<std::uint8_t>(record.flags.value() |
                                               static_cast<std::uint8_t>(flags[random_.below(flags.size())]));
    }
    return record;
  }

 private:
  char side() { return random_.chance(50) ? 'B' : 'A'; }
  std::uint64_t id() { return 1 + random_.below(25); }
  std::int64_t price() { return 100 + static_cast<std::int64_t>(random_.below(6)); }
  std::uint32_t size() { return static_cast<std::uint32_t>(random_.chance(3) ? 0 : 1 + random_.below(9)); }

  Random random_;
};

TEST(DbnBooks, BothReadersAndAnOracleAgreeRecordByRecord) {
  std::uint64_t traded = 0;
  std::map<MarketStatus, std::uint64_t> refused;
  for (std::uint64_t seed = 1; seed <= repetitions(40u); ++seed) {
    RandomRecords random(seed);
    Readers readers(2, 20);
    MboOracle oracle(2, 20);
    for (int events = 0; events < 400; ++events) {
      for (const Fields& fields : random.next_event()) {
        const dbn::Mbo record = random.record(fields);
        readers.apply(record);
        oracle.apply(record);
        ASSERT_NO_FATAL_FAILURE(readers.expect_same()) << "seed " << seed << ", event " << events;
        for (const auto& [name, book] : oracle.books) {
          const BookNumber number = *readers.books.book_of({name.first, name.second});
          for (const Side side : {Side::Buy, Side::Sell}) {
            Queue expected;
            for (const RestingOrder& order : MboOracle::queue(book, side))
              expected.emplace_back(order.id, order.price, order.quantity);
            ASSERT_EQ(readers.from_books(number, side), expected) << "seed " << seed << ", event " << events;
          }
        }
      }
    }
    traded += readers.printed;
    for (const auto& [status, count] : readers.refused) refused[status] += count;
  }
  EXPECT_GT(traded, repetitions(40u) * 100);
  for (const MarketStatus status :
       {MarketStatus::Success, MarketStatus::InvalidEvent, MarketStatus::UnknownOrder,
        MarketStatus::DuplicateOrder, MarketStatus::InvalidQuantity, MarketStatus::NoRoom})
    EXPECT_GT(refused[status], 10u) << to_string(status);
}

/// Whatever the records are, the trades have the lots of the trade records.
TEST(DbnBooks, TheVolumeIsThatOfTheTradeRecords) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomRecords random(seed);
    Readers readers(3, 20);
    for (int events = 0; events < 300; ++events) {
      for (const Fields& fields : random.next_event()) readers.apply(random.record(fields));
    }
    for (const std::uint32_t instrument : {1u, 2u, 3u})
      readers.apply(record_of({.action = 'N', .last = true, .instrument = instrument}));
    EXPECT_GT(readers.traded, 300u);
    EXPECT_EQ(readers.printed, readers.traded) << "seed " << seed;
  }
}

// ---- Real files.

template <class Take>
void each_record(std::span<const std::byte> file, const Take& take) {
  dbn::Metadata metadata;
  ASSERT_EQ(dbn::read_metadata(file, metadata).status, dbn::ReadStatus::Success);
  dbn::RecordReader reader(file.subspan(metadata.size), metadata.has_sent_time);
  while (const dbn::Mbo* record = reader.next()) take(*record);
  ASSERT_EQ(reader.fault().status, dbn::ReadStatus::Success);
}

TEST(DbnRealFile, ADayOfTheEMiniHasItsFacts) {
  LLMES_NEEDS_REAL_DATA(path, "esh4-glbx-mdp3-20231225.mbo.dbn.zst");
  LLMES_NEEDS_ZSTD();
  Readers readers(1, 20'000);
  std::uint64_t records = 0;
  std::uint64_t settled = 0;
  std::uint64_t crossed = 0;
  bool is_open = false;
  dbn::BidAsk aggressor{};
  std::map<std::uint64_t, Quantity> filled;  // of the event
  std::uint64_t icebergs = 0;
  Quantity iceberg_lots = 0;
  ASSERT_NO_FATAL_FAILURE(each_record(unpacked(path), [&](const dbn::Mbo& record) {
    const std::uint64_t id = record.order_id;
    if (record.action == dbn::Action::Trade) aggressor = record.side;
    if (record.action == dbn::Action::Fill && record.side != aggressor) {
      const auto order = readers.books.find(0, id);
      const Quantity shown = order ? order->quantity - std::min(order->quantity, filled[id]) : Quantity{0};
      if (order && record.size > shown) {
        ++icebergs;
        iceberg_lots += record.size.value();
      }
      filled[id] += record.size.value();
    }
    readers.apply(record);
    readers.expect_same_touch(0);
    if (++records % 2'000 == 0) readers.expect_same();
    is_open |= record.action == dbn::Action::Trade;
    if (!record.has(dbn::Flag::Last)) return;
    filled.clear();
    ++settled;
    EXPECT_TRUE(readers.books.is_settled(0) && readers.ended);
    const auto bid = readers.market.set().book(0)->best(Side::Buy);
    const auto ask = readers.market.set().book(0)->best(Side::Sell);
    if (bid && ask && *bid >= *ask) {
      ++crossed;
      EXPECT_FALSE(is_open);
    }
  }));
  readers.report.finish();
  readers.expect_same();
  EXPECT_EQ(records, 68'792u);
  EXPECT_EQ(settled, 47'022u);
  EXPECT_EQ(crossed, 891u);
  EXPECT_EQ(readers.traded, 9'892u);
  EXPECT_EQ(readers.printed, 9'892u);
  EXPECT_EQ(readers.crosses, 44u);
  EXPECT_EQ(icebergs, 27u);
  EXPECT_EQ(iceberg_lots, 309u);
  EXPECT_EQ(readers.books.faults().total(), 0u);
  const TapeCounts& counts = readers.report.counts();
  EXPECT_EQ(counts.events, settled);
  EXPECT_EQ(counts.crossed, crossed);
  EXPECT_EQ(counts.locked, 0u);
  EXPECT_EQ(counts.refused(), 7u);  // fills of the opening auction whose orders nobody has shown
  EXPECT_EQ(counts.fills, 6'229u);
  EXPECT_EQ(counts.at_head + counts.at_head_gone, counts.fills);
  EXPECT_EQ(counts.cross_fills, 28u);
  EXPECT_EQ(readers.feed.aggressor_fills(), 107u);
}

/// What is wrong with a file, for somebody who gives its records to books of his own.
std::string fault_of(std::span<const std::byte> file) {
  dbn::Metadata metadata;
  const dbn::Fault fault = dbn::read_metadata(file, metadata);
  return fault.status == dbn::ReadStatus::Success ? "" : to_string(fault);
}

TEST(DbnRealFile, EachFileOfTheFormatsOwnIsReadOrRefusedByBothReaders) {
  LLMES_NEEDS_REAL_DATA(path, "dbn");
  LLMES_NEEDS_ZSTD();
  std::map<std::string, std::size_t> words;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    ++files;
    const std::vector<std::byte> bytes = unpacked(entry.path());
    TapeReader reader;
    std::size_t events = 0;
    reader.read(bytes, true, [&](const MarketEvent&) { ++events; });
    const std::string name = entry.path().filename().string();
    const std::string schema = name.substr(10, name.find('.', 10) - 10);
    if (name.find(".frag") != name.npos) {
      EXPECT_TRUE(reader.fault().starts_with("neither ITCH 5.0")) << name << ": " << reader.fault();
      EXPECT_EQ(fault_of(bytes), "no DBN file: it does not begin with 'DBN'") << name;
      EXPECT_EQ(events, 0u) << name;
      ++words["fragments"];
    } else if (schema == "mbo") {
      EXPECT_EQ(reader.fault(), "") << name;
      EXPECT_GT(events, 0u) << name;
      ++words["read"];
      Readers readers(4, 20);
      std::size_t records = 0;
      ASSERT_NO_FATAL_FAILURE(each_record(bytes, [&](const dbn::Mbo& record) {
        ++records;
        readers.apply(record);
        readers.expect_same();
      }));
      EXPECT_EQ(reader.counts().records, records) << name;
      EXPECT_EQ(readers.feed.counts().events, events) << name;
    } else {
      EXPECT_EQ(fault_of(bytes) + ", at byte 24", reader.fault()) << name;  // where the schema stands
      EXPECT_EQ(events, 0u) << name;
      EXPECT_TRUE(reader.fault().starts_with("DBN of the schema " + schema + " ("))
          << name << ": " << reader.fault();
      EXPECT_TRUE(reader.fault().find("only mbo can be read") != std::string::npos) << name;
      ++words["other schemas"];
    }
  }
  EXPECT_EQ(words["read"], 5u);
  EXPECT_EQ(words["fragments"], 7u);
  EXPECT_EQ(words["read"] + words["fragments"] + words["other schemas"], files);
}

}  // namespace
}  // namespace llmes::test::dbn_books_test
