// SPDX-License-Identifier: MIT
//
// Own orders on made markets: beside a naive simulator fill by fill, and what must hold whatever the tape.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tests/simulator/market_tape.hpp"
#include "tests/simulator/naive_simulator.hpp"
#include "tests/simulator/scripted.hpp"
#include "tests/support/random.hpp"
#include "tests/support/real_data.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/unpacked.hpp"

namespace llmes::test {
namespace {

using Orders = std::vector<std::tuple<OrderId, Price, Quantity>>;

Orders orders_of(const MarketBooks& market, BookNumber book, Side side) {
  Orders orders;
  market.set().book(book)->visit_orders(
      side, [&](const RestingOrder& order) { orders.emplace_back(order.id, order.price, order.quantity); });
  return orders;
}

std::vector<NaiveFill> fills_of(std::span<const OwnFill> fills) {
  std::vector<NaiveFill> found;
  for (const OwnFill& fill : fills) {
    found.push_back({fill.order, fill.price, fill.quantity, fill.time, fill.record, fill.other, fill.cause});
  }
  return found;
}

/// The modifies of an order that came: when, to which price and lots, whether they were done, and the place then.
using Changes = std::vector<std::tuple<Nanoseconds, Price, Quantity, bool, QueuePosition>>;

Changes changes_of(const OwnOrders& orders, OwnOrderId id) {
  Changes changes;
  for (const OwnModify& one : orders.modifies()) {
    if (one.order == id)
      changes.emplace_back(one.time, one.price, one.quantity, one.reason == OwnReason::None, one.ahead);
  }
  return changes;
}
Changes changes_of(const NaiveSimulator::Own& own) {
  Changes changes;
  for (const auto& [command, is_done, ahead] : own.changes)
    changes.emplace_back(command.time, command.price, command.quantity, is_done, ahead);
  return changes;
}
std::pair<Price, Quantity> sent_as(Script script, OwnOrderId id) {
  std::erase_if(script, [](const OwnCommand& command) { return command.kind != OwnCommand::Kind::Add; });
  std::ranges::stable_sort(script, {}, &OwnCommand::time);
  return {script[id].price, script[id].quantity};
}

/// A made market and a script for it.
struct Case {
  explicit Case(std::uint64_t seed, BookNumber book_count = 2, std::size_t commands = 1'500)
      : books(book_count),
        tape(tell_market(make_market({.seed = seed, .commands = commands, .books = books}), books)) {
    Random random(seed + 1);
    script = random_script(random, tape.front().time, tape.back().time, 60, books);
  }
  BookNumber books;
  std::vector<MarketEvent> tape;
  Script script;
};

TEST(SimulatorRandomTest, AgreesWithTheNaiveOneFillByFill) {
  std::map<FillCause, std::size_t> causes;
  std::size_t resting = 0;
  std::map<bool, std::size_t> modifies;  // by whether they were done
  std::size_t fills = 0;
  Random random(3);
  for (std::uint64_t seed = 1; seed <= repetitions(60u); ++seed) {
    Case made(seed);
    if (seed % 2 == 0) made.tape = tell_by_fills(made.tape, random, true);
    for (const MarketEvent& event : made.tape) fills += event.type == MarketEventType::Fill;
    const Nanoseconds latency = seed % 3 * 40;
    SimulatorConfig config = config_for(made.books);
    config.latencies.entry = config.latencies.modify = config.latencies.cancel = Delay(latency);
    const TapeSimulator simulator = play(config, made.script, made.tape);
    NaiveSimulator naive(made.books);
    naive.play(made.tape, made.script, latency);

    ASSERT_EQ(fills_of(simulator.run(0).fills()).size(), naive.fills().size()) << "seed " << seed;
    ASSERT_EQ(fills_of(simulator.run(0).fills()), naive.fills()) << "seed " << seed;
    for (const OwnOrder& order : simulator.run(0).orders().all()) {
      if (order.state == OwnOrderState::Sent) continue;  // the tape has ended before it came
      ASSERT_LT(order.id, naive.own().size());
      const NaiveSimulator::Own& own = naive.own()[order.id];
      ASSERT_EQ(order.at_entry, own.entered) << "seed " << seed << ", order " << order.id;
      ASSERT_EQ(std::pair(order.sent_price, order.sent_quantity), sent_as(made.script, order.id));
      ASSERT_EQ(order.price, own.command.price);
      const auto changes = changes_of(simulator.run(0).orders(), order.id);
      ASSERT_EQ(changes, changes_of(own)) << "seed " << seed << ", order " << order.id;
      for (const auto& change : changes) ++modifies[std::get<bool>(change)];
      ASSERT_EQ(order.state == OwnOrderState::Resting, own.rests) << "seed " << seed << ", order " << order.id;
      if (!own.rests) continue;
      ++resting;
      ASSERT_EQ(order.open, own.open);
      ASSERT_EQ(order.ahead, naive.ahead(order.id)) << "seed " << seed << ", order " << order.id;
    }
    for (BookNumber book = 0; book < made.books; ++book) {
      for (const Side side : {Side::Buy, Side::Sell})
        ASSERT_EQ(orders_of(simulator.market(), book, side), naive.market(book, side)) << "seed " << seed;
    }
    for (const NaiveFill& fill : naive.fills()) ++causes[fill.cause];
  }
  EXPECT_GT(resting, 100u);
  EXPECT_GT(fills, repetitions(60u) * 50);
  EXPECT_GT(modifies[true], 100u);
  EXPECT_GT(modifies[false], 100u);
  for (const FillCause cause : {FillCause::Took, FillCause::Behind, FillCause::Through, FillCause::Crossed})
    EXPECT_GT(causes[cause], 50u) << to_string(cause);
}

/// A feed may tell of the same fills by executions, or by fills that other messages take off their orders.
TEST(SimulatorRandomTest, FillsThatAreTakenOffByOthersAreExecutions) {
  std::size_t filled = 0;
  Random random(5);
  for (std::uint64_t seed = 1; seed <= repetitions(30u); ++seed) {
    const BookNumber books = 2;
    const auto tape = tell_market(
        make_market({.seed = seed, .commands = 1'000, .books = books, .has_auctions = seed % 2 == 0}), books);
    const auto by_fills = tell_by_fills(tape, random);
    const Script script = random_script(random, tape.front().time, tape.back().time, 60, books);
    SimulatorConfig config = config_for(books);
    config.auctions = AuctionFills::AtPrint;
    const TapeSimulator wanted = play(config, script, tape);
    const TapeSimulator found = play(config, script, by_fills);
    ASSERT_EQ(fills_of(found.run(0).fills()), fills_of(wanted.run(0).fills())) << "seed " << seed;
    const auto displaced = play<Simulator<Scripted, DisplaceImpact>>(config, script, tape);
    const auto displaced_by_fills = play<Simulator<Scripted, DisplaceImpact>>(config, script, by_fills);
    ASSERT_EQ(fills_of(displaced_by_fills.run(0).fills()), fills_of(displaced.run(0).fills())) << "seed " << seed;
    for (BookNumber book = 0; book < books; ++book) {
      for (const Side side : {Side::Buy, Side::Sell})
        ASSERT_EQ(orders_of(found.market(), book, side), orders_of(wanted.market(), book, side))
            << "seed " << seed;
    }
    filled += wanted.run(0).fills().size();
  }
  EXPECT_GT(filled, repetitions(30u) * 10);
}

TEST(SimulatorRandomTest, TakesPartInAuctionsAsTheNaiveOneDoes) {
  std::map<bool, std::size_t> fills;  // by whether they are at a price that others had, too
  for (std::uint64_t seed = 1; seed <= repetitions(60u); ++seed) {
    const auto tape =
        tell_market(make_market({.seed = seed, .commands = 1'000, .books = 2, .has_auctions = true}), 2);
    Random random(seed + 1);
    const Script script = random_script(random, tape.front().time, tape.back().time, 60, 2);
    for (const AuctionFills auctions : {AuctionFills::AtPrint, AuctionFills::None}) {
      SimulatorConfig config = config_for(2);
      config.auctions = auctions;
      const TapeSimulator simulator = play(config, script, tape);
      NaiveSimulator naive(2, NaiveSimulator::Queue::Exact, auctions == AuctionFills::AtPrint);
      naive.play(tape, script);
      ASSERT_EQ(fills_of(simulator.run(0).fills()), naive.fills()) << "seed " << seed;
      for (const NaiveFill& fill : naive.fills()) {
        if (fill.cause == FillCause::Auction) ++fills[fill.other != 0];
      }
    }
  }
  EXPECT_GT(fills[false], 50u);
  EXPECT_GT(fills[true], 10u);
}

/// Own orders on a real day of an iceberg market, from before its open on, around the touch.
TEST(SimulatorRandomTest, OwnOrdersOnARealDayAreThoseOfTheNaiveOne) {
  LLMES_NEEDS_REAL_DATA(path, "esh4-glbx-mdp3-20231225.mbo.dbn.zst");
  LLMES_NEEDS_ZSTD();
  constexpr Price tick = 250'000'000;
  std::vector<MarketEvent> tape;
  TapeReader reader(1, tick);
  const std::vector<std::byte> file = unpacked(path);
  reader.read(file, true, [&](const MarketEvent& event) { tape.push_back(event); });
  ASSERT_EQ(reader.fault(), "");
  const SimulatorConfig config = config_for(1, 20'000);
  // At moments all over the day, at the touch and around it.
  Random random(7);
  Script script;
  OwnOrderId orders = 0;
  CreateStatus status{};
  MarketBooks books = *MarketBooks::create(config.market, status);
  const std::size_t every = tape.size() / 350;
  for (std::size_t i = 0; i < tape.size(); ++i) {
    NoDetails none;
    static_cast<void>(books.apply(tape[i], none));
    const Side side = random.chance(50) ? Side::Buy : Side::Sell;
    const std::optional<Price> best = books.set().book(0)->best(side);
    if (i % every != 0 || !best) continue;
    const Price away = static_cast<Price>(random.below(4)) - 1;
    script.push_back({.time = tape[i].time,
                      .side = side,
                      .price = *best - (side == Side::Buy ? away : -away),
                      .quantity = 1 + random.below(8)});
    const Nanoseconds later = tape[i].time + 1 + random.below(1'000'000'000'000);
    if (random.chance(50)) script.push_back({.kind = OwnCommand::Kind::Cancel, .time = later, .order = orders});
    ++orders;
  }
  SimulatorConfig at_print = config;
  at_print.auctions = AuctionFills::AtPrint;
  const TapeSimulator simulator = play(at_print, script, tape);
  NaiveSimulator naive(1, NaiveSimulator::Queue::Exact, true);
  naive.play(tape, script);
  EXPECT_EQ(simulator.run(0).orders().size(), orders);
  EXPECT_GT(orders, 300u);
  ASSERT_EQ(fills_of(simulator.run(0).fills()), naive.fills());
  for (const OwnOrder& order : simulator.run(0).orders().all()) {
    const NaiveSimulator::Own& own = naive.own()[order.id];
    ASSERT_EQ(order.at_entry, own.entered) << order.id;
    ASSERT_EQ(order.state == OwnOrderState::Resting, own.rests) << order.id;
    if (!own.rests) continue;
    ASSERT_EQ(order.ahead, naive.ahead(order.id)) << order.id;
  }
  for (const Side side : {Side::Buy, Side::Sell})
    ASSERT_EQ(orders_of(simulator.market(), 0, side), naive.market(0, side));

  const auto open = std::ranges::find(tape, MarketEventType::Fill, &MarketEvent::type);
  std::map<FillCause, std::size_t> causes;
  std::size_t before_the_open = 0;
  for (const NaiveFill& fill : naive.fills()) {
    ++causes[fill.cause];
    EXPECT_GE(fill.record, open->record);  // until then the book was crossed
  }
  for (const OwnOrder& order : simulator.run(0).orders().all()) before_the_open += order.arrived < open->time;
  EXPECT_GT(before_the_open, 20u);
  for (const FillCause cause : {FillCause::Took, FillCause::Behind, FillCause::Through, FillCause::Crossed})
    EXPECT_GT(causes[cause], 20u) << to_string(cause);
  EXPECT_GT(causes[FillCause::Auction], 0u);
  const TapeSimulator without_auctions = play(config, script, tape);
  for (const OwnFill& fill : without_auctions.run(0).fills()) EXPECT_NE(fill.cause, FillCause::Auction);
}

TEST(SimulatorRandomTest, WithoutOwnOrdersTheBooksAreHistory) {
  const Case made(7);
  CreateStatus status{};
  MarketBooks bare = std::move(*MarketBooks::create(config_for(made.books).market, status));
  for (const MarketEvent& event : made.tape) {
    NoDetails none;
    static_cast<void>(bare.apply(event, none));
  }
  for (const Script& script : {Script{}, made.script}) {
    const TapeSimulator simulator = play(config_for(made.books), script, made.tape);
    for (BookNumber book = 0; book < made.books; ++book) {
      for (const Side side : {Side::Buy, Side::Sell})
        EXPECT_EQ(orders_of(simulator.market(), book, side), orders_of(bare, book, side));
    }
  }
}

TEST(SimulatorRandomTest, OwnFillsOfAnEventAreAtMostWhatExecutedBehindOrThrough) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Case made(seed);
    std::map<Nanoseconds, Quantity> executed;  // by time: several events may have one
    for (const MarketEvent& event : made.tape) {
      if (event.type == MarketEventType::Execute || event.type == MarketEventType::Trade)
        executed[event.time] += event.quantity;
    }
    std::map<Nanoseconds, Quantity> got;
    const TapeSimulator simulator = play(config_for(made.books), made.script, made.tape);
    for (const OwnFill& fill : simulator.run(0).fills()) {
      if (fill.cause == FillCause::Behind || fill.cause == FillCause::Through) got[fill.time] += fill.quantity;
    }
    for (const auto& [time, lots] : got) EXPECT_LE(lots, executed[time]) << "seed " << seed << ", time " << time;
  }
}

TEST(SimulatorRandomTest, TheFrontOfTheQueueGetsMostAndTradingThroughLeast) {
  std::size_t below_front = 0;
  std::size_t above_through = 0;
  for (std::uint64_t seed = 1; seed <= repetitions(40u); ++seed) {
    const Case made(seed, 1, 800);
    Random random(seed);
    for (int i = 0; i < 10; ++i) {
      const Side side = random.chance(50) ? Side::Buy : Side::Sell;
      const Price away = 1 + static_cast<Price>(random.below(5));
      const Script one{
          {.time = made.tape.front().time + random.below(made.tape.back().time - made.tape.front().time),
           .side = side,
           .price = market_mid + (side == Side::Buy ? -away : away),
           .quantity = 1 + random.below(200)}};
      const auto filled = [&](NaiveSimulator::Queue queue) {
        NaiveSimulator naive(1, queue);
        naive.play(made.tape, one);
        return one[0].quantity - (naive.own().empty() ? one[0].quantity : naive.own()[0].open);
      };
      const TapeSimulator simulator = play(config_for(1), one, made.tape);
      const Quantity exact = simulator.run(0).orders()[0].filled;
      const Quantity front = filled(NaiveSimulator::Queue::Front);
      const Quantity through = filled(NaiveSimulator::Queue::ThroughOnly);
      EXPECT_LE(exact, front) << "seed " << seed;
      EXPECT_GE(exact, through) << "seed " << seed;
      below_front += exact < front;
      above_through += exact > through;
    }
  }
  EXPECT_GT(below_front, repetitions(15u));
  EXPECT_GT(above_through, repetitions(50u));
}

/// An order of the market is taken out of it, and sent as ours at the same time: it gets the same fills. The long
/// run does this with more orders.
TEST(SimulatorRandomTest, AnOrderTakenOutOfTheTapeGetsItsFillsAsOurs) {
  using Kind = MarketCommand::Kind;
  const char* const wanted_orders = std::getenv("LLMES_MIRROR_ORDERS");
  const std::size_t most = wanted_orders == nullptr ? repetitions(400u) : std::stoul(wanted_orders);
  std::size_t orders = 0;
  std::map<std::string, std::size_t> ends;
  for (std::uint64_t seed = 1; orders < most; ++seed) {
    const std::vector<MarketCommand> market =
        make_market({.seed = seed, .commands = 900, .is_odd = false, .anchor = 1'000});
    const std::vector<MarketEvent> history = tell_market(market, 1);
    for (const MarketCommand& command : market) {
      if (command.id <= 106 || command.kind != Kind::Limit || command.id % 4 != 0) continue;
      if ((command.side == Side::Buy) == (command.price > market_mid)) continue;  // a taker
      Script script{
          {.time = command.time, .side = command.side, .price = command.price, .quantity = command.quantity}};
      const auto cancel = std::ranges::find_if(
          market, [&](const MarketCommand& one) { return one.other == command.id && one.kind != Kind::Limit; });
      if (cancel != market.end() && cancel->kind == Kind::Reduce) continue;
      if (cancel != market.end())
        script.push_back({.kind = OwnCommand::Kind::Cancel, .time = cancel->time, .order = 0});
      std::vector<std::pair<Nanoseconds, Quantity>> wanted;
      for (const MarketEvent& event : history) {
        if (event.type == MarketEventType::Execute && event.id == command.id)
          wanted.emplace_back(event.time, event.quantity);
      }
      const TapeSimulator simulator = play(config_for(1), script, tell_market(market, 1, command.id));
      std::vector<std::pair<Nanoseconds, Quantity>> got;
      for (const OwnFill& fill : simulator.run(0).fills()) {
        if (!got.empty() && got.back().first == fill.time) {
          got.back().second += fill.quantity;
        } else {
          got.emplace_back(fill.time, fill.quantity);
        }
      }
      ASSERT_EQ(got, wanted) << "seed " << seed << ", order " << command.id;
      ++orders;
      const Quantity lots = std::accumulate(wanted.begin(), wanted.end(), Quantity{0},
                                            [](Quantity sum, const auto& fill) { return sum + fill.second; });
      ++ends[lots == 0 ? "unfilled" : lots < command.quantity ? "in part" : "whole"];
      ends["in several events"] += wanted.size() > 1;
    }
  }
  // Each way to end is there often enough to be wrong.
  EXPECT_GT(ends["whole"], orders / 5);
  EXPECT_GT(ends["unfilled"], orders / 5);
  EXPECT_GE(ends["in part"], orders / 100);
  EXPECT_GT(ends["in several events"], orders / 20);
  for (const auto& [how, count] : ends) RecordProperty(how, static_cast<int>(count));
}

TEST(SimulatorRandomTest, ALatencyIsTheSameAsSendingLater) {
  const Case made(11);
  SimulatorConfig config = config_for(made.books);
  config.latencies.entry = config.latencies.modify = config.latencies.cancel = Delay(123);
  const TapeSimulator late = play(config, made.script, made.tape);
  Script later = made.script;
  for (OwnCommand& command : later) command.time = std::max(command.time, made.tape.front().time) + 123;
  const TapeSimulator sent_later = play(config_for(made.books), later, made.tape);
  EXPECT_FALSE(late.run(0).fills().empty());
  EXPECT_EQ(fills_of(late.run(0).fills()), fills_of(sent_later.run(0).fills()));
}

TEST(SimulatorRandomTest, WhatComesLaterChangesNothingBefore) {
  const Case made(12);
  Case other(13);
  const Nanoseconds cut = made.tape[made.tape.size() / 2].time;
  std::vector<MarketEvent> scrambled;
  for (const MarketEvent& event : made.tape) {
    if (event.time <= cut) scrambled.push_back(event);
  }
  for (MarketEvent event : other.tape) {
    event.time = std::max(event.time, cut + 1);
    scrambled.push_back(event);
  }
  for (std::size_t i = 0; i < scrambled.size(); ++i) scrambled[i].record = i;
  const auto early = [&](const TapeSimulator& simulator) {
    std::vector<NaiveFill> fills = fills_of(simulator.run(0).fills());
    std::erase_if(fills, [&](const NaiveFill& fill) { return fill.time > cut; });
    return fills;
  };
  const auto expected = early(play(config_for(made.books), made.script, made.tape));
  EXPECT_GT(expected.size(), 10u);
  EXPECT_EQ(early(play(config_for(made.books), made.script, scrambled)), expected);
}

TEST(SimulatorRandomTest, ManyStrategiesAreEachAsIfAlone) {
  const Case made(14);
  std::vector<Scripted> strategies;
  for (std::uint64_t i = 0; i < 5; ++i) {
    Random random(100 + i);
    Scripted one{random_script(random, made.tape.front().time, made.tape.back().time, 20 + 10 * i, made.books)};
    if (i % 2 == 1) one.shown = 0;
    strategies.push_back(one);
  }
  SimulatorConfig config = config_for(made.books);
  config.latencies = {Delay(5), Delay(10), Delay(20), Delay(3), Delay(7)};
  config.equity_every = 100;
  TapeSimulator together = play(config, strategies, made.tape);
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    TapeSimulator alone = play(config, {strategies[i]}, made.tape);
    EXPECT_FALSE(alone.run(0).fills().empty());
    EXPECT_TRUE(std::ranges::equal(alone.run(0).fills(), together.run(i).fills())) << i;
    EXPECT_TRUE(std::ranges::equal(alone.run(0).equity(), together.run(i).equity())) << i;
    EXPECT_EQ(alone.strategy(0).heard, together.strategy(i).heard) << i;
    EXPECT_EQ(alone.strategy(0).bids, together.strategy(i).bids) << i;
    EXPECT_EQ(alone.run(0).cash(), together.run(i).cash()) << i;
  }
}

/// Many books outgrow the caches. Then events are looked at ahead of time, the wrong ones as well.
TEST(SimulatorRandomTest, LookingAheadChangesNothing) {
  Case made(16);
  Random random(17);
  for (MarketEvent& event : made.tape) {
    if (!random.chance(5)) continue;
    switch (random.below(4)) {
      case 0: event.book = static_cast<BookNumber>(random.next()); break;
      case 1: event.id = random.next(); break;
      case 2: event.side = static_cast<Side>(random.below(256)); break;
      default: event.type = static_cast<MarketEventType>(random.below(256));
    }
  }
  const SimulatorConfig config = config_for(3'000);
  TapeSimulator one_by_one = make_simulator(config, made.script);
  for (const MarketEvent& event : made.tape) static_cast<void>(one_by_one.on_event(event));
  one_by_one.finish();
  const TapeSimulator ahead = play(config, made.script, made.tape);
  EXPECT_GT(ahead.run(0).fills().size(), 20u);
  EXPECT_TRUE(std::ranges::equal(one_by_one.run(0).fills(), ahead.run(0).fills()));
  for (const MarketStatus status : {MarketStatus::Success, MarketStatus::UnknownBook, MarketStatus::UnknownOrder,
                                    MarketStatus::InvalidEvent, MarketStatus::InvalidQuantity})
    EXPECT_EQ(one_by_one.count_of(status), ahead.count_of(status)) << to_string(status);
  for (BookNumber book = 0; book < made.books; ++book) {
    for (const Side side : {Side::Buy, Side::Sell})
      EXPECT_EQ(orders_of(one_by_one.market(), book, side), orders_of(ahead.market(), book, side));
  }
}

TEST(SimulatorRandomTest, AnyChunkingGivesTheSame) {
  const Case made(15);
  const TapeSimulator whole = play(config_for(made.books), made.script, made.tape);
  for (const std::size_t size : {1u, 2u, 7u, 100u}) {
    TapeSimulator chunked = make_simulator(config_for(made.books), made.script);
    for (std::size_t at = 0; at < made.tape.size(); at += size)
      chunked.on_events(std::span(made.tape).subspan(at, std::min(size, made.tape.size() - at)));
    chunked.finish();
    EXPECT_TRUE(std::ranges::equal(whole.run(0).fills(), chunked.run(0).fills())) << size;
  }
}

}  // namespace
}  // namespace llmes::test
