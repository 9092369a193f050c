// SPDX-License-Identifier: MIT
//
// A strategy that quotes what it sees: it never sees the future, and a run that has found its size allocates
// nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/simulator.hpp"
#include "tests/simulator/market_tape.hpp"
#include "tests/support/sanitized.hpp"

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
  std::vector<MarketEvent> tape = tape_of(5, 30'000);
  QuoterSimulator simulator = simulator_of(std::vector<Quoter>(2));
  simulator.on_events(std::span(tape).first(tape.size() / 3 * 2));
  const std::size_t orders = simulator.run(0).orders().size();
  const std::uint64_t before = bench::allocation_count();
  simulator.on_events(std::span(tape).subspan(tape.size() / 3 * 2));
  EXPECT_EQ(bench::allocation_count(), before);
  EXPECT_GT(simulator.run(0).orders().size(), orders + 500);
}

/// The end of a file may be missing, even within an event: the fills of the events before are as they were.
TEST(ReactiveTest, ATapeThatIsCutAnywhereGivesTheFillsUpToThere) {
  const std::vector<MarketEvent> tape =
      tell_market(make_market({.seed = 4, .commands = 600, .books = 2, .is_odd = false}), 2);
  using Fill = std::tuple<std::uint64_t, OwnOrderId, Price, Quantity>;
  const auto fills_of_first = [&](std::size_t size) {
    QuoterSimulator simulator = simulator_of({Quoter{}});
    simulator.on_events(std::span(tape).first(size));
    simulator.finish();
    std::vector<Fill> fills;
    for (const OwnFill& fill : simulator.run(0).fills())
      fills.emplace_back(fill.record, fill.order, fill.price, fill.quantity);
    return fills;
  };
  const std::vector<Fill> whole = fills_of_first(tape.size());
  ASSERT_GT(whole.size(), 20u);
  std::uint64_t ended = 0;  // the record of the last event that is whole
  for (std::size_t size = 1; size <= tape.size(); size += LLMES_TEST_SANITIZED ? 3 : 1) {
    const std::vector<Fill> cut = fills_of_first(size);
    if (tape[size - 1].last) ended = tape[size - 1].record;
    const auto before = static_cast<std::ptrdiff_t>(
        std::ranges::count_if(whole, [&](const Fill& fill) { return std::get<0>(fill) < ended; }));
    ASSERT_GE(std::ssize(cut), before) << size;
    ASSERT_TRUE(std::equal(whole.begin(), whole.begin() + before, cut.begin())) << size;
  }
}

/// Throws now and then, when it has done what it does.
struct Thrower : Quoter {
  std::size_t calls = 0;
  std::size_t every = 0;

  void may_throw() {
    if (every != 0 && ++calls % every == 0) throw std::runtime_error("a strategy has thrown");
  }
  void on_start(auto& desk) {
    Quoter::on_start(desk);
    may_throw();
  }
  void on_market(auto& desk, BookNumber changed) {
    Quoter::on_market(desk, changed);
    may_throw();
  }
  void on_fill(auto& desk, const OwnFill& fill) {
    Quoter::on_fill(desk, fill);
    may_throw();
  }
};

/// What a strategy throws comes out of the call, before the event is applied: give it again, and nothing is lost.
TEST(ReactiveTest, AStrategyMayThrowAndNothingIsLost) {
  const std::vector<MarketEvent> tape = tape_of(5, 1'000);
  const auto fills_with = [&](std::size_t every, std::size_t& thrown) {
    CreateStatus status{};
    std::vector<Thrower> strategies(2);
    for (Thrower& one : strategies) one.feed = feed_delay;
    strategies[0].every = every;
    auto simulator = *Simulator<Thrower>::create(config(), std::move(strategies), status);
    for (const MarketEvent& event : tape) {
      for (bool is_taken = false; !is_taken;) {
        try {
          EXPECT_EQ(simulator.on_event(event), MarketStatus::Success);
          is_taken = true;
        } catch (const std::runtime_error&) {
          ++thrown;
        }
      }
    }
    for (bool is_finished = false; !is_finished;) {
      try {
        simulator.finish();
        is_finished = true;
      } catch (const std::runtime_error&) {
        ++thrown;
      }
    }
    std::vector<OwnFill> fills;
    for (std::size_t i = 0; i < 2; ++i)
      fills.insert(fills.end(), simulator.run(i).fills().begin(), simulator.run(i).fills().end());
    return fills;
  };
  std::size_t never = 0, often = 0, always = 0;
  const std::vector<OwnFill> wanted = fills_with(0, never);
  EXPECT_EQ(fills_with(3, often), wanted);
  EXPECT_EQ(fills_with(1, always), wanted);
  EXPECT_GT(always, often);
  EXPECT_EQ(never, 0u);
  EXPECT_GT(often, 50u);
  EXPECT_GT(wanted.size(), 50u);
}

TEST(SweepTest, GivesEachRunWhatItGetsAloneOnAnyNumberOfThreads) {
  const std::vector<MarketEvent> tape = tape_of(6, 1'000);
  std::vector<SweepRun<Quoter>> runs;
  for (std::size_t i = 0; i < 9; ++i) {
    SweepRun<Quoter> run{config(), {.lots = 1 + i, .book = static_cast<BookNumber>(i % 2)}};
    run.config.latencies.entry = Delay(10 * i);
    runs.push_back(run);
  }
  runs[4].config.tick = 0;  // cannot be made
  std::vector<std::vector<OwnFill>> alone(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    CreateStatus status{};
    auto simulator = QuoterSimulator::create(runs[i].config, {runs[i].strategy}, status);
    if (!simulator) continue;
    simulator->on_events(tape);
    simulator->finish();
    alone[i].assign(simulator->run(0).fills().begin(), simulator->run(0).fills().end());
    EXPECT_GT(alone[i].size(), 10u);
  }
  for (const std::size_t threads : {0u, 1u, 2u, 5u, 100u}) {
    std::vector<std::vector<OwnFill>> found(runs.size());
    const auto statuses =
        sweep(std::span<const MarketEvent>(tape), std::span<const SweepRun<Quoter>>(runs), threads,
              [&](std::size_t i, const QuoterSimulator& simulator) {
                found[i].assign(simulator.run(0).fills().begin(), simulator.run(0).fills().end());
              });
    EXPECT_EQ(found, alone) << threads;
    for (std::size_t i = 0; i < runs.size(); ++i)
      EXPECT_EQ(statuses[i], i == 4 ? CreateStatus::InvalidQuantityMax : CreateStatus::Success);
  }
}

}  // namespace
}  // namespace llmes::test
