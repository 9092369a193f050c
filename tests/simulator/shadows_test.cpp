// SPDX-License-Identifier: MIT
//
// Hypothetical orders in one pass: each gets what a simulator gives the strategy that sends it alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tests/simulator/market_tape.hpp"
#include "tests/simulator/naive_simulator.hpp"
#include "tests/simulator/scripted.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

std::vector<Shadow> shadows_of(const SimulatorConfig& config, std::vector<ShadowOrder> orders,
                               std::span<const MarketEvent> events) {
  CreateStatus status{};
  auto shadows = Shadows::create(config, std::move(orders), status);
  EXPECT_TRUE(shadows);
  shadows->on_events(events);
  shadows->finish();
  return {shadows->results().begin(), shadows->results().end()};
}

std::vector<ShadowOrder> random_orders(Random& random, std::span<const MarketEvent> tape, std::size_t count,
                                       BookNumber books) {
  std::vector<ShadowOrder> orders;
  const Nanoseconds from = tape.front().time, length = tape.back().time - from;
  while (orders.size() < count) {
    const Side side = random.chance(50) ? Side::Buy : Side::Sell;
    const Price away = static_cast<Price>(random.below(9)) - 3;
    ShadowOrder order{.time = from + random.below(length),
                      .price = market_mid + (side == Side::Buy ? -away : away),
                      .quantity = 1 + random.below(60),
                      .book = static_cast<BookNumber>(random.below(books)),
                      .side = side,
                      .time_in_force = random.chance(70) ? TimeInForce::GoodTillCancel
                                                         : static_cast<TimeInForce>(random.below(4))};
    if (random.chance(50)) order.cancel_time = order.time + random.below(length / 4);
    orders.push_back(order);
  }
  return orders;
}

/// What a run of one order has told of it.
Shadow told(const TapeSimulator::Trader& run) {
  const OwnOrder& order = run.orders()[0];
  Shadow shadow{.filled = order.filled,
                .at_entry = order.at_entry,
                .arrived = order.arrived,
                .ended = order.ended,
                .state = order.state,
                .reason = order.reason};
  for (const OwnFill& fill : run.fills()) {
    if (shadow.first_fill == 0) {
      shadow.first_fill = fill.time;
      shadow.first_record = fill.record;
      shadow.first_cause = fill.cause;
    }
    shadow.last_fill = fill.time;
    shadow.last_record = fill.record;
    shadow.last_cause = fill.cause;
    shadow.other = fill.other;
    shadow.paid += Amount{fill.price} * fill.quantity;
    if (!fill.is_maker()) shadow.taken += fill.quantity;
  }
  return shadow;
}

