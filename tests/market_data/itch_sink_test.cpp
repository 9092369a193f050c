// SPDX-License-Identifier: MIT
//
// What a publisher says in ITCH messages is the whole book: a feed book that reads them has the same orders in the
// same queues after every command.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "llmes/market_data/feed_book.hpp"
#include "llmes/market_data/itch_sink.hpp"
#include "llmes/market_data/publisher.hpp"
#include "llmes/sets/book_set.hpp"
#include "tests/support/print.hpp"
#include "tests/support/tape.hpp"

namespace llmes::test::itch_sink_test {
namespace {

using Output = std::function<void(itch::MessageBytes)>;
using Sink = ItchSink<Output>;

Sink sink_to(Output output, const ItchSinkConfig& config) {
  CreateStatus status{};
  return *Sink::create(config, std::move(output), status);
}

using Line = std::pair<Price, Quantity>;

/// The orders of a side, by price in ten-thousandths of a dollar and quantity.
template <class Book>
std::vector<Line> queue(const Book& book, Side side, Price tick_size) {
  std::vector<Line> lines;
  book.visit_orders(
      side, [&](const RestingOrder& order) { lines.emplace_back(order.price * tick_size, order.quantity); });
  return lines;
}
std::vector<Line> queue(const FeedBook& feed, BookNumber book, Side side) {
  std::vector<Line> lines;
  feed.visit_orders(static_cast<itch::Locate>(book + 1), side,
                    [&](const RestingOrder& order) { lines.emplace_back(order.price, order.quantity); });
  return lines;
}

TEST(ItchSink, SaysAllThatHappensToTheOrdersOfABook) {
  for (const Profile& profile : profiles) {
    SCOPED_TRACE(profile.name);
    const BookConfig config{
        .base_price = 70, .capacity = profile.capacity, .quantity_max = std::numeric_limits<std::uint32_t>::max()};
    OrderBook<64> recorder = *OrderBook<64>::create(config);
    std::vector<Operation> operations = random_stream(profile, config, 64, 9);
    std::erase_if(operations, [](const Operation& one) {  // ITCH has no word for a place in a queue
      return one.type == CommandType::AddRestingBefore;
    });
    const Tape tape = record_tape(recorder, operations);
    FeedBook feed = *FeedBook::create({.symbols = 1, .capacity = profile.capacity});
    Sink sink = sink_to([&](itch::MessageBytes message) { feed.apply(message); }, {.capacity = profile.capacity});
    auto publisher = *Publisher<OrderBook<64>, Sink&>::create(*OrderBook<64>::create(config), sink);
    for (std::size_t i = 0; i < tape.commands.size(); ++i) {
      ASSERT_EQ(publisher.apply(tape.commands[i], DiscardTrades{}), tape.results[i]);
      ASSERT_EQ(feed.faults().total(), 0u) << i;
      ASSERT_EQ(feed.size(), publisher.book().size()) << i;
      if (i % 8 != 0 && i + 1000 < tape.commands.size()) continue;
      for (const Side side : {Side::Buy, Side::Sell}) {
        ASSERT_EQ(queue(feed, 0, side), queue(publisher.book(), side, 100)) << i;
      }
    }
    EXPECT_EQ(sink.left_out(), 0u);
    EXPECT_GT(feed.size(), 0u);
  }
}

struct Kept {
  std::vector<std::vector<std::byte>> messages;

