// SPDX-License-Identifier: MIT
//
// What each message, record and line becomes: the market events of the adapters.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "llmes/simulator.hpp"
#include "tests/support/random.hpp"

namespace llmes {

void PrintTo(const MarketEvent& event, std::ostream* out) {
  constexpr std::array<const char*, TapeCounts::types> names{"Add",     "Cancel",    "Reduce", "Modify",
                                                             "Replace", "Execute",   "Fill",   "Trade",
                                                             "Clear",   "ClearSide", "Phase",  "End"};
  *out << names.at(static_cast<std::size_t>(event.type)) << " time " << event.time << " received "
       << event.received << " record " << event.record << " id " << event.id << " new " << event.new_id
       << " price " << event.price << " quantity " << event.quantity << " book " << event.book << " side "
       << static_cast<int>(event.side) << " phase " << static_cast<int>(event.phase) << (event.last ? " last" : "")
       << (event.snapshot ? " snapshot" : "") << (event.off_price ? " off price" : "")
       << (event.unprinted ? " unprinted" : "") << (event.says_side ? " says side" : "")
       << (event.cross ? " cross" : "");
}

void PrintTo(const FeedCounts& counts, std::ostream* out) {
  *out << counts.records << " records, " << counts.events << " events, " << counts.unreadable << " unreadable, "
       << counts.off_tick << " off tick, " << counts.times_back << " times back, " << counts.suspect << " suspect";
}

namespace test {
namespace {

using Type = MarketEventType;
using Events = std::vector<MarketEvent>;

// ---- ITCH.

class ItchEventsTest : public testing::Test {
 protected:
  template <itch::Message M>
  void send(M message, std::uint16_t locate = 3, std::uint64_t time = 100) {
    message.header.locate = itch::Locate{locate};
    message.header.timestamp = itch::Timestamp(time);
    feed_.apply(itch::bytes_of(message), take_);
  }
  Events finish() {
    feed_.finish(take_);
    return events_;
  }