TEST(ShadowsTest, EachGetsWhatAStrategyGetsThatSendsItAlone) {
  std::map<OwnOrderState, std::size_t> states;
  std::map<FillCause, std::size_t> causes;
  for (std::uint64_t seed = 1; seed <= repetitions(30u); ++seed) {
    constexpr BookNumber books = 2;
    const auto tape = tell_market(
        make_market({.seed = seed, .commands = 1'500, .books = books, .has_auctions = seed % 2 == 0}), books);
    Random random(seed);
    const std::vector<ShadowOrder> orders = random_orders(random, tape, 50, books);
    SimulatorConfig config = config_for(books);
    config.latencies.entry = Delay(seed % 3 * 40);
    config.latencies.cancel = Delay(seed % 2 * 90);
    config.auctions = AuctionFills::AtPrint;
    const std::vector<Shadow> shadows = shadows_of(config, orders, tape);
    ASSERT_EQ(shadows.size(), orders.size());

    std::vector<Scripted> alone;
    for (const ShadowOrder& order : orders) {
      Script script{{.time = order.time,
                     .book = order.book,
                     .side = order.side,
                     .price = order.price,
                     .quantity = order.quantity,
                     .time_in_force = order.time_in_force}};
      if (order.cancel_time != ShadowOrder::never)
        script.push_back({.kind = OwnCommand::Kind::Cancel, .time = order.cancel_time, .order = 0});
      alone.push_back({script});
    }
    config.orders_max = 1;
    const TapeSimulator simulator = play(config, alone, tape);
    for (std::size_t i = 0; i < orders.size(); ++i) {
      ASSERT_EQ(shadows[i], told(simulator.run(i))) << "seed " << seed << ", order " << i;
      ++states[shadows[i].state];
      if (shadows[i].filled != 0) ++causes[shadows[i].last_cause];
      if (seed % 3 != 0 || seed % 2 != 0) continue;  // the naive one has one latency
      NaiveSimulator naive(books, NaiveSimulator::Queue::Exact, true);
      naive.play(tape, alone[i].script);
      ASSERT_EQ(shadows[i].filled, naive.own().empty() ? 0 : orders[i].quantity - naive.own()[0].open);
      ASSERT_EQ(shadows[i].last_record, naive.fills().empty() ? 0 : naive.fills().back().record);
    }
  }
  for (const OwnOrderState state :
       {OwnOrderState::Resting, OwnOrderState::Filled, OwnOrderState::Cancelled, OwnOrderState::Rejected})
    EXPECT_GT(states[state], 20u) << to_string(state);
  for (const FillCause cause :
       {FillCause::Took, FillCause::Behind, FillCause::Through, FillCause::Crossed, FillCause::Auction})
    EXPECT_GT(causes[cause], 20u) << to_string(cause);
}

TEST(ShadowsTest, AreAsManyAsWanted) {
  const auto tape = tell_market(make_market({.seed = 3, .commands = 3'000}), 1);
  Random random(5);
  const std::vector<ShadowOrder> few = random_orders(random, tape, 40, 1);
  std::vector<ShadowOrder> many;
  for (int i = 0; i < 500; ++i) many.insert(many.end(), few.begin(), few.end());
  const std::vector<Shadow> wanted = shadows_of(config_for(1), few, tape);
  const std::vector<Shadow> found = shadows_of(config_for(1), many, tape);
  for (std::size_t i = 0; i < many.size(); ++i) ASSERT_EQ(found[i], wanted[i % few.size()]) << i;
}

TEST(ShadowsTest, AWrongOrderStopsNoOtherOne) {
  SimulatorConfig config = config_for(1);
  config.lot = 10;
  config.tick = 5;
  const std::vector<MarketEvent> tape{
      {.time = 10, .record = 1, .id = 1, .price = 100, .quantity = 30, .side = Side::Sell},
      {.time = 20, .record = 2, .id = 2, .price = 90, .quantity = 30, .side = Side::Buy}};
  const std::vector<Shadow> shadows =
      shadows_of(config,
                 {{.price = 100, .quantity = 10, .book = 1},
                  {.price = 100, .quantity = 0},
                  {.price = 100, .quantity = 15},
                  {.price = 101, .quantity = 10},
                  {.price = 100, .quantity = 10, .side = static_cast<Side>(2)},
                  {.time = 15, .price = 100, .quantity = 10},
                  {.time = 21, .price = 100, .quantity = 10},                   // after the end
                  {.time = 15, .cancel_time = 1, .price = 95, .quantity = 10},  // cancelled as it comes
                  {.time = ShadowOrder::never, .cancel_time = 1, .price = 95, .quantity = 10}},
                 tape);
  const std::vector<SendStatus> sent{SendStatus::UnknownBook, SendStatus::InvalidQuantity,
                                     SendStatus::InvalidQuantity, SendStatus::InvalidPrice,
                                     SendStatus::InvalidCommand};
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(shadows[i], Shadow{.sent = sent[i]}) << i;
  }
  EXPECT_EQ(shadows[5].filled, 10u);
  EXPECT_EQ(shadows[5].paid, 1'000);
  EXPECT_EQ(shadows[6], Shadow{});
  EXPECT_EQ(shadows[7].state, OwnOrderState::Cancelled);
  EXPECT_EQ(shadows[7].ended, 15u);
  EXPECT_EQ(shadows[8], Shadow{});
}

TEST(ShadowsTest, EachTakesItsOwnNumberOfASeries) {
  SimulatorConfig config = config_for(1);
  const std::vector<Nanoseconds> series{1, 5};
  config.latencies.entry = Delay(series);
  const std::vector<MarketEvent> tape{{.time = 10, .record = 1, .id = 1, .price = 100, .quantity = 30},
                                      {.time = 99, .record = 2, .id = 2, .price = 90, .quantity = 30}};
  const auto shadows =
      shadows_of(config, std::vector<ShadowOrder>(3, {.time = 20, .price = 95, .quantity = 1}), tape);
  EXPECT_EQ(shadows[0].arrived, 21u);
  EXPECT_EQ(shadows[1].arrived, 25u);
  EXPECT_EQ(shadows[2].arrived, 21u);
}

// ---- As level-2 simulators see it.

QueueEstimate estimate_of(const ShadowOrder& order, std::vector<MarketEvent> tape) {
  for (std::size_t i = 0; i < tape.size(); ++i) tape[i].record = i;
  CreateStatus status{};
  auto models = QueueModels::create(config_for(1), {order}, status);
  EXPECT_TRUE(models);
  models->on_events(tape);
  models->finish();
  return models->results()[0];
}
MarketEvent bid(Nanoseconds time, OrderId id, Price price, Quantity lots) {
  return {.time = time, .id = id, .price = price, .quantity = lots};
}
MarketEvent leaves(MarketEventType type, Nanoseconds time, OrderId id, Quantity lots) {
  return {.time = time, .id = id, .quantity = lots, .type = type};
}

/// We have 10 lots ahead and 10 behind, of which 6 are cancelled; then 9 trade, of which all 9 are ahead.
TEST(ShadowsTest, OrdersOfARunBecomeHypotheticalOnes) {
  std::size_t cancelled = 0, modified = 0, filled = 0;
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    const auto tape = tell_market(make_market({.seed = seed, .commands = 800, .books = 2}), 2);
    Random random(seed + 1);
    SimulatorConfig config = config_for(2);
    config.latencies.entry = Delay(30);
    const TapeSimulator simulator =
        play(config, random_script(random, tape.front().time, tape.back().time, 1, 2), tape);
    const std::vector<ShadowOrder> orders = hypothetical_orders(simulator.run(0));
    ASSERT_EQ(orders.size(), 1u);
    const OwnOrder& order = simulator.run(0).orders()[0];
    const Shadow shadow = shadows_of(config_for(2), orders, tape)[0];
    if (order.state == OwnOrderState::Sent || order.state == OwnOrderState::Rejected) {
      EXPECT_EQ(shadow.state, OwnOrderState::Sent);
      continue;
    }
    EXPECT_EQ(shadow.at_entry, order.at_entry);
    Quantity before = 0;  // filled before it was modified
    for (const OwnFill& fill : simulator.run(0).fills()) {
      if (fill.time <= orders[0].cancel_time) before += fill.quantity;
    }
    modified += order.modified != 0;
    if (order.modified == 0) {
      EXPECT_EQ(shadow, told(simulator.run(0))) << "seed " << seed;
    } else if (order.price == order.sent_price) {  // else it may have taken at once
      EXPECT_EQ(shadow.filled, before) << "seed " << seed;
    }
    cancelled += order.reason == OwnReason::Requested;
    filled += shadow.filled != 0;
  }
  EXPECT_GT(cancelled, 5u);
  EXPECT_GT(modified, 3u);
  EXPECT_GT(filled, 5u);
}

TEST(QueueModelsTest, GuessWhoHasLeftTheQueue) {
  const ShadowOrder order{.time = 2, .price = 100, .quantity = 5};
  const std::vector<MarketEvent> even{bid(1, 1, 100, 10), bid(3, 2, 100, 10),
                                      leaves(MarketEventType::Reduce, 4, 2, 6),
                                      leaves(MarketEventType::Execute, 5, 1, 9)};
  // Half of the 6 are taken for ones ahead: 7 are left there, and 2 trade behind them.
  EXPECT_EQ(estimate_of(order, even), (QueueEstimate{{0, 2, 2}, {0, 5, 5}}));
  EXPECT_EQ(shadows_of(config_for(1), {order}, even)[0].filled, 0u);  // it knows better

  // With 10 ahead and 30 behind, the models differ: the power lets 1 of 28 leave ahead, the logarithm 2 of 5.
  const std::vector<MarketEvent> odd{bid(1, 1, 100, 10), bid(3, 2, 100, 30),
                                     leaves(MarketEventType::Reduce, 4, 2, 10),
                                     leaves(MarketEventType::Execute, 5, 1, 9)};
  EXPECT_EQ(estimate_of(order, odd), (QueueEstimate{{0, 0, 3}, {0, 0, 5}}));
}

TEST(QueueModelsTest, KnowThatAShorterLevelHasFewerAhead) {
  EXPECT_EQ(estimate_of({.time = 2, .price = 100, .quantity = 5},
                        {bid(1, 1, 100, 10), leaves(MarketEventType::Reduce, 3, 1, 8), bid(4, 2, 100, 10),
                         leaves(MarketEventType::Execute, 5, 1, 2), leaves(MarketEventType::Execute, 6, 2, 3)}),
            (QueueEstimate{{3, 3, 3}, {6, 6, 6}}));
}

TEST(QueueModelsTest, FillAllWhenTheMarketTradesThrough) {
  const ShadowOrder order{.time = 2, .cancel_time = 9, .price = 100, .quantity = 50};
  const QueueEstimate all{{50, 50, 50}, {3, 3, 3}};
  EXPECT_EQ(estimate_of(order, {bid(1, 1, 99, 10), leaves(MarketEventType::Execute, 3, 1, 1)}), all);
  MarketEvent ask = bid(3, 2, 100, 1);
  ask.side = Side::Sell;
  EXPECT_EQ(estimate_of(order, {bid(1, 1, 99, 10), ask}), all);
  EXPECT_EQ(estimate_of(order, {bid(1, 1, 99, 10), leaves(MarketEventType::Execute, 10, 1, 1)}), QueueEstimate{});
}

/// Where nobody cancels, there is nothing to guess: what trades at the price is exact.
TEST(QueueModelsTest, AreExactWhereNobodyCancels) {
  std::size_t filled = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto tape = tell_market(
        make_market({.seed = seed, .commands = 800, .is_odd = false, .has_cancels = false, .anchor = 1'000}), 1);
    Random random(seed);
    const std::vector<ShadowOrder> orders = random_orders(random, tape, 50, 1);
    CreateStatus status{};
    auto models = QueueModels::create(config_for(1), orders, status);
    models->on_events(tape);
    models->finish();
    const std::vector<Shadow> exact = shadows_of(config_for(1), orders, tape);
    for (std::size_t i = 0; i < orders.size(); ++i) {
      if (exact[i].filled == 0) continue;
      ++filled;
      for (const Quantity lots : models->results()[i].filled)
        EXPECT_GE(lots, exact[i].filled) << seed << ", " << i;
      for (const Nanoseconds time : models->results()[i].first_fill) EXPECT_EQ(time, exact[i].first_fill);
    }
  }
  EXPECT_GT(filled, 100u);
}

}  // namespace
}  // namespace llmes::test
