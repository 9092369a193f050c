// SPDX-License-Identifier: MIT
//
// What a strategy is told and when, what it pays, and what the simulator refuses.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "llmes/simulator.hpp"
#include "tests/simulator/scripted.hpp"

namespace llmes::test::simulator_test {
namespace {

using enum MarketEventType;

MarketEvent add(Nanoseconds time, OrderId id, Side side, Price price, Quantity lots) {
  return {.time = time, .record = time, .id = id, .price = price, .quantity = lots, .type = Add, .side = side};
}
MarketEvent execute(Nanoseconds time, OrderId id, Quantity lots) {
  return {.time = time, .record = time, .id = id, .quantity = lots, .type = Execute};
}
MarketEvent phase(Nanoseconds time, MarketPhase phase, BookNumber book = 0) {
  return {.time = time, .record = time, .book = book, .type = Phase, .phase = phase};
}
OwnCommand send(Nanoseconds time, Side side, Price price, Quantity lots,
                TimeInForce tif = TimeInForce::GoodTillCancel) {
  return {.time = time, .side = side, .price = price, .quantity = lots, .time_in_force = tif};
}

const std::vector<MarketEvent> two_sides = {add(10, 1, Side::Buy, 100, 5), add(20, 2, Side::Sell, 103, 5)};

std::vector<MarketEvent> then(std::vector<MarketEvent> events, std::initializer_list<MarketEvent> more) {
  events.insert(events.end(), more);
  return events;
}

TEST(SimulatorTest, EachDelayIsItsOwn) {
  SimulatorConfig config = config_for(1);
  config.latencies = {
      .feed = Delay(3), .entry = Delay(10), .modify = Delay(20), .cancel = Delay(30), .response = Delay(7)};
  const Script script{send(30, Side::Buy, 101, 5),
                      {.kind = OwnCommand::Kind::Modify, .time = 50, .order = 0, .price = 101, .quantity = 4},
                      {.kind = OwnCommand::Kind::Cancel, .time = 80, .order = 0}};
  Scripted strategy{script, 0};
  TapeSimulator simulator =
      play(config, {strategy}, then(two_sides, {add(200, 3, Side::Buy, 99, 1), add(201, 4, Side::Buy, 98, 1)}));
  EXPECT_EQ(simulator.strategy(0).heard, (std::vector<Nanoseconds>{47, 77, 117}));
  ASSERT_FALSE(simulator.strategy(0).bids.empty());
  EXPECT_EQ(simulator.strategy(0).bids[0], (std::pair(Nanoseconds{13}, DepthLevel{100, 5, 1})));
  EXPECT_EQ(simulator.strategy(0).answers[0].venue_time, 40u);
  EXPECT_EQ(simulator.strategy(0).answers[1].type, AnswerType::Modified);
  EXPECT_EQ(simulator.strategy(0).answers[2].type, AnswerType::Cancelled);
}

TEST(SimulatorTest, DelaysMayBeMeasuredOnes) {
  const std::array<Nanoseconds, 2> series{5, 50};
  SimulatorConfig config = config_for(1);
  config.latencies.entry = Delay(series);
  const Script script{send(30, Side::Buy, 99, 1), send(100, Side::Buy, 98, 1), send(200, Side::Buy, 97, 1)};
  const auto tape = then(two_sides, {add(400, 3, Side::Buy, 90, 1)});
  const TapeSimulator simulator = play(config, script, tape);
  EXPECT_EQ(simulator.run(0).orders()[0].arrived, 35u);
  EXPECT_EQ(simulator.run(0).orders()[1].arrived, 150u);
  EXPECT_EQ(simulator.run(0).orders()[2].arrived, 205u);

  config.latencies = {.feed = Delay::as_received()};
  std::vector<MarketEvent> received = two_sides;
  received[0].received = 17;  // the other one was not received
  TapeSimulator as_received = play(config, {Scripted{{}, 0}}, received);
  EXPECT_EQ(as_received.strategy(0).bids.front().first, 17u);
}

TEST(SimulatorTest, MessagesOfOneDirectionDoNotOvertakeEachOther) {
  SimulatorConfig config = config_for(1);
  config.latencies.entry = Delay(100);
  const TapeSimulator simulator =
      play(config, {send(30, Side::Buy, 99, 1), {.kind = OwnCommand::Kind::Cancel, .time = 31, .order = 0}},
           then(two_sides, {add(400, 3, Side::Buy, 90, 1)}));
  EXPECT_EQ(simulator.run(0).orders()[0].state, OwnOrderState::Cancelled);
  EXPECT_EQ(simulator.run(0).orders()[0].ended, 130u);
}

TEST(SimulatorTest, ACancelCanLoseAgainstAFill) {
  SimulatorConfig config = config_for(1);
  config.latencies.cancel = Delay(50);
  TapeSimulator simulator =
      play(config, {send(30, Side::Buy, 101, 5), {.kind = OwnCommand::Kind::Cancel, .time = 40, .order = 0}},
           then(two_sides, {execute(60, 1, 5), add(100, 3, Side::Buy, 90, 1)}));
  EXPECT_EQ(simulator.run(0).orders()[0].state, OwnOrderState::Filled);
  EXPECT_EQ(simulator.strategy(0).answers.back().type, AnswerType::CancelRejected);
  EXPECT_EQ(simulator.strategy(0).answers.back().reason, OwnReason::TooLate);
}

TEST(SimulatorTest, FeesAreByMakerAndTakerAndSigned) {
  SimulatorConfig config = config_for(1);
  config.fees = {.maker = {.per_lot = -200, .per_notional = 1, .per_order = 7},
                 .taker = {.per_lot = 300, .per_notional = 0, .per_order = 0}};
  const TapeSimulator simulator =
      play(config, {send(30, Side::Buy, 101, 5), send(70, Side::Buy, 103, 2, TimeInForce::ImmediateOrCancel)},
           then(two_sides, {execute(50, 1, 2), execute(60, 1, 1), add(100, 3, Side::Buy, 90, 1)}));
  const auto fills = simulator.run(0).fills();
  ASSERT_EQ(fills.size(), 3u);
  EXPECT_EQ(fills[0].fee, -200 * 2 + 101 * 2 + 7);
  EXPECT_EQ(fills[1].fee, -200 + 101);
  EXPECT_EQ(fills[2].fee, 300 * 2);
  EXPECT_EQ(simulator.run(0).position(0), 5);
  EXPECT_EQ(simulator.run(0).fees(), fills[0].fee + fills[1].fee + fills[2].fee);
  EXPECT_EQ(simulator.run(0).cash(), -(101 * 3 + 103 * 2) * micro_units - simulator.run(0).fees());
}

TEST(SimulatorTest, APartOfAMillionthIsCountedAndRounded) {
  const FeeRate rate{.per_notional = 27, .per_notional_part = 800'000};  // 27.8
  EXPECT_EQ(rate.of(100, 10, true), 27'800);
  EXPECT_EQ(rate.of(1, 1, true), 28);
  EXPECT_EQ((FeeRate{.per_notional_part = 400'000}.of(1, 1, true)), 0);
  EXPECT_EQ((FeeRate{.per_notional_part = 400'000}.of(10, 1, true)), 4);
  EXPECT_EQ((FeeRate{.per_notional_part = -500'000}.of(1, 1, true)), -1);
  EXPECT_EQ((FeeRate{.per_notional_part = -500'000}.of(-3, 1, true)), 2);
  constexpr Price largest = std::numeric_limits<Price>::max();
  EXPECT_EQ((FeeRate{.per_notional_part = 999'999}.of(largest, lots_max, true)),
            (Amount{999'999} * largest * lots_max + 500'000) / 1'000'000);
}

TEST(SimulatorTest, AnOrderOlderThanTheTapeTradesIfItsPriceIsSaid) {
  const auto old = [](Nanoseconds time, OrderId id, Price price, Quantity quantity, bool priced) {
    return MarketEvent{.time = time,
                       .record = time,
                       .id = id,
                       .price = price,
                       .quantity = quantity,
                       .type = MarketEventType::Execute,
                       .side = Side::Buy,
                       .priced = priced};
  };
  for (const bool priced : {true, false}) {
    // Best is an own order at 102, then one at 101, behind the old order.
    const TapeSimulator simulator =
        play(config_for(2), {send(30, Side::Buy, 102, 5), send(30, Side::Buy, 101, 5)},
             then(two_sides, {old(50, 77, 101, 7, priced), add(100, 3, Side::Buy, 90, 1)}));
    EXPECT_EQ(simulator.count_of(MarketStatus::UnknownOrder), 1u);
    ASSERT_EQ(simulator.run(0).fills().size(), priced ? 1u : 0u);
    EXPECT_EQ(simulator.run(0).orders()[1].filled, 0u);
    if (!priced) continue;
    EXPECT_EQ(simulator.run(0).fills()[0].cause, FillCause::Through);
    EXPECT_EQ(simulator.run(0).fills()[0].price, 102);
    EXPECT_EQ(simulator.run(0).fills()[0].other, 77u);
  }
}

TEST(SimulatorTest, LotsTakenOfADisplayedOrderStayTakenWhenItIsModified) {
  constexpr TimeInForce immediate = TimeInForce::ImmediateOrCancel;
  for (const bool replaces : {false, true}) {  // a replace makes a new order
    MarketEvent moved{.time = 40, .record = 40, .id = 2, .new_id = 3, .price = 104, .quantity = 6, .type = Modify};
    if (replaces) moved.type = Replace;
    const TapeSimulator simulator =
        play(config_for(1), {send(30, Side::Buy, 103, 4, immediate), send(50, Side::Buy, 104, 10, immediate)},
             then(two_sides, {moved, add(100, 4, Side::Buy, 90, 1)}));
    EXPECT_EQ(simulator.run(0).orders()[0].filled, 4u);
    EXPECT_EQ(simulator.run(0).orders()[1].filled, replaces ? 6u : 2u);
  }
}

TEST(SimulatorTest, APostOnlyOrderIsPostOnlyWhenModified) {
  TapeSimulator simulator =
      play(config_for(1),
           {send(30, Side::Buy, 101, 4, TimeInForce::PostOnly),
            {.kind = OwnCommand::Kind::Modify, .time = 40, .order = 0, .price = 103, .quantity = 4},
            {.kind = OwnCommand::Kind::Modify, .time = 50, .order = 0, .price = 102, .quantity = 4}},
           then(two_sides, {add(100, 4, Side::Buy, 90, 1)}));
  EXPECT_TRUE(simulator.run(0).fills().empty());
  EXPECT_EQ(simulator.run(0).orders()[0].price, 102);
  const auto& answers = simulator.strategy(0).answers;
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[1].type, AnswerType::ModifyRejected);
  EXPECT_EQ(answers[1].reason, OwnReason::WouldCross);
  EXPECT_EQ(answers[2].type, AnswerType::Modified);
}

/// A strategy that hears nothing.
struct Unsubscribed {
  int calls = 0;
  void on_market(auto&, BookNumber) { ++calls; }
};
TEST(SimulatorTest, ASummarySaysThatAStrategyHasSubscribedToNothing) {
  CreateStatus status{};
  auto simulator = Simulator<Unsubscribed>::create(config_for(1), {{}}, status);
  for (const MarketEvent& event : two_sides) static_cast<void>(simulator->on_event(event));
  simulator->finish();
  EXPECT_EQ(simulator->strategy(0).calls, 0);
  EXPECT_EQ(simulator->run(0).subscribed().size(), 0u);
  EXPECT_EQ(to_string(summarize(simulator->run(0))).substr(0, 69),
            "subscribed         to no book: on_market and on_trade were not called");
  const Scripted strategy{{send(30, Side::Buy, 99, 1)}, 0};
  const TapeSimulator subscribed = play(config_for(1), {strategy}, two_sides);
  EXPECT_EQ(to_string(summarize(subscribed.run(0))).substr(0, 6), "orders");
}

TEST(SimulatorTest, AHaltRefusesAndAnAuctionFillsNothing) {
  const TapeSimulator halted =
      play(config_for(1),
           {send(30, Side::Buy, 101, 5),
            send(50, Side::Buy, 101, 5),
            {.kind = OwnCommand::Kind::Cancel, .time = 55, .order = 0}},
           then(two_sides, {phase(40, MarketPhase::Halted), execute(53, 1, 1), add(100, 3, Side::Buy, 90, 1)}));
  EXPECT_EQ(halted.run(0).orders()[0].state, OwnOrderState::Cancelled);
  EXPECT_EQ(halted.run(0).orders()[1].state, OwnOrderState::Rejected);
  EXPECT_EQ(halted.run(0).orders()[1].reason, OwnReason::Halted);
  EXPECT_TRUE(halted.run(0).fills().empty());

  const auto auction =
      then(two_sides, {phase(25, MarketPhase::Auction), execute(50, 1, 1), add(60, 3, Side::Buy, 90, 1)});
  const Script script{send(30, Side::Buy, 104, 3), send(35, Side::Buy, 104, 3, TimeInForce::ImmediateOrCancel)};
  const TapeSimulator collected = play(config_for(1), script, auction);
  EXPECT_EQ(collected.run(0).orders()[0].state, OwnOrderState::Resting);
  EXPECT_EQ(collected.run(0).orders()[1].reason, OwnReason::InAuction);
  EXPECT_TRUE(collected.run(0).fills().empty());

  // When matching begins again, it meets what it crosses.
  const TapeSimulator matched = play(config_for(1), script, then(auction, {phase(70, MarketPhase::Continuous)}));
  ASSERT_EQ(matched.run(0).fills().size(), 1u);
  EXPECT_EQ(matched.run(0).fills()[0].other, 2u);

  const TapeSimulator closed =
      play(config_for(1), {send(50, Side::Buy, 99, 1)},
           then(two_sides, {phase(40, MarketPhase::Closed, every_book), add(60, 3, Side::Buy, 90, 1)}));
  EXPECT_EQ(closed.run(0).orders()[0].reason, OwnReason::Closed);
}

TEST(SimulatorTest, AnOrderDoesNotTradeWithAnOwnOne) {
  const TapeSimulator simulator = play(config_for(1), {send(30, Side::Sell, 102, 1), send(40, Side::Buy, 102, 1)},
                                       then(two_sides, {add(100, 3, Side::Buy, 90, 1)}));
  EXPECT_EQ(simulator.run(0).orders()[1].reason, OwnReason::OwnOrderFaces);
}

TEST(SimulatorTest, AnOrderOfASnapshotIsAheadAndCrossesNothing) {
  std::vector<MarketEvent> tape = then(two_sides, {{.time = 50, .record = 50, .type = Clear}});
  for (MarketEvent event : {add(51, 7, Side::Buy, 101, 8), add(52, 8, Side::Sell, 102, 8)}) {
    event.snapshot = true;
    tape.push_back(event);
  }
  tape.push_back(add(53, 9, Side::Buy, 101, 2));
  tape.push_back(execute(54, 7, 3));
  const TapeSimulator simulator =
      play(config_for(1), {send(30, Side::Buy, 101, 5), send(31, Side::Buy, 102, 5)}, tape);
  EXPECT_EQ(simulator.run(0).orders()[0].ahead, (QueuePosition{5, 1}));
  EXPECT_EQ(simulator.run(0).orders()[0].filled, 0u);
  EXPECT_EQ(simulator.run(0).orders()[1].filled, 3u);  // at a better price than what was executed
}

TEST(SimulatorTest, TellsOfTradesThatAreShown) {
  MarketEvent off = execute(50, 1, 1);
  off.off_price = true;
  off.price = 98;
  MarketEvent unprinted = execute(60, 1, 1);
  unprinted.unprinted = true;
  const MarketEvent hidden{.time = 70, .record = 70, .price = 101, .quantity = 9, .type = MarketEventType::Trade};
  TapeSimulator simulator =
      play(config_for(1), {Scripted{{}, 0}},
           then(two_sides, {execute(40, 1, 1), off, unprinted, hidden, add(80, 3, Side::Buy, 90, 1)}));
  const std::vector<MarketTrade>& trades = simulator.strategy(0).trades;
  ASSERT_EQ(trades.size(), 3u);
  EXPECT_EQ(trades[0].price, 100);
  EXPECT_EQ(trades[1].price, 98);
  EXPECT_EQ(trades[2].price, 101);
  EXPECT_FALSE(trades[2].is_displayed);
}

/// Notes when the best levels of a book have changed.
struct Watcher {
  std::size_t levels = 1;
  std::vector<Nanoseconds> woken{};

  void on_start(auto& desk) { static_cast<void>(desk.subscribe(0, levels)); }
  void on_market(auto& desk, BookNumber book) {
    EXPECT_EQ(desk.view(book).time(), desk.now());
    EXPECT_LE(desk.view(book).levels(Side::Buy).size(), levels);
    woken.push_back(desk.now());
  }
};

TEST(SimulatorTest, AChangeOfALevelWakesWhoHasSubscribedSoMany) {
  const auto tape = then(two_sides, {add(30, 3, Side::Buy, 99, 1),
                                     add(40, 4, Side::Buy, 98, 1),
                                     add(50, 5, Side::Buy, 100, 1),
                                     execute(60, 1, 2),
                                     execute(70, 4, 1),
                                     {.time = 80, .record = 80, .id = 2, .type = Cancel},
                                     {.time = 90, .record = 90, .type = Clear},
                                     add(99, 9, Side::Buy, 90, 1)});
  CreateStatus status{};
  auto simulator = *Simulator<Watcher>::create(config_for(1), {{1}, {2}, {3}}, status);
  simulator.on_events(tape);
  simulator.finish();
  using Times = std::vector<Nanoseconds>;
  EXPECT_EQ(simulator.strategy(0).woken, (Times{10, 20, 50, 60, 80, 90, 99}));
  EXPECT_EQ(simulator.strategy(1).woken, (Times{10, 20, 30, 50, 60, 80, 90, 99}));
  EXPECT_EQ(simulator.strategy(2).woken, (Times{10, 20, 30, 40, 50, 60, 70, 80, 90, 99}));
}

/// Notes what it sees of a book.
struct Seer {
  std::size_t levels = 1;
  std::vector<std::pair<Nanoseconds, std::vector<DepthLevel>>> seen{};

  void on_start(auto& desk) { static_cast<void>(desk.subscribe(0, levels)); }
  void on_market(auto& desk, BookNumber book) {
    std::vector<DepthLevel> now;
    for (const Side side : {Side::Buy, Side::Sell}) {
      const auto best = desk.view(book).levels(side);
      now.insert(now.end(), best.begin(), best.end());
    }
    seen.emplace_back(desk.now(), now);
  }
};

TEST(SimulatorTest, EachChangeOfWhatIsSubscribedIsSeenOnce) {
  const auto tape = tell_market(make_market({.seed = 21, .commands = 3'000}), 1);
  for (const std::size_t levels : {1u, 2u, 5u}) {
    CreateStatus status{};
    auto simulator = *Simulator<Seer>::create(config_for(1), {{levels}}, status);
    simulator.on_events(tape);
    simulator.finish();
    MarketBooks books = *MarketBooks::create(config_for(1).market, status);
    std::vector<std::pair<Nanoseconds, std::vector<DepthLevel>>> wanted{{0, {}}};
    for (const MarketEvent& event : tape) {
      NoDetails none;
      static_cast<void>(books.apply(event, none));
      if (!event.last) continue;
      std::vector<DepthLevel> now(2 * levels);
      const auto book = books.set().book(0);
      const std::size_t bids = book->depth(Side::Buy, std::span(now).first(levels));
      now.resize(bids + book->depth(Side::Sell, std::span(now).subspan(bids, levels)));
      if (now != wanted.back().second) wanted.emplace_back(event.time, now);
    }
    wanted.erase(wanted.begin());
    EXPECT_GT(wanted.size(), 200u);
    EXPECT_EQ(simulator.strategy(0).seen, wanted) << levels;
  }
}

/// Notes what it owns whenever it is called.
struct Reader {
  std::vector<std::tuple<Nanoseconds, std::size_t, std::int64_t, Amount>> known{};

  void on_start(auto& desk) {
    static_cast<void>(desk.add(0, Side::Buy, 101, 5));
    for (const Nanoseconds time : {55u, 65u}) desk.wake_at(time);
  }
  void on_answer(auto& desk, const Answer&) { note(desk); }
  void on_fill(auto& desk, const OwnFill&) { note(desk); }
  void on_timer(auto& desk, std::uint64_t) { note(desk); }
  void note(auto& desk) {
    known.emplace_back(desk.now(), desk.open_orders().size(), desk.position(0), desk.cash());
  }
};

TEST(SimulatorTest, AStrategyReadsWhatHasReachedIt) {
  SimulatorConfig config = config_for(1);
  config.latencies.response = Delay(10);
  CreateStatus status{};
  auto simulator = *Simulator<Reader>::create(config, {{}}, status);
  simulator.on_events(then(two_sides, {execute(50, 1, 5), add(70, 3, Side::Buy, 90, 1)}));
  const Amount paid = -101 * 5 * micro_units;
  EXPECT_EQ(simulator.strategy(0).known, (std::vector<std::tuple<Nanoseconds, std::size_t, std::int64_t, Amount>>{
                                             {20, 1, 0, 0}, {55, 1, 0, 0}, {60, 0, 5, paid}, {65, 0, 5, paid}}));
}

TEST(SimulatorTest, ASeriesOfDelaysIsReadFromText) {
  std::size_t line = 0;
  const auto read = [&](std::string_view text) {
    return read_delays(text, line).value_or(std::vector<Nanoseconds>{});
  };
  using Series = std::vector<Nanoseconds>;
  EXPECT_EQ(read("delay,what\n5,a\r\n\r\n\n70\n900;b"), (Series{5, 70, 900}));
  EXPECT_EQ(read("5\r\n70\r\n"), (Series{5, 70}));
  EXPECT_EQ(read_delays("", line), Series{});
  for (const char* bad : {"5\n-7\n", "5\n7.5\n", "5\nlate\n", "5\n,3\n", "5\n99999999999999999999\n", "5\n 7\n"}) {
    EXPECT_EQ(read_delays(bad, line), std::nullopt) << bad;
    EXPECT_EQ(line, 2u) << bad;
  }
}

TEST(SimulatorTest, WhyTellsAStory) {
  const TapeSimulator simulator = play(
      config_for(1), {send(30, Side::Buy, 100, 4), {.kind = OwnCommand::Kind::Cancel, .time = 80, .order = 0}},
      then(two_sides, {{.time = 40, .record = 40, .id = 1, .quantity = 3, .type = Reduce},
                       add(50, 3, Side::Buy, 100, 9),
                       execute(60, 1, 2),
                       execute(70, 3, 1),
                       add(90, 4, Side::Buy, 90, 1)}));
  EXPECT_EQ(why(simulator.run(0), 0),
            "own order 0: buy 4 at 100 in book 0, sent at 30\n"
            "  came at 30, record 20: 5 lots of 1 order ahead\n"
            "  at 40, record 40: 2 lots of 1 order ahead\n"
            "  at 60, record 60: 0 lots of 0 orders ahead\n"
            "  at 70, record 70: filled 1 at 100: an order behind it traded (order 3)\n"
            "  at 80, record 70: cancelled: the strategy cancelled it; 3 lots were open\n");
  EXPECT_EQ(why(simulator.run(0), 1), "there is no own order 1\n");
}

template <class Sim>
void tells_each_modify() {
  const auto modify = [](Nanoseconds time, Price price, Quantity lots) {
    return OwnCommand{
        .kind = OwnCommand::Kind::Modify, .time = time, .order = 0, .price = price, .quantity = lots};
  };
  const Script script{send(30, Side::Buy, 100, 4), modify(40, 101, 6), modify(60, 101, 3),
                      modify(70, 103, 9),          modify(80, 103, 4), modify(90, 100, 1)};
  const auto tape = then(two_sides, {add(25, 3, Side::Buy, 101, 7),
                                     {.time = 50, .record = 50, .id = 3, .quantity = 2, .type = Reduce},
                                     phase(65, MarketPhase::Halted),
                                     phase(75, MarketPhase::Continuous),
                                     add(95, 4, Side::Buy, 90, 1)});
  SimulatorConfig config = config_for(1);
  const Sim simulator = play<Sim>(config, script, tape);
  const std::string entry =
      "own order 0: buy 4 at 100 in book 0, sent at 30\n"
      "  came at 30, record 25: 5 lots of 1 order ahead\n";
  const std::string first = "  at 40, record 25: modified to 6 at 101: 7 lots of 1 order ahead\n";
  const std::string step = "  at 50, record 50: 5 lots of 1 order ahead\n";
  const std::string second = "  at 60, record 50: modified to 3 at 101: 5 lots of 1 order ahead\n";
  const std::string refused = "  at 70, record 65: not modified to 9 at 103: the market was halted\n";
  const std::string third = "  at 80, record 75: modified to 4 at 103: 0 lots of 0 orders ahead\n";
  const std::string fill = "  at 80, record 75: filled 4 at 103: it took displayed lots (order 2)\n";
  const std::string late = "  at 90, record 75: not modified to 1 at 100: the order had ended\n";
  EXPECT_EQ(why(simulator.run(0), 0), entry + first + step + second + refused + third + fill + late);
  EXPECT_EQ(why(simulator.run(0), 0, 0),
            entry + "  ... 1 earlier change of its place\n" + first + second + refused + third + fill + late);
  const OwnOrder& order = simulator.run(0).orders()[0];
  EXPECT_EQ(order.sent_price, 100);
  EXPECT_EQ(order.sent_quantity, 4u);
  EXPECT_EQ(order.at_entry, (QueuePosition{5, 1}));
  EXPECT_EQ(order.price, 103);
  EXPECT_EQ(order.quantity, 4u);
  EXPECT_EQ(simulator.run(0).fills()[0].ahead, QueuePosition{});

  config.steps_max = 0;
  EXPECT_EQ(why(play<Sim>(config, script, tape).run(0), 0),
            entry + fill + "  ... modifies that had no room: 3; the last price is 103\n");
}

TEST(SimulatorTest, WhyTellsEachModify) {
  tells_each_modify<TapeSimulator>();
  tells_each_modify<Simulator<Scripted, DisplaceImpact>>();
}

TEST(SimulatorTest, ASummaryCountsWhatHappened) {
  constexpr Nanoseconds second = 1'000'000'000;
  SimulatorConfig config = config_for(1);
  config.equity_every = second;
  const TapeSimulator simulator =
      play(config,
           {send(30, Side::Buy, 101, 4), send(40, Side::Buy, 103, 1, TimeInForce::FillOrKill),
            send(45, Side::Buy, 103, 90, TimeInForce::FillOrKill)},
           then(two_sides, {execute(50, 1, 2),
                            {.time = 60, .record = 60, .id = 2, .type = Cancel},
                            add(70, 3, Side::Sell, 102, 1),
                            add(2 * second, 4, Side::Buy, 90, 1)}));
  const Summary summary = summarize(simulator.run(0));
  EXPECT_EQ(summary.orders, 2u);
  EXPECT_EQ(summary.rejected, 1u);
  EXPECT_EQ(summary.orders_filled, 1u);
  EXPECT_EQ(summary.lots_made, 2u);
  EXPECT_EQ(summary.lots_taken, 1u);
  EXPECT_DOUBLE_EQ(summary.fill_rate(), 0.6);
  EXPECT_DOUBLE_EQ(summary.spread_captured(), 0.5);    // bought at 101, the mid was 101.5
  EXPECT_DOUBLE_EQ(summary.adverse_selection(), 0.5);  // it was 101 a second later
  EXPECT_EQ(summary.median_wait, 20u);
  EXPECT_EQ(summary.result, (3 * 202 / 2 - 2 * 101 - 103) * micro_units);
  EXPECT_EQ(simulator.run(0).equity().size(), 2u);
}

TEST(SimulatorTest, ABookThatIsClearedLeavesNothingAhead) {
  const auto story = [](MarketEvent clear) {
    clear.time = clear.record = 40;
    const TapeSimulator tape = play(config_for(1), {send(30, Side::Buy, 100, 4)}, then(two_sides, {clear}));
    const auto displaced = play<Simulator<Scripted, DisplaceImpact>>(config_for(1), {send(30, Side::Buy, 100, 4)},
                                                                     then(two_sides, {clear}));
    EXPECT_EQ(why(displaced.run(0), 0), why(tape.run(0), 0));
    EXPECT_EQ(tape.market().set().size(), clear.type == ClearSide ? 1u : 0u);
    return why(tape.run(0), 0);
  };
  const std::string entry =
      "own order 0: buy 4 at 100 in book 0, sent at 30\n"
      "  came at 30, record 20: 5 lots of 1 order ahead\n";
  const std::string step = "  at 40, record 40: 0 lots of 0 orders ahead\n";
  const std::string end = "  it rests at the end, with 4 lots open\n";
  EXPECT_EQ(story({.type = ClearSide, .side = Side::Buy}), entry + step + end);
  EXPECT_EQ(story({.type = ClearSide, .side = Side::Sell}), entry + end);
  EXPECT_EQ(story({.type = Clear}), entry + step + end);
  EXPECT_EQ(story({.book = every_book, .type = Clear}), entry + step + end);
}

TEST(SimulatorTest, APositionWithoutAMidCountsAtTheOneOfItsLastFill) {
  const auto result = [](Nanoseconds every, const std::vector<MarketEvent>& tape) {
    SimulatorConfig config = config_for(1);
    config.equity_every = every;
    return summarize(play(config, {send(30, Side::Buy, 101, 2)}, tape).run(0)).result;
  };
  const auto tape = then(two_sides, {execute(50, 1, 2),
                                     {.time = 60, .record = 60, .id = 2, .type = Cancel},
                                     {.time = 60, .record = 60, .id = 1, .type = Cancel}});
  EXPECT_EQ(result(0, tape), (203 - 2 * 101) * micro_units);
  EXPECT_EQ(result(1, tape), (203 - 2 * 101) * micro_units);
  // No mid was ever there: at what was paid.
  EXPECT_EQ(result(0, {add(10, 1, Side::Buy, 100, 5), execute(50, 1, 2)}), 0);
}

TEST(SimulatorTest, EquityIsNotedOnceWhereNothingHappensInBetween) {
  SimulatorConfig config = config_for(1);
  config.equity_every = 10;
  constexpr Nanoseconds late = Nanoseconds{1} << 62;
  const TapeSimulator simulator = play(config, {send(30, Side::Buy, 101, 2)},
                                       then(two_sides, {execute(54, 1, 2), add(late, 3, Side::Buy, 90, 1)}));
  std::vector<Nanoseconds> times;
  for (const Equity& equity : simulator.run(0).equity()) times.push_back(equity.time);
  EXPECT_EQ(times, (std::vector<Nanoseconds>{50, (late - 1) / 10 * 10, late}));
}

TEST(SimulatorTest, AnyDelayIsADelay) {
  constexpr Nanoseconds longest = std::numeric_limits<Nanoseconds>::max();
  for (const Nanoseconds delay : {longest, longest - 29, longest / 2}) {
    SimulatorConfig config = config_for(1);
    config.latencies = {.feed = Delay(delay), .entry = Delay(delay), .response = Delay(delay)};
    TapeSimulator simulator = play(config, {Scripted{{send(30, Side::Buy, 103, 5)}, 0}},
                                   then(two_sides, {add(1'000, 3, Side::Buy, 90, 1)}));
    EXPECT_EQ(simulator.run(0).orders()[0].state, OwnOrderState::Sent) << delay;
    EXPECT_TRUE(simulator.strategy(0).bids.empty());
    EXPECT_EQ(why(simulator.run(0), 0),
              "own order 0: buy 5 at 103 in book 0, sent at 30\n  the tape ended before it came to the venue\n");
    EXPECT_EQ(summarize(simulator.run(0)).orders, 0u);
  }
}

TEST(SimulatorTest, AProgramMayGiveOrdersItself) {
  TapeSimulator simulator = make_simulator(config_for(1), Script{});
  simulator.on_events(two_sides);
  const OwnOrderId order = simulator.desk(0).add(0, Side::Buy, 101, 5).order;
  EXPECT_EQ(simulator.desk(0).now(), 20u);
  simulator.on_event(execute(30, 1, 2));
  EXPECT_EQ(simulator.run(0).orders()[order].arrived, 20u);
  EXPECT_EQ(simulator.run(0).orders()[order].filled, 2u);
}

TEST(SimulatorTest, RefusesWhatIsWrongInATapeAndLosesNothing) {
  TapeSimulator simulator = make_simulator(config_for(2), {send(30, Side::Buy, 101, 5)});
  const auto give = [&](MarketEvent event) { return simulator.on_event(event); };
  EXPECT_EQ(give(two_sides[0]), MarketStatus::Success);
  EXPECT_EQ(give(two_sides[1]), MarketStatus::Success);
  EXPECT_EQ(give(add(19, 5, Side::Buy, 99, 1)), MarketStatus::TimeGoesBack);
  MarketEvent event = add(21, 5, Side::Buy, 99, 1);
  event.record = 3;
  EXPECT_EQ(give(event), MarketStatus::RecordOutOfOrder);
  event = add(40, 5, Side::Buy, 99, 1);
  event.book = 2;
  EXPECT_EQ(give(event), MarketStatus::UnknownBook);
  EXPECT_EQ(give(add(40, 1, Side::Buy, 99, 1)), MarketStatus::DuplicateOrder);
  EXPECT_EQ(give(add(40, 5, Side::Buy, 99, 0)), MarketStatus::InvalidQuantity);
  EXPECT_EQ(give(add(40, 5, Side::Buy, 99, lots_max + 1)), MarketStatus::InvalidQuantity);
  EXPECT_EQ(give(add(40, 5, static_cast<Side>(2), 99, 1)), MarketStatus::InvalidEvent);
  EXPECT_EQ(give(execute(41, 1, 6)), MarketStatus::InvalidQuantity);
  EXPECT_EQ(give(execute(41, 77, 1)), MarketStatus::UnknownOrder);
  EXPECT_EQ(give({.time = 41, .record = 41, .type = static_cast<MarketEventType>(99)}),
            MarketStatus::InvalidEvent);
  EXPECT_EQ(give(phase(41, static_cast<MarketPhase>(9))), MarketStatus::InvalidEvent);
  EXPECT_EQ(give({.time = 41, .record = 41, .book = 2, .type = Clear}), MarketStatus::UnknownBook);
  EXPECT_EQ(give({.time = 41, .record = 41, .book = 2, .type = ClearSide}), MarketStatus::UnknownBook);
  EXPECT_EQ(give({.time = 41, .record = 41, .type = ClearSide, .side = static_cast<Side>(2)}),
            MarketStatus::InvalidEvent);
  // A refused message ends its event all the same.
  MarketEvent open = execute(42, 1, 2);
  open.last = false;
  EXPECT_EQ(give(open), MarketStatus::Success);
  EXPECT_EQ(give(execute(42, 77, 1)), MarketStatus::UnknownOrder);
  EXPECT_EQ(simulator.run(0).orders()[0].filled, 2u);

  simulator.finish();
  EXPECT_EQ(give(add(50, 6, Side::Buy, 99, 1)), MarketStatus::AfterEnd);
  EXPECT_EQ(simulator.market().set().size(), 2u);
  EXPECT_EQ(simulator.count_of(MarketStatus::UnknownOrder), 2u);
  EXPECT_EQ(simulator.count_of(MarketStatus::Success), 3u);
  EXPECT_EQ(simulator.desk(0).add(0, Side::Buy, 100, 1).status, SendStatus::AfterEnd);
  EXPECT_EQ(simulator.desk(0).modify(0, 100, 1), SendStatus::AfterEnd);
  EXPECT_EQ(simulator.desk(0).cancel(0), SendStatus::AfterEnd);
  EXPECT_EQ(simulator.desk(0).subscribe(0), SendStatus::AfterEnd);
  simulator.finish();  // again
  EXPECT_EQ(simulator.run(0).equity().size(), 1u);
}

TEST(SimulatorTest, RefusesWhatIsWrongInACommand) {
  SimulatorConfig config = config_for(2);
  config.tick = 5;
  config.lot = 10;
  config.orders_max = 1;
  TapeSimulator simulator = make_simulator(config, Script{});
  simulator.on_events(two_sides);
  auto desk = simulator.desk(0);
  EXPECT_EQ(desk.add(2, Side::Buy, 100, 10).status, SendStatus::UnknownBook);
  EXPECT_EQ(desk.add(0, static_cast<Side>(2), 100, 10).status, SendStatus::InvalidCommand);
  EXPECT_EQ(desk.add(0, Side::Buy, 100, 10, static_cast<TimeInForce>(9)).status, SendStatus::InvalidCommand);
  EXPECT_EQ(desk.add(0, Side::Buy, 101, 10).status, SendStatus::InvalidPrice);
  EXPECT_EQ(desk.add(0, Side::Buy, 100, 11).status, SendStatus::InvalidQuantity);
  EXPECT_EQ(desk.add(0, Side::Buy, 100, 0).status, SendStatus::InvalidQuantity);
  EXPECT_EQ(desk.add(0, Side::Buy, 100, lots_max + 4).status, SendStatus::InvalidQuantity);
  EXPECT_EQ(desk.modify(0, 100, 10), SendStatus::UnknownOrder);
  EXPECT_EQ(desk.cancel(0), SendStatus::UnknownOrder);
  EXPECT_EQ(desk.subscribe(7), SendStatus::UnknownBook);
  EXPECT_EQ(desk.subscribe(0, 11), SendStatus::InvalidQuantity);
  EXPECT_EQ(desk.add(0, Side::Buy, 100, 10).status, SendStatus::Success);
  EXPECT_EQ(desk.add(0, Side::Buy, 100, 10).status, SendStatus::TooManyOrders);
  EXPECT_EQ(desk.modify(0, 101, 10), SendStatus::InvalidPrice);
  EXPECT_EQ(simulator.run(0).orders().size(), 1u);

  CreateStatus status{};
  config.tick = 0;
  EXPECT_FALSE(TapeSimulator::create(config, {}, status));
  EXPECT_EQ(status, CreateStatus::InvalidQuantityMax);
  EXPECT_FALSE(TapeSimulator::create(config, {}));  // the status may be left out, here and where there is a market
  EXPECT_FALSE(MarketBooks::create({}));
  config = config_for(0);
  EXPECT_FALSE(TapeSimulator::create(config, {}, status));
  EXPECT_EQ(status, CreateStatus::InvalidBookCount);
}

}  // namespace
}  // namespace llmes::test::simulator_test