  ItchEvents feed_{100};
  Events events_;
  std::function<void(const MarketEvent&)> take_ = [this](const MarketEvent& event) { events_.push_back(event); };
};

TEST_F(ItchEventsTest, EachMessageIsItsEvent) {
  const itch::Reference id{7};
  send(itch::AddOrder{.reference = id, .side = itch::BuySell::Sell, .shares = 30u, .price = itch::Price4{12'300}});
  send(itch::AddAttributedOrder{
      .reference = id, .side = itch::BuySell::Buy, .shares = 30u, .price = itch::Price4{12'300}});
  send(itch::OrderCancel{.reference = id, .shares = 5u});
  send(itch::OrderDelete{.reference = id});
  send(itch::OrderReplace{
      .reference = id, .new_reference = itch::Reference{8}, .shares = 9u, .price = itch::Price4{100}});
  send(itch::OrderExecuted{.reference = id, .shares = 4u}, 3, 200);
  send(itch::OrderExecutedWithPrice{.reference = id, .shares = 3u, .printable = 'Y', .price = itch::Price4{200}},
       3, 300);
  send(itch::OrderExecutedWithPrice{.reference = id, .shares = 3u, .printable = 'N', .price = itch::Price4{200}},
       3, 400);
  send(itch::Trade{.side = itch::BuySell::Buy, .shares = 6u, .price = itch::Price4{300}}, 3, 400);
  send(itch::CrossTrade{.shares = std::uint64_t{600}, .price = itch::Price4{400}}, 3, 400);
  const Events expected{
      {.time = 100, .record = 0, .id = 7, .price = 123, .quantity = 30, .book = 2, .side = Side::Sell},
      {.time = 100, .record = 1, .id = 7, .price = 123, .quantity = 30, .book = 2},
      {.time = 100, .record = 2, .id = 7, .quantity = 5, .book = 2, .type = Type::Reduce},
      {.time = 100, .record = 3, .id = 7, .book = 2, .type = Type::Cancel},
      {.time = 100,
       .record = 4,
       .id = 7,
       .new_id = 8,
       .price = 1,
       .quantity = 9,
       .book = 2,
       .type = Type::Replace},
      {.time = 200, .record = 5, .id = 7, .quantity = 4, .book = 2, .type = Type::Execute},
      {.time = 300,
       .record = 6,
       .id = 7,
       .price = 2,
       .quantity = 3,
       .book = 2,
       .type = Type::Execute,
       .off_price = true},
      {.time = 400,
       .record = 7,
       .id = 7,
       .price = 2,
       .quantity = 3,
       .book = 2,
       .type = Type::Execute,
       .off_price = true,
       .unprinted = true},
      {.time = 400, .record = 8, .price = 3, .quantity = 6, .book = 2, .type = Type::Trade},
      {.time = 400, .record = 9, .price = 4, .quantity = 600, .book = 2, .type = Type::Trade, .cross = true}};
  EXPECT_EQ(finish(), expected);
  EXPECT_EQ(feed_.counts(), (FeedCounts{.records = 10, .events = 10}));
}

TEST_F(ItchEventsTest, PhasesFollowTheTradingState) {
  for (const char state : {'H', 'P', 'Q', 'T'}) {
    send(itch::TradingAction{.state = static_cast<itch::TradingState>(state)});
  }
  send(itch::SystemEvent{.event = itch::EventCode::EndOfMarketHours}, 0);
  send(itch::SystemEvent{.event = itch::EventCode::EndOfSystemHours}, 0);
  std::vector<std::tuple<Type, BookNumber, MarketPhase>> phases;
  for (const MarketEvent& event : finish()) phases.emplace_back(event.type, event.book, event.phase);
  EXPECT_EQ(phases, (std::vector<std::tuple<Type, BookNumber, MarketPhase>>{
                        {Type::Phase, 2, MarketPhase::Halted},
                        {Type::Phase, 2, MarketPhase::Halted},
                        {Type::Phase, 2, MarketPhase::Auction},
                        {Type::Phase, 2, MarketPhase::Continuous},
                        {Type::Phase, every_book, MarketPhase::Closed}}));
}

TEST_F(ItchEventsTest, TheExecutionsOfOneMomentAreOneEvent) {
  const auto execute = [&](std::uint16_t locate, std::uint64_t time) {
    send(itch::OrderExecuted{.reference = itch::Reference{7}, .shares = 1u}, locate, time);
  };
  execute(3, 100);
  EXPECT_TRUE(events_.empty());  // the next message tells whether it was the last one
  execute(3, 100);
  execute(3, 101);
  execute(4, 101);
  execute(4, 101);
  send(itch::OrderDelete{.reference = itch::Reference{7}}, 4, 101);
  execute(4, 101);
  std::vector<bool> last;
  for (const MarketEvent& event : finish()) last.push_back(event.last);
  EXPECT_EQ(last, (std::vector<bool>{false, true, true, false, true, true, true}));
}

TEST_F(ItchEventsTest, ThePrintOfAnAuctionEndsTheEventOfItsExecutions) {
  const auto execute = [&] {
    send(
        itch::OrderExecutedWithPrice{
            .reference = itch::Reference{7}, .shares = 3u, .printable = 'N', .price = itch::Price4{200}},
        3, 100);
  };
  execute();
  execute();
  send(itch::CrossTrade{.shares = std::uint64_t{6}, .price = itch::Price4{200}}, 3, 100);
  execute();
  send(itch::Trade{.side = itch::BuySell::Buy, .shares = 6u, .price = itch::Price4{200}}, 3, 100);
  std::vector<std::pair<bool, bool>> flags;
  for (const MarketEvent& event : finish()) flags.emplace_back(event.last, event.cross);
  EXPECT_EQ(flags, (std::vector<std::pair<bool, bool>>{
                       {false, false}, {false, false}, {true, true}, {true, false}, {true, false}}));
}

TEST_F(ItchEventsTest, WhatHappensBetweenTwoTicksTakesTheLotsAllTheSame) {
  const itch::Reference id{7};
  send(itch::OrderExecutedWithPrice{.reference = id, .shares = 3u, .printable = 'Y', .price = itch::Price4{250}});
  send(itch::OrderReplace{
      .reference = id, .new_reference = itch::Reference{8}, .shares = 9u, .price = itch::Price4{150}});
  EXPECT_EQ(finish(), (Events{{.time = 100,
                               .record = 0,
                               .id = 7,
                               .price = 2,
                               .quantity = 3,
                               .book = 2,
                               .type = Type::Execute,
                               .off_price = true},
                              {.time = 100, .record = 1, .id = 7, .book = 2, .type = Type::Cancel}}));
  EXPECT_EQ(feed_.counts(), (FeedCounts{.records = 2, .events = 2, .off_tick = 1}));
}

TEST_F(ItchEventsTest, WhatHasNoPlaceIsCounted) {
  send(itch::AddOrder{.side = itch::BuySell::Buy, .shares = 1u, .price = itch::Price4{150}});  // between two ticks
  send(itch::AddOrder{.side = itch::BuySell{'X'}, .shares = 1u, .price = itch::Price4{100}});
  send(itch::OrderDelete{}, 0);
  send(itch::TradingAction{.state = itch::TradingState{'?'}});
  send(itch::CrossTrade{});   // of nothing
  send(itch::BrokenTrade{});  // says nothing of a book
  feed_.apply(itch::MessageBytes(itch::bytes_of(itch::OrderDelete{})).first(5), take_);
  send(itch::OrderDelete{}, 3, 90);  // earlier than before
  EXPECT_EQ(finish(), (Events{{.time = 100, .record = 7, .book = 2, .type = Type::Cancel}}));
  EXPECT_EQ(feed_.counts(),
            (FeedCounts{.records = 8, .events = 1, .unreadable = 4, .off_tick = 1, .times_back = 1}));
}

// ---- DBN.

class DbnEventsTest : public testing::Test {
 protected:
  struct Fields {
    char action = 'A';
    char side = 'B';
    std::uint64_t id = 0;
    std::int64_t price = 100;
    std::uint32_t size = 0;
    int flags = 0;
    std::uint32_t instrument = 1;
    std::uint64_t time = 50;
  };
  static constexpr int last = 128;

  void send(const Fields& fields) {
    dbn::Mbo record;
    record.header.instrument = fields.instrument;
    record.header.event_time = fields.time;
    record.order_id = fields.id;
    record.price = fields.price;
    record.size = fields.size;
    record.flags = static_cast<std::uint8_t>(fields.flags);
    record.action = static_cast<dbn::Action>(fields.action);
    record.side = static_cast<dbn::BidAsk>(fields.side);
    record.receive_time = fields.time == dbn::undefined_time ? fields.time : fields.time + 7;
    feed_->apply(record, [this](const MarketEvent& event) { events_.push_back(event); });
  }
  /// The events without times and records.
  Events events() {
    Events bare = events_;
    for (MarketEvent& event : bare) event.time = event.received = event.record = 0;
    return bare;
  }

  std::optional<DbnEvents> feed_ = DbnEvents::create(2, 10);
  Events events_;
};

TEST_F(DbnEventsTest, EachRecordIsItsEvent) {
  send({.action = 'A', .side = 'A', .id = 7, .size = 30, .flags = last});
  send({.action = 'C', .id = 7, .size = 5, .flags = last, .time = 60});
  send({.action = 'M', .side = 'A', .id = 7, .price = 110, .size = 9, .flags = last, .time = 60});
  send({.action = 'R', .side = 'N', .id = 7, .flags = last, .time = 60});
  send({.action = 'N', .side = 'N', .flags = last, .time = 60});
  send({.action = 'T', .side = 'N', .price = 120, .size = 4, .flags = last, .time = 60});
  const Events expected{
      {.time = 50, .received = 57, .record = 0, .id = 7, .price = 10, .quantity = 30, .side = Side::Sell},
      {.time = 60, .received = 67, .record = 1, .id = 7, .quantity = 5, .type = Type::Reduce},
      {.time = 60,
       .received = 67,
       .record = 2,
       .id = 7,
       .price = 11,
       .quantity = 9,
       .type = Type::Modify,
       .side = Side::Sell,
       .says_side = true},
      {.time = 60, .received = 67, .record = 3, .type = Type::Clear},
      {.time = 60, .record = 5, .price = 12, .quantity = 4, .type = Type::Trade}};
  EXPECT_EQ(events_, expected);
  EXPECT_EQ(feed_->counts(), (FeedCounts{.records = 6, .events = 5}));
}

TEST_F(DbnEventsTest, ARecordWithoutATimeIsOfTheTimeBefore) {
  send({.action = 'A', .side = 'B', .id = 7, .size = 30, .flags = last});
  send({.action = 'C', .id = 7, .size = 5, .flags = last, .time = dbn::undefined_time});
  send({.action = 'C', .id = 7, .size = 5, .flags = last, .time = 60});
  const Events expected{
      {.time = 50, .received = 57, .record = 0, .id = 7, .price = 10, .quantity = 30, .side = Side::Buy},
      {.time = 50, .record = 1, .id = 7, .quantity = 5, .type = Type::Reduce},
      {.time = 60, .received = 67, .record = 2, .id = 7, .quantity = 5, .type = Type::Reduce}};
  EXPECT_EQ(events_, expected);
  EXPECT_EQ(feed_->counts(), (FeedCounts{.records = 3, .events = 3}));
}

TEST_F(DbnEventsTest, AFillAndTheCancelBehindItAreWhatTheySay) {
  send({.action = 'T', .side = 'A', .size = 12});
  send({.action = 'F', .side = 'B', .id = 1, .size = 5});
  send({.action = 'F', .side = 'B', .id = 2, .size = 7});
  send({.action = 'C', .side = 'B', .id = 1, .size = 5});
  send({.action = 'C', .side = 'B', .id = 2, .size = 9, .flags = last});
  EXPECT_EQ(events(),
            (Events{{.id = 1, .price = 10, .quantity = 5, .type = Type::Fill, .last = false, .off_price = true},
                    {.id = 2, .price = 10, .quantity = 7, .type = Type::Fill, .last = false, .off_price = true},
                    {.id = 1, .quantity = 5, .type = Type::Reduce, .last = false},
                    {.id = 2, .quantity = 9, .type = Type::Reduce}}));
}

TEST_F(DbnEventsTest, AFillSaysItsPriceWhichMayNotBeThatOfItsOrder) {
  send({.action = 'T', .side = 'A', .price = 80, .size = 15});
  send({.action = 'F', .side = 'B', .id = 1, .price = 80, .size = 5});
  send({.action = 'F', .side = 'B', .id = 1, .price = -85, .size = 5});  // between two ticks
  send({.action = 'F', .side = 'B', .id = 1, .price = dbn::undefined_price, .size = 5});
  send({.action = 'M', .side = 'B', .id = 1, .price = 85, .size = 5, .flags = last});
  EXPECT_EQ(events(),
            (Events{{.id = 1, .price = 8, .quantity = 5, .type = Type::Fill, .last = false, .off_price = true},
                    {.id = 1, .price = -9, .quantity = 5, .type = Type::Fill, .last = false, .off_price = true},
                    {.id = 1, .quantity = 5, .type = Type::Fill, .last = false},
                    {.id = 1, .type = Type::Cancel, .says_side = true}}));
  EXPECT_EQ(feed_->counts(), (FeedCounts{.records = 5, .events = 4, .off_tick = 1}));
}

TEST_F(DbnEventsTest, AnEventThatEndsInNothingEndsByEnd) {
  send({.action = 'C', .side = 'B', .id = 1, .size = 5});
  send({.action = 'N', .side = 'N', .flags = last});
  send({.action = 'N', .side = 'N', .flags = last});  // nothing has begun
  EXPECT_EQ(events(),
            (Events{{.id = 1, .quantity = 5, .type = Type::Reduce, .last = false}, {.type = Type::End}}));
}

TEST_F(DbnEventsTest, ATradeIsWhatNoFillExplains) {
  send({.action = 'T', .side = 'A', .price = 100, .size = 12});
  send({.action = 'F', .side = 'B', .id = 1, .size = 5});
  send({.action = 'T', .side = 'A', .price = 90, .size = 3});
  send({.action = 'C', .side = 'B', .id = 1, .size = 5, .flags = last});
  EXPECT_EQ(events(),
            (Events{{.id = 1, .price = 10, .quantity = 5, .type = Type::Fill, .last = false, .off_price = true},
                    {.price = 10, .quantity = 7, .type = Type::Trade, .last = false},
                    {.id = 1, .quantity = 5, .type = Type::Reduce, .last = false},
                    {.price = 9, .quantity = 3, .type = Type::Trade}}));
}

TEST_F(DbnEventsTest, LotsOfFillsThatNoTradeShowsAreUnprinted) {
  send({.action = 'T', .side = 'A', .size = 7});
  send({.action = 'F', .side = 'B', .id = 1, .size = 5});
  send({.action = 'F', .side = 'B', .id = 2, .size = 5, .flags = last});
  send({.action = 'F', .side = 'A', .id = 3, .size = 5, .flags = last});
  EXPECT_EQ(
      events(),
      (Events{{.id = 1, .price = 10, .quantity = 5, .type = Type::Fill, .last = false, .off_price = true},
              {.id = 2, .price = 10, .quantity = 2, .type = Type::Fill, .last = false, .off_price = true},
              {.id = 2, .price = 10, .quantity = 3, .type = Type::Fill, .off_price = true, .unprinted = true},
              {.id = 3,
               .price = 10,
               .quantity = 5,
               .type = Type::Fill,
               .side = Side::Sell,
               .off_price = true,
               .unprinted = true}}));
}

TEST_F(DbnEventsTest, AnAuctionHasFillsOfBothSidesAndOnePrint) {
  send({.action = 'T', .side = 'N', .size = 4});
  send({.action = 'F', .side = 'N', .id = 1, .size = 4});
  send({.action = 'F', .side = 'N', .id = 2, .size = 4});
  send({.action = 'C', .side = 'B', .id = 1, .size = 4});
  send({.action = 'C', .side = 'A', .id = 2, .size = 4, .flags = last});
  const auto fill = [](OrderId id) {
    return MarketEvent{.id = id,
                       .price = 10,
                       .quantity = 4,
                       .type = Type::Fill,
                       .last = false,
                       .off_price = true,
                       .cross = true,
                       .unprinted = true};
  };
  EXPECT_EQ(events(), (Events{fill(1),
                              fill(2),
                              {.id = 1, .quantity = 4, .type = Type::Reduce, .last = false},
                              {.id = 2, .quantity = 4, .type = Type::Reduce, .last = false},
                              {.price = 10, .quantity = 4, .type = Type::Trade, .cross = true}}));
}

TEST_F(DbnEventsTest, AFillOfTheAggressorIsNone) {
  send({.action = 'T', .side = 'A', .size = 5});
  send({.action = 'F', .side = 'A', .id = 9, .size = 5});  // it had rested, and was moved
  send({.action = 'F', .side = 'B', .id = 1, .size = 5});
  send({.action = 'C', .side = 'A', .id = 9, .size = 5});
  send({.action = 'C', .side = 'B', .id = 1, .size = 5, .flags = last});
  EXPECT_EQ(events(),
            (Events{{.id = 1, .price = 10, .quantity = 5, .type = Type::Fill, .last = false, .off_price = true},
                    {.id = 9, .quantity = 5, .type = Type::Reduce, .last = false},
                    {.id = 1, .quantity = 5, .type = Type::Reduce}}));
  EXPECT_EQ(feed_->aggressor_fills(), 1u);
  send({.action = 'F', .side = 'A', .id = 3, .size = 5, .flags = last});  // another event, without a trade
  EXPECT_EQ(feed_->aggressor_fills(), 1u);
}

TEST_F(DbnEventsTest, AnIcebergThatShowsItsNextPartGoesToTheBack) {
  CreateStatus status{};
  auto report = TapeReport::create({.books = 1, .capacity = 10}, status);
  send({.action = 'A', .id = 1, .size = 5, .flags = last});
  send({.action = 'A', .id = 2, .size = 5, .flags = last});
  send({.action = 'T', .side = 'A', .size = 5});
  send({.action = 'F', .side = 'B', .id = 1, .size = 5});
  send({.action = 'M', .side = 'B', .id = 1, .size = 5, .flags = last});
  send({.action = 'T', .side = 'A', .size = 2});
  send({.action = 'F', .side = 'B', .id = 2, .size = 2});
  send({.action = 'M', .side = 'B', .id = 2, .size = 3, .flags = last});
  send({.action = 'C', .side = 'B', .id = 2, .size = 1, .flags = last});
  for (const MarketEvent& event : events_) report->take(event);
  std::vector<std::tuple<OrderId, Quantity>> queue;
  report->books().set().book(0)->visit_orders(
      Side::Buy, [&](const RestingOrder& order) { queue.emplace_back(order.id, order.quantity); });
  EXPECT_EQ(queue, (std::vector<std::tuple<OrderId, Quantity>>{{2, 2}, {1, 5}}));
  EXPECT_EQ(report->counts().refused(), 0u);
  EXPECT_EQ(report->counts().fills, 2u);
  EXPECT_EQ(report->counts().at_head, 2u);
}

TEST_F(DbnEventsTest, ATopOfBookClearsItsSide) {
  send({.action = 'A', .side = 'A', .size = 5, .flags = last | 64});
  send({.action = 'A', .side = 'A', .price = dbn::undefined_price, .flags = last | 64});
  const OrderId id = MboBook::top_of_book_id(Side::Sell);
  EXPECT_EQ(events(), (Events{{.type = Type::ClearSide, .side = Side::Sell, .last = false},
                              {.id = id, .price = 10, .quantity = 5, .side = Side::Sell},
                              {.type = Type::ClearSide, .side = Side::Sell}}));
}

TEST_F(DbnEventsTest, ATopOfBookThatIsNoneLeavesItsSide) {
  send({.action = 'A', .side = 'A', .size = 0, .flags = last | 64});
  send({.action = 'A',
        .side = 'A',
        .price = std::numeric_limits<std::int64_t>::min(),
        .size = 5,
        .flags = last | 64});
  send({.action = 'M', .side = 'A', .id = 1, .price = dbn::undefined_price, .size = 5, .flags = last});
  EXPECT_EQ(events(), Events{});
  EXPECT_EQ(feed_->counts(), (FeedCounts{.records = 3, .unreadable = 2, .off_tick = 1}));
}

TEST_F(DbnEventsTest, ASnapshotIsAClearAndItsOrders) {
  send({.action = 'R', .side = 'N', .price = dbn::undefined_price, .flags = 32, .time = 500});
  send({.action = 'A', .id = 1, .size = 5, .flags = 32, .time = 20});
  send({.action = 'A', .id = 2, .size = 5, .flags = 32 | last, .time = 10});
  EXPECT_EQ(events(), (Events{{.type = Type::Clear, .last = false},
                              {.id = 1, .price = 10, .quantity = 5, .last = false, .snapshot = true},
                              {.id = 2, .price = 10, .quantity = 5, .snapshot = true}}));
  EXPECT_EQ(events_.back().time, 500u);
  EXPECT_EQ(feed_->counts().times_back, 0u);
}

TEST_F(DbnEventsTest, InstrumentsHaveBooksAndIdsOfTheirOwn) {
  send({.id = 1, .size = 5, .flags = last, .instrument = 40});
  send({.id = 1, .size = 5, .instrument = 30});
  send({.id = 2, .size = 5, .flags = last, .instrument = 40});
  send({.id = 2, .size = 5, .flags = last, .instrument = 30});
  EXPECT_EQ(events(), (Events{{.id = 1, .price = 10, .quantity = 5},
                              {.id = salted_id(1, 1), .price = 10, .quantity = 5, .book = 1, .last = false},
                              {.id = 2, .price = 10, .quantity = 5},
                              {.id = salted_id(1, 2), .price = 10, .quantity = 5, .book = 1}}));
  EXPECT_NE(salted_id(1, 1), 1u);
  EXPECT_EQ(feed_->instrument(1), (MboInstrument{0, 30}));
}

TEST_F(DbnEventsTest, WhatHasNoPlaceIsCounted) {
  send({.id = 1, .price = 105, .size = 5, .flags = last});  // between two ticks
  send({.id = 1, .price = dbn::undefined_price, .size = 5, .flags = last});
  send({.side = 'N', .id = 1, .size = 5, .flags = last});
  send({.action = '?', .id = 1, .size = 5, .flags = last});
  send({.action = 'N', .flags = last | 4});  // a gap
  send({.action = 'N', .flags = last, .time = 40});
  send({.action = 'C', .id = 1, .size = 5, .flags = last, .instrument = 2});
  send({.action = 'C', .id = 1, .size = 5, .flags = last, .instrument = 3});  // there is room for two
  EXPECT_EQ(events_.size(), 1u);
  EXPECT_EQ(
      feed_->counts(),
      (FeedCounts{.records = 8, .events = 1, .unreadable = 3, .off_tick = 2, .times_back = 1, .suspect = 1}));
  EXPECT_FALSE(DbnEvents::create(0));
}

// ---- LOBSTER.

struct Read {
  Events events;
  FeedCounts counts;
  std::optional<std::uint64_t> first_unreadable;
  friend bool operator==(const Read&, const Read&) = default;
};

Read read(const std::vector<std::string>& pieces, Price tick = 100) {
  LobsterEvents feed(tick);
  Read all;
  const auto take = [&](const MarketEvent& event) { all.events.push_back(event); };
  for (const std::string& piece : pieces) feed.read(std::as_bytes(std::span(piece)), take);
  feed.finish(take);
  all.counts = feed.counts();
  all.first_unreadable = feed.first_unreadable();
  return all;
}

TEST(LobsterEvents, EachLineIsItsEvent) {
  const Read all =
      read({"34200.004241176,1,16113575,18,5853300,1\n"
            "34200.1,2,16113575,4,5853300,1\n"
            "34201,3,16113575,14,5853300,1\n"
            "34201.000000001,4,16113576,18,5853400,-1\n"
            "34201.000000001,4,16113577,18,5853500,-1\n"
            "34202,5,0,3,5853300,1\n"
            "34202,6,-1,300,5853300,1\n"
            "34203,6,1,300,5853300,-1\n"
            "34204,7,0,0,-1,-1\n"
            "34205,7,0,0,0,-1\n"
            "34206,7,0,0,1,-1"});
  const Events expected{
      {.time = 34'200'004'241'176, .record = 0, .id = 16'113'575, .price = 58'533, .quantity = 18},
      {.time = 34'200'100'000'000, .record = 1, .id = 16'113'575, .quantity = 4, .type = Type::Reduce},
      {.time = 34'201'000'000'000, .record = 2, .id = 16'113'575, .type = Type::Cancel},
      {.time = 34'201'000'000'001,
       .record = 3,
       .id = 16'113'576,
       .price = 58'534,
       .quantity = 18,
       .type = Type::Execute,
       .side = Side::Sell,
       .last = false,
       .priced = true},
      {.time = 34'201'000'000'001,
       .record = 4,
       .id = 16'113'577,
       .price = 58'535,
       .quantity = 18,
       .type = Type::Execute,
       .side = Side::Sell,
       .priced = true},
      {.time = 34'202'000'000'000, .record = 5, .price = 58'533, .quantity = 3, .type = Type::Trade},
      {.time = 34'202'000'000'000,
       .record = 6,
       .price = 58'533,
       .quantity = 300,
       .type = Type::Trade,
       .cross = true},
      {.time = 34'203'000'000'000,
       .record = 7,
       .price = 58'533,
       .quantity = 300,
       .type = Type::Trade,
       .cross = true},
      {.time = 34'204'000'000'000, .record = 8, .type = Type::Phase, .phase = MarketPhase::Halted},
      {.time = 34'205'000'000'000, .record = 9, .type = Type::Phase, .phase = MarketPhase::Auction},
      {.time = 34'206'000'000'000, .record = 10, .type = Type::Phase, .phase = MarketPhase::Continuous}};
  EXPECT_EQ(all.events, expected);
  EXPECT_EQ(all.counts, (FeedCounts{.records = 11, .events = 11}));
}

TEST(LobsterEvents, ABadLineIsCountedAndTheOthersAreRead) {
  const std::string good = "34200,1,5,18,100,1\n";
  for (const std::string bad : {"Time,Type,Order ID,Size,Price,Direction",
                                "34200,1,5,18,100",
                                "34200,1,5,18,100,1,",
                                "34200,1,5,18,100,1,1",
                                "34200,0,5,18,100,1",
                                "34200,8,5,18,100,1",
                                "34200,1,5,18,100,0",
                                "34200,1,5,18,100,2",
                                "34200,1,5,-18,100,1",
                                "34200,1,5,18.5,100,1",
                                "34200,1,5,18,1e3,1",
                                " 34200,1,5,18,100,1",
                                "34200 ,1,5,18,100,1",
                                "34200.000000000x,1,5,18,100,1",
                                "34200.0000000001-,1,5,18,100,1",
                                "34200.,1,5,18,100,1",
                                ".5,1,5,18,100,1",
                                "-1,1,5,18,100,1",
                                "864000,1,5,18,100,1",
                                "34200,1,18446744073709551616,18,100,1",
                                "34200,1,-1,18,100,1",
                                "34200,1,5,18,100,",
                                ",,,,,",
                                ",",
                                "\"34200,1,5,18,100,1",
                                "34200\",1,5,18,100,1",
                                "\",1,5,18,100,1",
                                "34200,7,0,0,2,-1",
                                "34200,7,0,0,-2,-1",
                                "34200;1;5;18;100;1"}) {
    const Read all = read({good + bad + "\n" + good});
    EXPECT_EQ(all.events.size(), 2u) << bad;
    EXPECT_EQ(all.counts.unreadable, 1u) << bad;
    EXPECT_EQ(all.first_unreadable, 1u) << bad;
  }
  const Read longer = read({good + std::string(10'000, '1') + "\n" + good});
  EXPECT_EQ(longer.events.size(), 2u);
  EXPECT_EQ(longer.counts.unreadable, 1u);
  EXPECT_EQ(read({"34200,1,5,18,150,1\n"}).counts.off_tick, 1u);
  EXPECT_EQ(read({good + "34100,3,5,18,100,1\n"}).counts.times_back, 1u);
}

TEST(LobsterEvents, ATimeIsRoundedToNanoseconds) {
  for (const auto& [text, time] :
       {std::pair("35821.088778456004", 35'821'088'778'456u), std::pair("34200.0000000001", 34'200'000'000'000u),
        std::pair("34200.0000000005", 34'200'000'000'001u),
        std::pair("34200.9999999999999999999999", 34'201'000'000'000u),
        std::pair("34200.1234567890", 34'200'123'456'789u)}) {
    const Read all = read({std::string(text) + ",1,5,18,100,1\n" + text + ",3,5,18,100,1\n"});
    ASSERT_EQ(all.events.size(), 2u) << text;
    EXPECT_EQ(all.events[0].time, time) << text;
    EXPECT_EQ(all.counts.unreadable, 0u) << text;
  }
}

TEST(LobsterEvents, AnExecutionBetweenTicksHasNoPrice) {
  const Read all = read({"34200,4,5,18,150,1\n"});
  EXPECT_EQ(all.events, (Events{{.time = 34'200'000'000'000, .id = 5, .quantity = 18, .type = Type::Execute}}));
  EXPECT_EQ(all.counts, (FeedCounts{.records = 1, .events = 1}));
}

TEST(LobsterEvents, QuotesAndLineEndsMakeNoDifference) {
  const Read plain = read({"34200.5,1,5,18,100,1\n34201,3,5,18,100,1\n"});
  EXPECT_EQ(plain.events.size(), 2u);
  for (const std::string text :
       {"34200.5,1,5,18,100,1\r\n34201,3,5,18,100,1\r\n", "34200.5,1,5,18,100,1\n34201,3,5,18,100,1",
        "\"34200.5\",\"1\",\"5\",\"18\",\"100\",\"1\"\n34201,3,\"5\",18,100,1\r"}) {
    EXPECT_EQ(read({text}), plain) << text;
  }
  const Read spaced = read({"\n34200.5,1,5,18,100,1\n\r\n34201,3,5,18,100,1\n\n"});
  EXPECT_EQ(spaced.events.size(), 2u);
  EXPECT_EQ(spaced.counts, (FeedCounts{.records = 5, .events = 2}));
}

TEST(LobsterEvents, TheEventsAreTheSameWhereverTheFileIsCut) {
  const std::string file = "34200.5,1,5,18,100,1\r\n\"34200.5\",4,5,18,100,1\r\nbad,\"\n34200.5,4,6,1,100,1\n" +
                           std::string(199, '1') + "\r\n" + std::string(201, '1') + "\n\n34201,3,5,18,100,1";
  const Read whole = read({file});
  EXPECT_EQ(whole.events.size(), 4u);
  EXPECT_EQ(whole.counts.unreadable, 3u);
  std::vector<std::string> bytes;
  for (const char letter : file) bytes.emplace_back(1, letter);
  EXPECT_EQ(read(bytes), whole);
  for (std::size_t cut = 0; cut <= file.size(); ++cut) {
    EXPECT_EQ(read({file.substr(0, cut), file.substr(cut)}), whole) << cut;
  }
}

TEST(LobsterEvents, AnyBytesAreReadOrRefused) {
  Random random(1);
  const std::string file = "34200.5,1,5,18,100,1\n34200.5,4,5,18,100,1\n";
  for (int i = 0; i < 5'000; ++i) {
    std::string changed = file;
    for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
      changed[random.below(changed.size())] = static_cast<char>(random.next());
    }
    const Read all = read({changed});
    EXPECT_LE(all.events.size() + all.counts.unreadable, all.counts.records);
  }
}

// ---- The report.

TEST(TapeReport, KnowsWhichFillsAreAtTheHeadOfTheirQueue) {
  CreateStatus status{};
  auto report = TapeReport::create({.books = 1, .capacity = 10}, status);
  const auto add = [&](OrderId id, Price price) { report->take({.id = id, .price = price, .quantity = 10}); };
  for (const OrderId id : {1u, 2u, 3u, 4u}) add(id, 100);
  add(5, 99);
  report->take({.id = 1, .quantity = 4, .type = Type::Execute});  // the head
  EXPECT_EQ(report->counts().at_head, 1u);
  report->take({.id = 2, .quantity = 4, .type = Type::Execute});  // behind 1
  EXPECT_EQ(report->counts().at_head, 1u);
  EXPECT_EQ(report->counts().at_head_gone, 0u);
  // Behind 1 and 2, of which the same event cancels one and fills the other.
  report->take({.id = 2, .quantity = 6, .type = Type::Execute, .last = false});
  report->take({.id = 3, .quantity = 1, .type = Type::Execute, .last = false});
  EXPECT_EQ(report->counts().fills, 2u);  // not before its end
  report->take({.id = 1, .quantity = 6, .type = Type::Reduce});
  EXPECT_EQ(report->counts().at_head, 1u);
  EXPECT_EQ(report->counts().at_head_gone, 2u);
  // Only a part of 3 is cancelled.
  report->take({.id = 4, .quantity = 1, .type = Type::Execute, .last = false});
  report->take({.id = 3, .quantity = 1, .type = Type::Reduce});
  EXPECT_EQ(report->counts().at_head_gone, 2u);
  report->take({.id = 5, .quantity = 1, .type = Type::Execute});  // first at its price
  EXPECT_EQ(report->counts().at_head, 2u);
  EXPECT_EQ(report->counts().passed_better, 1u);
  report->take({.id = 5, .quantity = 1, .type = Type::Execute, .unprinted = true});
  EXPECT_EQ(report->counts().cross_fills, 1u);
  report->take({.id = 9, .quantity = 1, .type = Type::Execute});
  EXPECT_EQ(report->counts().of(MarketStatus::UnknownOrder), 1u);
  EXPECT_EQ(report->counts().refused(), 1u);
  EXPECT_EQ(report->counts().fills, 6u);
}

TEST(TapeReport, CountsEventsThatLeaveABookCrossed) {
  CreateStatus status{};
  auto report = TapeReport::create({.books = 2, .capacity = 10}, status);
  report->take({.id = 1, .price = 100, .quantity = 10});
  report->take({.id = 2, .price = 101, .quantity = 10, .side = Side::Sell});
  EXPECT_EQ(report->counts().crossed + report->counts().locked, 0u);
  report->take({.id = 3, .price = 101, .quantity = 10, .last = false});
  report->take({.id = 3, .type = Type::Cancel});
  EXPECT_EQ(report->counts().crossed + report->counts().locked, 0u);  // not at its end
  report->take({.id = 4, .price = 101, .quantity = 10});
  EXPECT_EQ(report->counts().locked, 1u);
  report->take({.id = 5, .price = 102, .quantity = 10});
  EXPECT_EQ(report->counts().crossed, 1u);
  report->take({.type = Type::Phase, .phase = MarketPhase::Halted});
  report->take({.id = 6, .price = 102, .quantity = 10});
  EXPECT_EQ(report->counts().crossed, 1u);
  report->take({.book = every_book, .type = Type::Phase, .phase = MarketPhase::Continuous});
  report->take({.id = 7, .price = 102, .quantity = 10});
  EXPECT_EQ(report->counts().crossed, 2u);
  EXPECT_EQ(report->counts().events, 9u);
}

TEST(TapeReport, EventsOfTwoBooksMayBeMixed) {
  CreateStatus status{};
  auto report = TapeReport::create({.books = 2, .capacity = 10}, status);
  report->take({.id = 1, .price = 100, .quantity = 10, .book = 0, .last = false});
  report->take({.id = 2, .price = 100, .quantity = 10, .book = 1, .last = false});
  report->take({.book = 1, .type = Type::End});
  EXPECT_EQ(report->books().set().size(), 1u);
  report->finish();
  EXPECT_EQ(report->books().set().size(), 2u);
  EXPECT_EQ(report->counts().events, 2u);
  EXPECT_FALSE(TapeReport::create({.books = 0, .capacity = 10}, status));
  EXPECT_EQ(status, CreateStatus::InvalidBookCount);
}

TEST(TapeReport, AnEventWithoutAnEndIsPlayedInPartsAndCountsOnce) {
  CreateStatus status{};
  auto report = TapeReport::create({.books = 1, .capacity = 10'000}, status);
  for (OrderId id = 0; id < 10'000; ++id) report->take({.id = id, .price = 100, .quantity = 1, .last = false});
  EXPECT_EQ(report->books().set().size(), 8'192u);
  EXPECT_EQ(report->counts().events, 0u);
  report->finish();
  EXPECT_EQ(report->books().set().size(), 10'000u);
  EXPECT_EQ(report->counts().events, 1u);
}

// ---- Bitstamp.

Read read_bitstamp(const std::string& lines, Price tick = 50'000'000, std::size_t piece = 1'000'000) {
  const std::string text = "id,timestamp,exchange_timestamp,price,volume,action,direction\n" + lines;
  const auto bytes = std::as_bytes(std::span(text));
  BitstampEvents feed(tick);
  Read all;
  const auto take = [&](const MarketEvent& event) { all.events.push_back(event); };
  std::size_t used = 0;
  for (std::size_t end = 0; end < bytes.size();) {
    end = std::min(bytes.size(), end + piece);
    used += feed.read(bytes.subspan(used, end - used), end == bytes.size(), take);
  }
  all.counts = feed.counts();
  all.first_unreadable = feed.first_unreadable();
  return all;
}

TEST(BitstampEvents, ATakerExecutesMakersAndTheRestOfItRests) {
  const std::string lines =
      "1,90,10,100.0,0.5,created,bid\n"
      "2,90,10,100.0,7.18e-06,created,bid\n"
      "3,100,20,99.5,1.0,created,ask\n"
      "3,100,20,100.0,0.5,changed,ask\n1,100,20,100.0,0.0,deleted,bid\n"
      "3,100,20,100.0,0.499993,changed,ask\n2,100,20,100.0,1.8e-07,changed,bid\n"
      "4,110,30,101.0,1.0,created,ask\n5,110,31,90.0,1.0,created,bid\n4,110,31,101.0,1.0,deleted,ask\n";
  const Read all = read_bitstamp(lines);
  const auto at = [](Nanoseconds milliseconds) { return milliseconds * 1'000'000; };
  const Events expected{
      {.time = at(10),
       .received = at(90),
       .record = 1,
       .id = 1,
       .price = 200,
       .quantity = 50'000'000,
       .snapshot = true},
      {.time = at(10), .received = at(90), .record = 2, .id = 2, .price = 200, .quantity = 718, .snapshot = true},
      {.time = at(20),
       .received = at(100),
       .record = 5,
       .id = 1,
       .quantity = 50'000'000,
       .type = Type::Execute,
       .last = false},
      {.time = at(20), .received = at(100), .record = 7, .id = 2, .quantity = 700, .type = Type::Execute},
      {.time = at(20),
       .received = at(100),
       .record = 7,
       .id = 3,
       .price = 199,
       .quantity = 49'999'300,
       .side = Side::Sell},
      {.time = at(30),
       .received = at(110),
       .record = 8,
       .id = 4,
       .price = 202,
       .quantity = 100'000'000,
       .side = Side::Sell},
      {.time = at(31), .received = at(110), .record = 9, .id = 5, .price = 180, .quantity = 100'000'000},
      {.time = at(31), .received = at(110), .record = 10, .id = 4, .type = Type::Cancel}};
  EXPECT_EQ(all.events, expected);
  EXPECT_EQ(all.counts, (FeedCounts{.records = 11, .events = 8}));
  for (std::size_t piece = 1; piece < 200; ++piece)
    EXPECT_EQ(read_bitstamp(lines, 50'000'000, piece), all) << piece;
}

TEST(BitstampEvents, WhatNeverRestsMakesNoEvent) {
  EXPECT_TRUE(read_bitstamp("1,90,10,100.0,0.5,created,bid\n1,90,10,100.0,0.5,deleted,bid\n").events.empty());
  // A taker whose rest is cancelled, and one that is told without a volume, as it has an amount of money.
  const Read all = read_bitstamp(
      "1,90,10,100.0,0.5,created,bid\n2,90,11,100.0,0.3,created,ask\n2,90,11,100.0,0.2,changed,ask\n"
      "1,90,11,100.0,0.4,changed,bid\n2,90,11,100.0,0.2,deleted,ask\n3,90,12,999999999.0,0.0,created,ask\n"
      "3,90,12,100.0,1e-08,changed,ask\n1,90,12,100.0,0.3,changed,bid\n3,90,12,100.0,1e-08,deleted,ask\n");
  ASSERT_EQ(all.events.size(), 3u);
  for (const std::size_t i : {1u, 2u}) {
    EXPECT_EQ(all.events[i].type, Type::Execute);
    EXPECT_EQ(all.events[i].id, 1u);
    EXPECT_EQ(all.events[i].quantity, 10'000'000u);
  }
}

TEST(BitstampEvents, WhatDoesNotFitIsCounted) {
  const Read all = read_bitstamp(
      "1,90,10,100.0,0.5,created,bid\nx,90,11,100.0,0.5,created,bid\n2,90,11,100.0,0.5,created,up\n"
      "2,90,11,-1,0.5,created,bid\n2,90,11,100,1e300,created,bid\n2,90,11,100,1,created\n\n" +
      std::string(1'000, '1') +
      "\n2,90,12,100.1,1,created,bid\n1,90,12,100.5,0.5,deleted,bid\n9,90,11,98.0,1.0,deleted,ask");
  EXPECT_EQ(
      all.counts,
      (FeedCounts{.records = 12, .events = 3, .unreadable = 6, .off_tick = 1, .times_back = 1, .suspect = 1}));
  EXPECT_EQ(all.first_unreadable, 2u);
  ASSERT_EQ(all.events.size(), 3u);
  EXPECT_EQ(all.events[1].type, Type::Cancel);  // it leaves, wherever it has moved
  EXPECT_EQ(all.events[2].id, 9u);
}

}  // namespace
}  // namespace test
}  // namespace llmes
