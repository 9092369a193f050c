// SPDX-License-Identifier: MIT
//
// Impact `displace`: without fills of ours the market is history; with them somebody else goes without.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "llmes/simulator.hpp"
#include "tests/simulator/market_tape.hpp"
#include "tests/simulator/scripted.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

using enum MarketEventType;
using DisplaceSimulator = Simulator<Scripted, DisplaceImpact>;
using Orders = std::vector<std::tuple<OrderId, Price, Quantity>>;

constexpr Nanoseconds forever = std::numeric_limits<Nanoseconds>::max() / 4;

/// The orders of a side, ours as `ours_is`.
Orders orders_of(const MarketBooks::Books& books, BookNumber book, Side side, OrderId ours_is = 0) {
  Orders orders;
  books.book(book)->visit_orders(side, [&](const RestingOrder& order) {
    const bool is_ours = order.id >= DisplaceImpact::first_own_id;
    if (!is_ours || ours_is != 0) orders.emplace_back(is_ours ? ours_is : order.id, order.price, order.quantity);
  });
  return orders;
}

MarketEvent add(Nanoseconds time, OrderId id, Side side, Price price, Quantity lots) {
  return {.time = time, .record = time, .id = id, .price = price, .quantity = lots, .type = Add, .side = side};
}
MarketEvent execute(Nanoseconds time, OrderId id, Quantity lots, bool last = true) {
  return {.time = time, .record = time, .id = id, .quantity = lots, .type = Execute, .last = last};
}
OwnCommand buy(Nanoseconds time, Price price, Quantity lots, TimeInForce tif = TimeInForce::GoodTillCancel) {
  return {.time = time, .side = Side::Buy, .price = price, .quantity = lots, .time_in_force = tif};
}
DisplaceSimulator displace(const Script& script, std::vector<MarketEvent> tape, Nanoseconds stay = forever) {
  SimulatorConfig config = config_for(1);
  config.displaced_stay = stay;
  tape.push_back(add(1'000, 999, Side::Buy, 1, 1));
  return play<DisplaceSimulator>(config, script, tape);
}

TEST(DisplaceTest, WithoutFillsOfOursTheMarketIsHistory) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= repetitions(40u); ++seed) {
    std::vector<MarketEvent> tape = tell_market(make_market({.seed = seed, .commands = 1'200, .books = 2}), 2);
    Random random(seed);
    if (seed % 2 == 0) tape = tell_by_fills(tape, random, true);
    Script script;
    for (const BookNumber book : {0u, 1u}) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        const Price price = side == Side::Buy ? market_mid - 500 : market_mid + 500;
        script.push_back({.time = tape[300].time, .book = book, .side = side, .price = price, .quantity = 5});
      }
    }
    const DisplaceSimulator simulator = play<DisplaceSimulator>(config_for(2), script, tape);
    EXPECT_TRUE(simulator.run(0).fills().empty());
    EXPECT_EQ(simulator.run(0).divergence(), Divergence{}) << "seed " << seed;
    for (const BookNumber book : {0u, 1u}) {
      if (!simulator.run(0).impact().watches(book)) continue;  // a halt refused both orders
      ++compared;
      for (const Side side : {Side::Buy, Side::Sell}) {
        ASSERT_EQ(orders_of(simulator.run(0).impact().books(), book, side),
                  orders_of(simulator.market().books(), book, side))
            << "seed " << seed;
      }
    }
  }
  EXPECT_GT(compared, repetitions(60u));
}

/// An order is taken out of a market, and sent as ours: with those whom we displace staying, the market becomes
/// what it was with that order, to the last lot.
TEST(DisplaceTest, AnOrderTakenOutAndSentAsOursRestoresTheMarket) {
  using Kind = MarketCommand::Kind;
  std::size_t with_fills = 0;
  for (std::uint64_t seed = 1; seed <= repetitions(6u); ++seed) {
    const std::vector<MarketCommand> market =
        make_market({.seed = seed, .commands = 500, .is_odd = false, .has_cancels = false, .anchor = 1'000});
    const DisplaceSimulator history = play<DisplaceSimulator>(config_for(1), Script{}, tell_market(market, 1));
    for (const MarketCommand& command : market) {
      if (command.id <= 106 || command.kind != Kind::Limit || command.id % 5 != 0 || command.id == market.size())
        continue;
      if ((command.side == Side::Buy) == (command.price > market_mid)) continue;  // a taker
      SimulatorConfig config = config_for(1);
      config.displaced_stay = forever;
      const DisplaceSimulator simulator = play<DisplaceSimulator>(
          config,
          {{.time = command.time, .side = command.side, .price = command.price, .quantity = command.quantity}},
          tell_market(market, 1, command.id));
      for (const Side side : {Side::Buy, Side::Sell}) {
        ASSERT_EQ(orders_of(simulator.run(0).impact().books(), 0, side, command.id),
                  orders_of(history.market().books(), 0, side))
            << "seed " << seed << ", order " << command.id;
      }
      EXPECT_EQ(simulator.run(0).divergence().unfilled, 0u);
      with_fills += !simulator.run(0).fills().empty();
    }
  }
  EXPECT_GT(with_fills, repetitions(150u));
}

TEST(DisplaceTest, CountsWhatDiffersFromHistory) {
  std::size_t differ = 0;
  for (std::uint64_t seed = 1; seed <= repetitions(40u); ++seed) {
    const std::vector<MarketEvent> tape =
        tell_market(make_market({.seed = seed, .commands = 1'000, .books = 2}), 2);
    Random random(seed);
    const Script script = random_script(random, tape.front().time, tape.back().time, 40, 2);
    SimulatorConfig config = config_for(2);
    config.displaced_stay = 20 * (seed % 10);
    const DisplaceSimulator simulator = play<DisplaceSimulator>(config, script, tape);
    std::map<OrderId, std::int64_t> more;
    std::map<std::tuple<BookNumber, Side, Price>, std::int64_t> more_at;
    for (const BookNumber book : {0u, 1u}) {
      if (!simulator.run(0).impact().watches(book)) continue;
      for (const Side side : {Side::Buy, Side::Sell}) {
        for (const auto& [id, price, lots] : orders_of(simulator.run(0).impact().books(), book, side)) {
          more[id] += static_cast<std::int64_t>(lots);
          more_at[{book, side, price}] += static_cast<std::int64_t>(lots);
        }
        for (const auto& [id, price, lots] : orders_of(simulator.market().books(), book, side)) {
          more[id] -= static_cast<std::int64_t>(lots);
          more_at[{book, side, price}] -= static_cast<std::int64_t>(lots);
        }
      }
    }
    std::int64_t lots_more = 0, lots_fewer = 0;
    for (const auto& [id, lots] : more) (lots > 0 ? lots_more : lots_fewer) += lots;
    const Divergence divergence = simulator.run(0).divergence();
    EXPECT_EQ(divergence.lots_more, static_cast<std::uint64_t>(lots_more)) << "seed " << seed;
    EXPECT_EQ(divergence.lots_fewer, static_cast<std::uint64_t>(-lots_fewer)) << "seed " << seed;
    EXPECT_EQ(divergence.levels, static_cast<std::uint64_t>(std::ranges::count_if(
                                     more_at, [](const auto& level) { return level.second != 0; })))
        << "seed " << seed;
    EXPECT_GE(divergence.lots_peak, 1u);
    differ += lots_more != 0 || lots_fewer != 0;
    for (const OwnOrder& order : simulator.run(0).orders().all()) {
      const auto rests = simulator.run(0).impact().books().find(DisplaceImpact::first_own_id + order.id);
      ASSERT_EQ(rests.has_value(), order.state == OwnOrderState::Resting) << "seed " << seed;
      if (rests) {
        ASSERT_EQ(rests->quantity, order.open);
      }
    }
  }
  EXPECT_GT(differ, 10u);
}

TEST(DisplaceTest, AFillOfOursIsOneThatAnotherDidNotGet) {
  const std::vector<MarketEvent> tape{add(1, 9, Side::Sell, 105, 1), add(3, 1, Side::Buy, 100, 10),
                                      execute(4, 1, 8)};
  const DisplaceSimulator stays = displace({buy(2, 100, 5)}, tape);
  EXPECT_EQ(stays.run(0).orders()[0].filled, 5u);
  EXPECT_EQ(stays.run(0).impact().books().find(1)->quantity, 7u);  // 2 in history
  EXPECT_EQ(stays.run(0).divergence(), (Divergence{.lots_more = 5, .lots_peak = 5, .levels = 1}));

  const DisplaceSimulator leaves = displace({buy(2, 100, 5)}, tape, 50);
  EXPECT_EQ(leaves.run(0).impact().books().find(1)->quantity, 2u);
  EXPECT_EQ(leaves.run(0).divergence(), (Divergence{.lots_peak = 5}));
  EXPECT_NE(
      to_string(summarize(leaves.run(0))).find("0 lots more and 0 fewer on 0 levels, at most 5 lots; took 0"),
      std::string::npos);
}

/// An iceberg shows 1 lot of 25 that trade. We take lots of its reserve, as that is behind us.
TEST(DisplaceTest, TheReserveOfAnIcebergIsBehindUs) {
  const MarketEvent fill{
      .time = 30, .record = 30, .id = 1, .price = 100, .quantity = 25, .type = Fill, .last = false};
  const MarketEvent leaves{.time = 30, .record = 31, .id = 1, .quantity = 1, .type = Reduce};
  const MarketEvent refilled{.time = 30, .record = 31, .id = 1, .price = 100, .quantity = 1, .type = Modify};
  for (const MarketEvent& end : {leaves, refilled}) {
    const auto tape = {add(10, 1, Side::Buy, 100, 1), add(20, 2, Side::Buy, 99, 5), fill, end};
    const DisplaceSimulator ours = displace({buy(15, 100, 10)}, tape);
    ASSERT_EQ(ours.run(0).fills().size(), 1u);
    EXPECT_EQ(ours.run(0).fills()[0].quantity, 10u);
    EXPECT_EQ(ours.run(0).divergence(), Divergence{});
    const Orders bids = orders_of(ours.run(0).impact().books(), 0, Side::Buy);
    EXPECT_EQ(bids, orders_of(ours.market().books(), 0, Side::Buy));
    EXPECT_EQ(bids.size(), end.type == Modify ? 3u : 2u);
    // Who is behind us gets less of the reserve, and nothing of what it showed.
    EXPECT_EQ(displace({buy(15, 100, 90)}, tape).run(0).orders()[0].filled, 24u);
  }
}

TEST(DisplaceTest, AnExecutionOffItsPriceIsTakenAsItWas) {
  MarketEvent off_price = execute(4, 1, 3, false);
  off_price.off_price = true;
  off_price.price = 99;
  const DisplaceSimulator simulator =
      displace({buy(2, 100, 5)},
               {add(1, 9, Side::Sell, 105, 1), add(3, 1, Side::Buy, 100, 10), off_price, execute(4, 1, 5)});
  EXPECT_EQ(simulator.run(0).orders()[0].filled, 5u);
  EXPECT_EQ(simulator.run(0).impact().books().find(1)->quantity, 7u);
  EXPECT_EQ(simulator.run(0).divergence().lots_more, 5u);
}

TEST(DisplaceTest, WhomWeDisplacedTradesBeforeOthersWhileItStays) {
  const std::vector<MarketEvent> tape{add(1, 9, Side::Sell, 105, 1), add(3, 1, Side::Buy, 100, 5),
                                      execute(4, 1, 5), add(5, 2, Side::Buy, 100, 5), execute(60, 2, 4)};
  const DisplaceSimulator stays = displace({buy(2, 100, 5)}, tape);
  EXPECT_EQ(stays.run(0).impact().books().find(1)->quantity, 1u);
  EXPECT_EQ(stays.run(0).impact().books().find(2)->quantity, 5u);
  const DisplaceSimulator left = displace({buy(2, 100, 5)}, tape, 50);
  EXPECT_FALSE(left.run(0).impact().books().find(1));
  EXPECT_EQ(left.run(0).impact().books().find(2)->quantity, 1u);
}

TEST(DisplaceTest, AnOrderThatWeTookIsGoneForLaterTakers) {
  const DisplaceSimulator simulator = displace({buy(3, 101, 10, TimeInForce::ImmediateOrCancel)},
                                               {add(1, 1, Side::Sell, 101, 10), add(2, 2, Side::Sell, 102, 10),
                                                execute(4, 1, 10, false), execute(4, 2, 3)});
  EXPECT_EQ(simulator.run(0).orders()[0].filled, 10u);
  EXPECT_FALSE(simulator.run(0).impact().books().find(2));  // the taker went on to it, up to its limit
  EXPECT_EQ(simulator.run(0).divergence().unfilled, 3u);
  EXPECT_EQ(simulator.run(0).divergence().lots_fewer, 7u);
}

TEST(DisplaceTest, AnOrderThatMeetsOursDoesNotRest) {
  const DisplaceSimulator simulator =
      displace({buy(2, 100, 5)}, {add(1, 1, Side::Sell, 101, 10),
                                  add(3, 2, Side::Sell, 100, 4),
                                  {.time = 4, .record = 4, .id = 2, .price = 103, .quantity = 4, .type = Modify}});
  EXPECT_EQ(simulator.run(0).orders()[0].filled, 4u);
  EXPECT_FALSE(simulator.run(0).impact().books().find(2));
  EXPECT_EQ(simulator.run(0).divergence().ignored, 1u);
  EXPECT_EQ(simulator.run(0).divergence().lots_fewer, 4u);
}

TEST(DisplaceTest, AVenueThatMatchesOtherwiseIsLeftAsItWas) {
  const DisplaceSimulator simulator =
      displace({buy(3, 90, 5)}, {add(1, 1, Side::Buy, 100, 10), add(2, 2, Side::Buy, 100, 10), execute(4, 2, 6)});
  EXPECT_EQ(simulator.run(0).impact().books().find(1)->quantity, 10u);
  EXPECT_EQ(simulator.run(0).impact().books().find(2)->quantity, 4u);
  EXPECT_EQ(simulator.run(0).divergence(), Divergence{});
}

TEST(DisplaceTest, WhatWeTookStaysGoneWhenItsOrderMoves) {
  const DisplaceSimulator simulator =
      displace({buy(3, 101, 4, TimeInForce::ImmediateOrCancel)},
               {add(1, 1, Side::Sell, 101, 10),
                {.time = 5, .record = 5, .id = 1, .price = 102, .quantity = 12, .type = Modify}});
  EXPECT_EQ(simulator.run(0).impact().books().find(1)->quantity, 8u);
  EXPECT_EQ(simulator.run(0).divergence().lots_fewer, 4u);
}

TEST(DisplaceTest, AnIdOfTheMarketThatIsOneOfOursIsIgnored) {
  const OrderId odd = DisplaceImpact::first_own_id;
  const DisplaceSimulator simulator =
      displace({buy(2, 100, 5)},
               {add(1, odd, Side::Buy, 100, 10), add(3, odd + 1, Side::Sell, 100, 10), execute(4, odd, 1)});
  EXPECT_TRUE(simulator.run(0).fills().empty());
  EXPECT_EQ(simulator.run(0).divergence().ignored, 2u);
}

TEST(DisplaceTest, StrategiesDisplaceEachItsOwnMarket) {
  const std::vector<MarketEvent> tape = tell_market(make_market({.seed = 5, .commands = 1'000, .books = 2}), 2);
  std::vector<Scripted> strategies;
  for (std::uint64_t i = 0; i < 3; ++i) {
    Random random(i);
    strategies.push_back({random_script(random, tape.front().time, tape.back().time, 30, 2)});
  }
  const DisplaceSimulator together = play<DisplaceSimulator>(config_for(2), strategies, tape);
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    const DisplaceSimulator alone = play<DisplaceSimulator>(config_for(2), {strategies[i]}, tape);
    EXPECT_FALSE(alone.run(0).fills().empty());
    EXPECT_TRUE(std::ranges::equal(alone.run(0).fills(), together.run(i).fills()));
    EXPECT_EQ(alone.run(0).divergence(), together.run(i).divergence());
  }
}

// ---- With the rules of a venue for own orders.

using VenueSimulator = Simulator<Scripted, VenueImpact>;

OwnCommand sell(Nanoseconds time, Price price, Quantity lots, TimeInForce tif = TimeInForce::GoodTillCancel) {
  return {.time = time, .side = Side::Sell, .price = price, .quantity = lots, .time_in_force = tif};
}
VenueSimulator venue(const Script& script, SelfTrade self_trade, std::vector<MarketEvent> tape) {
  SimulatorConfig config = config_for(1);
  config.self_trade = self_trade;
  config.displaced_stay = forever;
  tape.push_back(add(1'000, 999, Side::Buy, 1, 1));
  return play<VenueSimulator>(config, script, tape);
}

TEST(VenueImpactTest, WithoutOwnOrdersThatMeetOrHideItIsAsWithoutRules) {
  std::size_t fills = 0;
  for (std::uint64_t seed = 1; seed <= repetitions(20u); ++seed) {
    const auto tape =
        tell_market(make_market({.seed = seed, .commands = 1'000, .books = 2, .has_auctions = true}), 2);
    Random random(seed);
    Script script = random_script(random, tape.front().time, tape.back().time, 60, 2);
    for (OwnCommand& one : script) one.side = one.book == 0 ? Side::Buy : Side::Sell;
    SimulatorConfig config = config_for(2);
    config.displaced_stay = 300;
    config.auctions = AuctionFills::AtPrint;
    auto with = play<VenueSimulator>(config, script, tape);
    auto without = play<DisplaceSimulator>(config, script, tape);
    ASSERT_TRUE(std::ranges::equal(with.run(0).fills(), without.run(0).fills())) << "seed " << seed;
    ASSERT_EQ(with.run(0).divergence(), without.run(0).divergence()) << "seed " << seed;
    ASSERT_TRUE(std::ranges::equal(with.strategy(0).heard, without.strategy(0).heard));
    fills += with.run(0).fills().size();
  }
  EXPECT_GT(fills, repetitions(500u));
}

/// We sell 5 at 100 before 10 of the market, and then buy 8.
TEST(VenueImpactTest, OwnOrdersThatMeetDoAsTheVenueSays) {
  struct Case {
    SelfTrade mode;
    Quantity maker_filled, maker_open, taker_filled, taker_open;
    OwnOrderState maker, taker;
  };
  using enum OwnOrderState;
  for (const Case& one : {Case{SelfTrade::Allow, 5, 0, 8, 0, Filled, Filled},
                          Case{SelfTrade::CancelTaker, 0, 5, 0, 8, Resting, Cancelled},
                          Case{SelfTrade::CancelMaker, 0, 5, 8, 0, Cancelled, Filled},
                          Case{SelfTrade::CancelBoth, 0, 5, 0, 8, Cancelled, Cancelled},
                          Case{SelfTrade::Decrement, 0, 0, 3, 0, Cancelled, Filled}}) {
    const VenueSimulator simulator =
        venue({sell(2, 100, 5), buy(5, 100, 8)}, one.mode,
              {add(1, 1, Side::Sell, 110, 1), add(4, 2, Side::Sell, 100, 10), add(6, 3, Side::Sell, 110, 1)});
    const OwnOrder& maker = simulator.run(0).orders()[0];
    const OwnOrder& taker = simulator.run(0).orders()[1];
    const auto name = to_string(one.mode);
    EXPECT_EQ(maker.filled, one.maker_filled) << name;
    EXPECT_EQ(maker.open, one.maker_open) << name;
    EXPECT_EQ(maker.state, one.maker) << name;
    EXPECT_EQ(taker.filled, one.taker_filled) << name;
    EXPECT_EQ(taker.open, one.taker_open) << name;
    EXPECT_EQ(taker.state, one.taker) << name;
    for (const OwnOrder* order : {&maker, &taker}) {
      EXPECT_EQ(order->reason, order->state == Cancelled ? OwnReason::SelfTrade : OwnReason::None) << name;
      EXPECT_EQ(order->known_state, order->state) << name;  // the strategy was told
    }
    for (const OwnFill& fill : simulator.run(0).fills()) EXPECT_EQ(fill.is_maker(), fill.order == 0) << name;
    EXPECT_EQ(simulator.run(0).divergence().taken, taker.filled - maker.filled) << name;  // of the market
    EXPECT_EQ(simulator.run(0).position(0),
              static_cast<std::int64_t>(taker.filled) - static_cast<std::int64_t>(maker.filled))
        << name;
  }
}

TEST(VenueImpactTest, AMakerThatLosesLotsIsToldSo) {
  const VenueSimulator simulator = venue({sell(2, 100, 5), buy(5, 100, 2)}, SelfTrade::Decrement,
                                         {add(1, 1, Side::Sell, 110, 1), add(6, 3, Side::Sell, 110, 1)});
  const OwnOrder& maker = simulator.run(0).orders()[0];
  EXPECT_EQ(maker.state, OwnOrderState::Resting);
  EXPECT_EQ(maker.open, 3u);
  EXPECT_EQ(maker.known_open, 3u);
  EXPECT_EQ(simulator.run(0).orders()[1].state, OwnOrderState::Cancelled);
}

TEST(VenueImpactTest, AModifyThatMeetsAnOwnOrderEndsTheModifiedOne) {
  const VenueSimulator simulator =
      venue({sell(2, 100, 5),
             buy(3, 90, 2),
             {.kind = OwnCommand::Kind::Modify, .time = 5, .order = 1, .price = 100, .quantity = 2}},
            SelfTrade::CancelTaker, {add(1, 1, Side::Sell, 110, 1), add(6, 3, Side::Sell, 110, 1)});
  EXPECT_EQ(simulator.run(0).orders()[0].state, OwnOrderState::Resting);
  EXPECT_EQ(simulator.run(0).orders()[1].state, OwnOrderState::Cancelled);
  EXPECT_EQ(simulator.run(0).orders()[1].known_state, OwnOrderState::Cancelled);
  EXPECT_EQ(simulator.run(0).orders()[1].reason, OwnReason::SelfTrade);
}

/// Of our 10 lots 4 show; 6 of the market come behind them. In history, a taker of 6 took these 6.
TEST(VenueImpactTest, AReserveShowsItsPeakAndIsRefilledAtTheBack) {
  Script script{buy(2, 100, 10)};
  const std::vector<MarketEvent> tape{add(1, 1, Side::Sell, 110, 1), add(3, 2, Side::Buy, 100, 6),
                                      execute(4, 2, 6), add(5, 3, Side::Sell, 100, 5)};
  EXPECT_EQ(venue(script, SelfTrade::CancelTaker, tape).run(0).orders()[0].filled, 10u);
  script[0].peak = 4;
  const VenueSimulator simulator = venue(script, SelfTrade::CancelTaker, tape);
  // The taker of 6 takes our 4, and 2 of the market's 6. The seller of 5 takes the market's other 4, and 1 of
  // ours.
  const auto& fills = simulator.run(0).fills();
  ASSERT_EQ(fills.size(), 2u);
  EXPECT_EQ(fills[0].quantity, 4u);
  EXPECT_EQ(fills[1].quantity, 1u);
  EXPECT_EQ(fills[1].other, 3u);
  EXPECT_EQ(simulator.run(0).orders()[0].open, 5u);
  EXPECT_EQ(simulator.run(0).place_of(0), QueuePosition{});
}

TEST(VenueImpactTest, APeakIsFromOneLotToAll) {
  SimulatorConfig config = config_for(1);
  config.lot = 2;
  VenueSimulator simulator = make_simulator<VenueSimulator>(config, Script{});
  auto desk = simulator.desk(0);
  for (const Quantity peak : {0u, 1u, 3u, 12u})
    EXPECT_EQ(desk.add_reserve(0u, Side::Buy, 100, 10u, peak).status, SendStatus::InvalidQuantity) << peak;
  EXPECT_EQ(desk.add_reserve(0u, Side::Buy, 100, 2 * peaks_max + 2, 2u).status, SendStatus::InvalidQuantity);
  EXPECT_EQ(desk.add_reserve(0u, Side::Buy, 100, 2 * peaks_max, 2u).status, SendStatus::Success);
  EXPECT_EQ(desk.add_reserve(0u, Side::Buy, 100, 10u, 10u).status, SendStatus::Success);
}

}  // namespace
}  // namespace llmes::test