  /// The last message, which is of that type.
  template <itch::Message M>
  [[nodiscard]] M last() const {
    std::optional<M> kept;
    itch::decode(messages.back(), [&](const M& message) { kept = message; });
    return kept.value();
  }
};

class ItchSinkSays : public ::testing::Test {
 protected:
  Kept kept;
  Sink sink =
      sink_to([this](itch::MessageBytes message) { kept.messages.emplace_back(message.begin(), message.end()); },
              {.books = 2, .capacity = 3});
  RestingOrder order{{7, 1}, 99, Side::Sell, 1'234, 500};
};

TEST_F(ItchSinkSays, EachEventInItsMessage) {
  sink.set_time(itch::Timestamp{34'200'000'000'123});
  sink.system_event(itch::EventCode::StartOfMarketHours);
  EXPECT_EQ(kept.last<itch::SystemEvent>().event, itch::EventCode::StartOfMarketHours);
  EXPECT_EQ(kept.last<itch::SystemEvent>().header.locate, itch::Locate{0});
  sink.directory(1, "ABC", 50);
  EXPECT_EQ(kept.last<itch::StockDirectory>().symbol.view(), "ABC");
  EXPECT_EQ(kept.last<itch::StockDirectory>().header.locate, itch::Locate{2});

  sink.added({{1, 1, true}, order});
  const auto add = kept.last<itch::AddOrder>();
  EXPECT_EQ(add.header.locate, itch::Locate{2});
  EXPECT_EQ(add.header.timestamp, itch::Timestamp{34'200'000'000'123});
  EXPECT_EQ(add.reference, itch::Reference{1});
  EXPECT_EQ(add.side, itch::BuySell::Sell);
  EXPECT_EQ(add.shares, 500u);
  EXPECT_EQ(add.symbol.view(), "ABC");
  EXPECT_EQ(add.price, itch::Price4{61'700});

  Trade trade{.taker_id = 5,
              .maker_id = 99,
              .maker_handle = order.handle,
              .price = 1'234,
              .quantity = 100,
              .maker_remaining = 400};
  sink.executed({{2, 1, true}, trade});
  EXPECT_EQ(kept.last<itch::OrderExecuted>().reference, itch::Reference{1});
  EXPECT_EQ(kept.last<itch::OrderExecuted>().shares, 100u);
  EXPECT_EQ(kept.last<itch::OrderExecuted>().match, itch::MatchNumber{1});
  sink.reduced({{3, 1, true}, order, 150});
  EXPECT_EQ(kept.last<itch::OrderCancel>().shares, 150u);

  RestingOrder moved = order;
  moved.price = 1'000;
  sink.replaced({{4, 1, true}, order, moved});
  const auto replace = kept.last<itch::OrderReplace>();
  EXPECT_EQ(replace.reference, itch::Reference{1});
  EXPECT_EQ(replace.new_reference, itch::Reference{2});
  EXPECT_EQ(replace.price, itch::Price4{50'000});

  trade.maker_remaining = 0;
  sink.executed({{5, 1, true}, trade});
  EXPECT_EQ(kept.last<itch::OrderExecuted>().reference, itch::Reference{2});
  EXPECT_EQ(kept.last<itch::OrderExecuted>().match, itch::MatchNumber{2});
  const std::size_t count = kept.messages.size();
  sink.deleted({{6, 1, true}, moved});  // it is gone
  EXPECT_EQ(kept.messages.size(), count);
}

/// ITCH has no message for a place in a queue.
TEST_F(ItchSinkSays, OfAnOrderInFrontOfAnotherThatItWasAdded) {
  sink.added({{1, 1, true}, order});
  RestingOrder placed = order;
  placed.handle = {8, 1};
  sink.added({{2, 1, true}, placed, order.handle});
  const auto add = kept.last<itch::AddOrder>();
  EXPECT_EQ(add.reference, itch::Reference{2});
  EXPECT_EQ(add.shares, 500u);
  EXPECT_EQ(sink.left_out(), 0u);
}

TEST_F(ItchSinkSays, NothingOfAnOrderThatDoesNotFit) {
  RestingOrder largest = order;
  largest.quantity = std::numeric_limits<std::uint32_t>::max();
  largest.price = std::numeric_limits<std::uint32_t>::max() / 100;
  sink.added({{1, 0, true}, largest});
  EXPECT_EQ(kept.last<itch::AddOrder>().price, itch::Price4{4'294'967'200});
  EXPECT_EQ(sink.left_out(), 0u);

  RestingOrder other = largest;
  other.handle.index = 8;
  ++other.quantity;
  sink.added({{2, 0, true}, other});
  --other.quantity;
  ++other.price;
  sink.added({{2, 0, true}, other});
  other.price = -1;
  sink.added({{2, 0, true}, other});
  sink.added({{1, 2, true}, order});  // of no book
  sink.directory(2, "NONE");
  sink.executed({{2, 0, true}, {.maker_handle = other.handle, .quantity = 1, .maker_remaining = 0}});
  sink.reduced({{2, 0, true}, other, 1});
  sink.deleted({{2, 0, true}, other});
  EXPECT_EQ(kept.messages.size(), 1u);
  EXPECT_EQ(sink.left_out(), 4u);

  RestingOrder fits = other;
  fits.price = 5;
  sink.replaced({{3, 0, true}, other, fits});  // it appears
  EXPECT_EQ(kept.last<itch::AddOrder>().price, itch::Price4{500});
  sink.replaced({{3, 0, true}, fits, other});  // it disappears
  EXPECT_EQ(kept.last<itch::OrderDelete>().reference, itch::Reference{2});
  EXPECT_EQ(sink.left_out(), 5u);
}

TEST_F(ItchSinkSays, PricesByATickSizeOfAtLeastOne) {
  sink.directory(0, "ABC", 0);
  sink.added({{1, 0, true}, order});
  EXPECT_EQ(kept.last<itch::AddOrder>().price, itch::Price4{1'234});
}

TEST_F(ItchSinkSays, NothingOfMoreOrdersThanItHasRoomFor) {
  for (std::uint32_t i = 1; i <= 4; ++i) sink.added({{i, 0, true}, {{i, 1}, i, Side::Buy, 100, 1}});
  EXPECT_EQ(kept.messages.size(), 3u);
  EXPECT_EQ(sink.left_out(), 1u);
  sink.deleted({{5, 0, true}, {{1, 1}, 1, Side::Buy, 100, 1}});
  sink.added({{6, 0, true}, {{5, 1}, 5, Side::Buy, 100, 1}});
  EXPECT_EQ(kept.messages.size(), 5u);

  Sink moved = std::move(sink);
  sink.added({{7, 0, true}, order});  // NOLINT(bugprone-use-after-move)
  sink.deleted({{7, 0, true}, order});
  EXPECT_EQ(sink.left_out(), 2u);
  moved.deleted({{7, 0, true}, {{5, 1}, 5, Side::Buy, 100, 1}});
  EXPECT_EQ(kept.last<itch::OrderDelete>().reference, itch::Reference{4});
}

TEST(ItchSinkCreate, RefusesWhatCannotBe) {
  const auto status_of = [](const ItchSinkConfig& config) {
    CreateStatus status{};
    const bool made = Sink::create(config, Output{}, status).has_value();
    EXPECT_EQ(made, status == CreateStatus::Success);
    return status;
  };
  EXPECT_EQ(status_of({.books = 0, .capacity = 1}), CreateStatus::InvalidBookCount);
  EXPECT_EQ(status_of({.books = 65'536, .capacity = 1}), CreateStatus::InvalidBookCount);
  EXPECT_EQ(status_of({.books = 65'535, .capacity = 1}), CreateStatus::Success);
  EXPECT_EQ(status_of({.books = 1, .capacity = 0}), CreateStatus::InvalidCapacity);
  EXPECT_EQ(status_of({.books = 1, .capacity = std::numeric_limits<std::size_t>::max()}),
            CreateStatus::InvalidCapacity);
}

}  // namespace
}  // namespace llmes::test::itch_sink_test
