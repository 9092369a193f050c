// SPDX-License-Identifier: MIT
//
// One generated market as ITCH and as DBN: the same books, the same events, and each fill at the head of its queue
// that was there. And both readers of ITCH on a real file.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "bench/streams/dbn_day.hpp"
#include "bench/streams/itch_day.hpp"
#include "llmes/dbn.hpp"
#include "llmes/market_data.hpp"
#include "llmes/simulator.hpp"
#include "tests/support/print.hpp"
#include "tests/support/real_data.hpp"
#include "tests/support/unpacked.hpp"

namespace llmes::test {
namespace {

constexpr std::size_t symbols = 40;

const bench::ItchDay& day() {
  static const bench::ItchDay made =
      bench::make_itch_day({.messages = 40'000, .symbols = symbols, .has_fine_symbols = true});
  return made;
}

template <class Take>
void each_record(std::span<const std::byte> file, Take take) {
  dbn::Metadata metadata;
  ASSERT_EQ(dbn::read_metadata(file, metadata).status, dbn::ReadStatus::Success);
  dbn::RecordReader reader(file.subspan(metadata.size), metadata.has_sent_time);
  while (const dbn::Mbo* record = reader.next()) take(*record);
  ASSERT_EQ(reader.fault().status, dbn::ReadStatus::Success);
}

template <class Visit>
std::vector<RestingOrder> queue(Visit visit) {
  std::vector<RestingOrder> all;
  visit([&](RestingOrder order) {
    order.handle = {};
    all.push_back(order);
  });
  return all;
}

TEST(SameMarket, HasTheSameBooksInBothFormats) {
  auto feed = FeedBook::create({.symbols = symbols, .capacity = 40'000});
  const std::vector<itch::MessageBytes> messages = bench::messages_of(day().tape);
  feed->apply(messages);
  EXPECT_EQ(feed->faults().total(), 0u);
  for (const std::uint8_t version : std::vector<std::uint8_t>{1, 2, 3}) {
    auto books = MboBook::create({.instruments = symbols, .capacity = 40'000});
    each_record(bench::make_dbn_day(day().tape, version), [&](const dbn::Mbo& record) { books->apply(record); });
    EXPECT_EQ(books->faults().total(), 0u);
    ASSERT_EQ(books->size(), feed->size());
    for (std::uint16_t locate = 1; locate <= symbols; ++locate) {
      const std::optional<BookNumber> book = books->book_of({bench::DbnDayWriter::publisher, locate});
      if (!book) continue;
      EXPECT_TRUE(books->is_settled(*book));
      for (const Side side : {Side::Buy, Side::Sell}) {
        auto expected = queue([&](auto take) { feed->visit_orders(itch::Locate{locate}, side, take); });
        for (RestingOrder& order : expected) order.price *= bench::DbnDayWriter::price4_scale;
        ASSERT_EQ(queue([&](auto take) { books->visit_orders(*book, side, take); }), expected);
      }
    }
  }
}

TEST(SameMarket, HasTheSameFillsInBothFormats) {
  CreateStatus status{};
  std::optional<TapeReport> itch_report = TapeReport::create({.books = symbols, .capacity = 40'000}, status);
  ItchEvents from_itch;
  const auto take_itch = [&](const MarketEvent& event) { itch_report->take(event); };
  for (const itch::MessageBytes message : bench::messages_of(day().tape)) from_itch.apply(message, take_itch);
  from_itch.finish(take_itch);
  itch_report->finish();

  std::optional<TapeReport> dbn_report = TapeReport::create({.books = symbols, .capacity = 40'000}, status);
  std::optional<DbnEvents> from_dbn = DbnEvents::create(symbols, bench::DbnDayWriter::price4_scale);
  std::uint64_t received = 0;
  each_record(bench::make_dbn_day(day().tape), [&](const dbn::Mbo& record) {
    from_dbn->apply(record, [&](const MarketEvent& event) {
      received += event.received > event.time;
      dbn_report->take(event);
    });
  });
  dbn_report->finish();

  const TapeCounts& itch_counts = itch_report->counts();
  const TapeCounts& dbn_counts = dbn_report->counts();
  EXPECT_EQ(itch_counts.refused(), 0u);
  EXPECT_EQ(dbn_counts.refused(), 0u);
  EXPECT_EQ(from_itch.counts().times_back, 0u);
  EXPECT_EQ(from_dbn->counts().times_back, 0u);
  EXPECT_GT(received, 30'000u);
  EXPECT_GT(itch_counts.fills, 500u);
  EXPECT_GT(itch_counts.at_head, itch_counts.fills / 2);
  // In DBN an execution of a cross is a fill without a trade.
  EXPECT_GT(itch_counts.cross_fills, 0u);
  EXPECT_EQ(dbn_counts.cross_fills, itch_counts.cross_fills);
  EXPECT_EQ(dbn_counts.fills, itch_counts.fills);
  EXPECT_EQ(dbn_counts.at_head, itch_counts.at_head);
  EXPECT_EQ(dbn_counts.at_head_gone, itch_counts.at_head_gone);
  EXPECT_EQ(dbn_counts.passed_better, itch_counts.passed_better);
  EXPECT_EQ(dbn_counts.of(MarketEventType::Fill), itch_counts.of(MarketEventType::Execute));
  EXPECT_EQ(dbn_counts.of(MarketEventType::Trade), itch_counts.of(MarketEventType::Trade));
  for (BookNumber book = 0; book < from_dbn->book_count(); ++book) {
    const BookNumber locate = from_dbn->instrument(book).instrument;
    for (const Side side : {Side::Buy, Side::Sell}) {
      auto found = queue([&](auto take) { dbn_report->books().set().book(book)->visit_orders(side, take); });
      for (RestingOrder& order : found) order.id = salted_id(book, order.id);
      ASSERT_EQ(found,
                queue([&](auto take) { itch_report->books().set().book(locate - 1)->visit_orders(side, take); }));
    }
  }
}

/// `FeedBook` and the books of a simulator have the same queues after each message of a public sample, and refuse
/// the same messages. It lacks many orders that it goes on to name.
TEST(SameMarket, BothReadersOfARealItchFileAgreeMessageByMessage) {
  LLMES_NEEDS_REAL_DATA(path, "ex20101224.TEST_ITCH_50.gz");
  constexpr std::size_t locates = 3;
  const std::vector<std::byte> file = unpacked(path);
  std::vector<itch::MessageBytes> messages(20'000);
  itch::FrameReader frames(file);
  messages.resize(frames.read(messages).size());
  EXPECT_EQ(frames.status(), itch::FramingStatus::Success);
  EXPECT_EQ(messages.size(), 12'012u);

  auto feed = FeedBook::create({.symbols = locates, .capacity = 10'000});
  CreateStatus status{};
  auto market = MarketBooks::create({.books = locates, .capacity = 10'000}, status);
  std::map<MarketStatus, std::uint64_t> said;
  std::uint64_t unknown_executions = 0;
  std::set<BookNumber> moved;
  std::uint64_t touches = 0;
  using Touch = std::array<std::pair<Price, Quantity>, 2>;
  std::array<Touch, locates> before{};
  std::size_t applied = 0;
  std::vector<RestingOrder> of_feed;
  std::vector<RestingOrder> of_market;
  const auto expect_same = [&](BookNumber book, Side side, std::uint64_t message) {
    const auto into = [](std::vector<RestingOrder>& all) {
      all.clear();
      return [&all](RestingOrder order) {
        order.handle = {};
        all.push_back(order);
      };
    };
    feed->visit_orders(static_cast<itch::Locate>(book + 1), side, into(of_feed));
    market->set().book(book)->visit_orders(side, into(of_market));
    ASSERT_EQ(of_feed, of_market) << "message " << message;
  };
  TapeReader reader;
  reader.read(file, true, [&](const MarketEvent& event) {
    for (; applied <= event.record; ++applied) feed->apply(messages[applied]);
    NoDetails none;
    const MarketStatus result = market->apply(event, none);
    ++said[result];
    unknown_executions += result != MarketStatus::Success && event.type == MarketEventType::Execute;
    for (BookNumber book = 0; book < locates; ++book) {
      Touch touch{};
      for (const Side side : {Side::Buy, Side::Sell}) {
        if (const std::optional<Price> best = market->set().book(book)->best(side))
          touch[static_cast<std::size_t>(side)] = {*best, market->set().book(book)->level(side, *best).quantity};
        if (book == event.book || event.record % 100 == 0) expect_same(book, side, event.record);
      }
      if (touch == before[book]) continue;
      before[book] = touch;
      moved.insert(book);
      ++touches;
    }
  });
  for (; applied < messages.size(); ++applied) feed->apply(messages[applied]);
  for (BookNumber book = 0; book < locates; ++book) {
    for (const Side side : {Side::Buy, Side::Sell}) expect_same(book, side, applied);
  }
  EXPECT_EQ(reader.fault(), "");
  EXPECT_EQ(touches, 392u);
  EXPECT_EQ(moved.size(), 3u);
  EXPECT_EQ(unknown_executions, 18u);
  EXPECT_EQ(feed->faults()[FeedFault::UnknownReference], 117u);
  EXPECT_EQ(feed->faults().total(), 117u);
  EXPECT_EQ(said[MarketStatus::UnknownOrder], 117u);
  EXPECT_EQ(said.size(), 2u);  // the rest are successes
}

}  // namespace
}  // namespace llmes::test
