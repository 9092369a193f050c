// SPDX-License-Identifier: MIT
//
// A strategy that quotes what it sees: it never sees the future, and a run that has found its size allocates
// nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/simulator.hpp"
#include "tests/simulator/market_tape.hpp"

namespace llmes::test {
namespace {

/// Joins both best prices of a book, a few lots at a time.
struct Quoter {
  Quantity lots = 3;
  BookNumber book = 0;
  Nanoseconds feed = 0;
  bool saw_the_future = false;
  std::array<OwnOrderId, 2> quotes{no_order, no_order};

  void on_start(auto& desk) { static_cast<void>(desk.subscribe(book, 2)); }
  void on_market(auto& desk, BookNumber changed) {
    saw_the_future |= changed != book || desk.view(book).time() + feed > desk.now();
    quote(desk, Side::Buy);
    quote(desk, Side::Sell);
  }
  void on_fill(auto& desk, const OwnFill& fill) { quote(desk, fill.side); }
  void quote(auto& desk, Side side) {
    const DepthLevel best = desk.view(book).best(side);
    OwnOrderId& ours = quotes[static_cast<std::size_t>(side)];
    const KnownOrder order = desk.order(ours);
    if (order.is_open() && best.quantity != 0 && order.price == best.price) return;
    if (order.is_open()) static_cast<void>(desk.cancel(ours));
    ours = best.quantity == 0 ? no_order : desk.add(book, side, best.price, lots).order;
  }
};
using QuoterSimulator = Simulator<Quoter>;

constexpr Nanoseconds feed_delay = 7;

SimulatorConfig config() {
  SimulatorConfig config;
  config.market = {.books = 2, .capacity = 5'000};
  config.latencies = {.feed = Delay(feed_delay), .entry = Delay(11), .cancel = Delay(13), .response = Delay(5)};
  config.orders_max = 20'000;
  return config;
}
QuoterSimulator simulator_of(std::vector<Quoter> strategies) {
  for (Quoter& one : strategies) one.feed = feed_delay;
  CreateStatus status{};
  return std::move(*QuoterSimulator::create(config(), std::move(strategies), status));
}
std::vector<MarketEvent> tape_of(std::uint64_t seed, std::size_t commands = 3'000) {
  return tell_market(make_market({.seed = seed, .commands = commands, .books = 2}), 2);
}
std::vector<OwnFill> fills_until(const QuoterSimulator& simulator, std::size_t number, Nanoseconds time) {
  std::vector<OwnFill> fills(simulator.run(number).fills().begin(), simulator.run(number).fills().end());
  std::erase_if(fills, [time](const OwnFill& fill) { return fill.time > time; });
  return fills;
}

TEST(ReactiveTest, ScramblingTheFutureChangesNothingBefore) {
  const std::vector<MarketEvent> tape = tape_of(1);
  const std::size_t half = tape.size() / 2;
  const Nanoseconds cut = tape[half].time;
  std::vector<MarketEvent> scrambled(tape.begin(), tape.begin() + static_cast<std::ptrdiff_t>(half));
  for (MarketEvent event : tape_of(2)) {
    event.time = std::max(event.time, cut + 1);
    event.record += tape.size();
    scrambled.push_back(event);
  }
  const auto fills = [&](const std::vector<MarketEvent>& events) {
    QuoterSimulator simulator = simulator_of(std::vector<Quoter>(1));
    simulator.on_events(events);
    simulator.finish();
    EXPECT_FALSE(simulator.strategy(0).saw_the_future);
    return fills_until(simulator, 0, tape[half - 1].time);
  };
  const std::vector<OwnFill> before = fills(tape);
  EXPECT_GT(before.size(), 30u);
  EXPECT_EQ(fills(scrambled), before);
}

TEST(ReactiveTest, ManyStrategiesAreEachAsIfAlone) {
  const std::vector<MarketEvent> tape = tape_of(3);
  const std::vector<Quoter> strategies{{.lots = 1}, {.lots = 5}, {.lots = 9, .book = 1}};
  QuoterSimulator together = simulator_of(strategies);
  together.on_events(tape);
  together.finish();
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    QuoterSimulator alone = simulator_of({strategies[i]});
    alone.on_events(tape);
    alone.finish();
    EXPECT_FALSE(alone.run(0).fills().empty());
    EXPECT_TRUE(std::ranges::equal(alone.run(0).fills(), together.run(i).fills())) << i;
    EXPECT_EQ(alone.run(0).cash(), together.run(i).cash()) << i;
    EXPECT_EQ(alone.run(0).orders().size(), together.run(i).orders().size()) << i;
  }
}

TEST(ReactiveTest, ARunThatHasFoundItsSizeAllocatesNothing) {
  std::vector<MarketEvent> tape = tape_of(4, 20'000);
  QuoterSimulator simulator = simulator_of(std::vector<Quoter>(2));
  simulator.on_events(std::span(tape).first(tape.size() / 2));
  const std::size_t orders = simulator.run(0).orders().size();
  const std::uint64_t before = bench::allocation_count();
  simulator.on_events(std::span(tape).subspan(tape.size() / 2));
  EXPECT_EQ(bench::allocation_count(), before);
  EXPECT_GT(simulator.run(0).orders().size(), orders + 500);
}

}  // namespace
}  // namespace llmes::test
