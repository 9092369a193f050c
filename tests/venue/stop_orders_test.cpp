// SPDX-License-Identifier: MIT
//
// Stops that wait: when they fire and in which order, what trails, and what a change does to their place.
#include "llmes/venue/stop_orders.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "tests/support/state_bytes.hpp"
#include "tests/venue/waiting.hpp"

namespace llmes::test {
namespace {

constexpr Price lowest = std::numeric_limits<Price>::min();
constexpr Price highest = std::numeric_limits<Price>::max();

class StopOrdersTest : public testing::Test {
 protected:
  VenueStatus add(const VenueCommand& stop) { return stops.add(stop, prices); }
  /// Adds stops, which must succeed.
  template <class... Stops>
  void wait(const Stops&... added) {
    for (const VenueCommand& stop : {added...}) EXPECT_EQ(add(stop), VenueStatus::Success) << stop.id;
  }
  /// The ids that fire at the last price `last`, one after the other.
  std::vector<OrderId> fires_at(Price last) {
    prices.last = last;
    return fire();
  }
  std::vector<OrderId> fire(BookNumber book = 0) {
    std::vector<OrderId> ids;
    while (const auto stop = stops.next(book, prices)) ids.push_back(stop->id);
    return ids;
  }
  Price trigger_of(OrderId id) { return stops.find(id).value_or(VenueCommand{}).trigger; }
  VenueStatus modify(OrderId id, Price trigger, Price trail, Quantity quantity = 10, Price limit = 0) {
    VenueCommand change;
    change.id = id;
    change.trigger = trigger;
    change.trail = trail;
    change.quantity = quantity;
    change.price = limit;
    return stops.modify(change);
  }
  /// Expects a rejection that has changed no byte.
  template <class Call>
  void expect_refused(VenueStatus status, const Call& call) {
    const auto before = state_of(stops);
    EXPECT_EQ(call(), status);
    EXPECT_EQ(state_of(stops), before);
  }

  TriggerPrices prices{.last = 100, .best_bid = 99, .best_ask = 101};
  StopOrders stops = made<StopOrders>(StopConfig{.books = 3, .capacity = 6});
};

using Ids = std::vector<OrderId>;

TEST_F(StopOrdersTest, ABuyWaitsForItsTriggerOrAboveASellForItOrBelow) {
  wait(buy_stop(1, 105), sell_stop(2, 95));
  EXPECT_EQ(fires_at(104), Ids{});
  EXPECT_EQ(fires_at(105), Ids{1});
  EXPECT_EQ(fires_at(96), Ids{});
  EXPECT_EQ(fires_at(95), Ids{2});
  EXPECT_EQ(stops.size(), 0u);
}

TEST_F(StopOrdersTest, TheNearestTriggerIsFirstThenTheFirstThatCame) {
  wait(buy_stop(1, 107), buy_stop(2, 105), buy_stop(3, 106), buy_stop(4, 105));
  EXPECT_EQ(fires_at(106), (Ids{2, 4, 3}));
  wait(sell_stop(5, 90), sell_stop(6, 95), sell_stop(7, 95), sell_stop(8, 94));
  EXPECT_EQ(fires_at(90), (Ids{6, 7, 8, 5}));
}

TEST_F(StopOrdersTest, OfTwoSidesThatBothHoldTheFirstThatCameIsFirst) {
  wait(sell_stop(1, 100), buy_stop(2, 90), sell_stop(3, 120));
  EXPECT_EQ(fires_at(100), (Ids{2, 3, 1})) << "of the sells the nearest competes, and came after the buy";
}

TEST_F(StopOrdersTest, OfTwoSidesTheNearestOfEachCompetes) {
  prices = {.last = 100, .best_bid = 90, .best_ask = 110};
  wait(by_best(sell_stop(1, 95)), buy_stop(2, 95), sell_stop(3, 105));
  EXPECT_EQ(fire(), (Ids{2, 3, 1})) << "1 came first, but 3 is nearer";
}

TEST_F(StopOrdersTest, OfTwoKindsOfTriggerTheNearestIsFirstThenTheFirstThatCame) {
  prices = {.last = 110, .best_bid = 99, .best_ask = 110};
  wait(by_best(buy_stop(1, 105)), buy_stop(2, 105), buy_stop(3, 104), by_best(buy_stop(4, 103)));
  EXPECT_EQ(fire(), (Ids{4, 3, 1, 2}));
}

TEST_F(StopOrdersTest, TheOppositeBestIsTheAskOfABuyAndTheBidOfASell) {
  wait(by_best(buy_stop(1, 105)), by_best(sell_stop(2, 95)));
  prices = {.last = 200, .best_bid = 104, .best_ask = 104};
  EXPECT_EQ(fire(), Ids{});
  prices.best_ask = 105;
  EXPECT_EQ(fire(), Ids{1});
  prices = {.last = 1, .best_bid = 95, .best_ask = 96};
  EXPECT_EQ(fire(), Ids{2});
}

TEST_F(StopOrdersTest, WithoutAPriceNothingFires) {
  wait(buy_stop(1, lowest), by_best(sell_stop(2, highest)));
  prices = {};
  EXPECT_EQ(fire(), Ids{});
  prices.last = lowest;
  EXPECT_EQ(fire(), Ids{1});
  prices.best_bid = highest;
  EXPECT_EQ(fire(), Ids{2});
}

TEST_F(StopOrdersTest, ATriggerAtTheLimitsOfAPriceFiresThereAlone) {
  wait(buy_stop(1, highest), sell_stop(2, lowest));
  EXPECT_EQ(fires_at(highest - 1), Ids{});
  EXPECT_EQ(fires_at(lowest + 1), Ids{});
  EXPECT_EQ(fires_at(highest), Ids{1});
  EXPECT_EQ(fires_at(lowest), Ids{2});
}

TEST_F(StopOrdersTest, ABookKnowsNothingOfAnother) {
  VenueCommand other = buy_stop(1, 105);
  other.book = 2;
  wait(other);
  prices.last = 110;
  EXPECT_EQ(fire(0), Ids{});
  EXPECT_EQ(fire(1), Ids{});
  EXPECT_EQ(fire(2), Ids{1});
  EXPECT_EQ(fire(3), Ids{}) << "there is no such book";
}

TEST_F(StopOrdersTest, OneWhoseTriggerHoldsFiresAtOnce) {
  wait(buy_stop(1, 100), sell_stop(2, 100));
  EXPECT_EQ(fire(), (Ids{1, 2}));
}

TEST_F(StopOrdersTest, WhatFiresIsTheCommandAsItCame) {
  VenueCommand stop = sell_stop(1, 95);
  stop.price = 93;
  stop.peak = 2;
  stop.account = 5;
  stop.display = Display::Reserve;
  wait(stop);
  EXPECT_EQ(stops.find(1), stop);
  prices.last = 95;
  EXPECT_EQ(stops.next(0, prices), stop);
  EXPECT_EQ(stops.find(1), std::nullopt);
}

// ---- What trails.

TEST_F(StopOrdersTest, ASellTrailsBelowTheHighestPriceSinceItCame) {
  wait(trailing(sell_stop(1, 0), 5));
  EXPECT_EQ(trigger_of(1), 95);
  EXPECT_EQ(fires_at(110), Ids{});
  EXPECT_EQ(trigger_of(1), 105);
  EXPECT_EQ(fires_at(106), Ids{});
  EXPECT_EQ(trigger_of(1), 105) << "it never moves back";
  wait(trailing(sell_stop(2, 0), 1));
  EXPECT_EQ(trigger_of(2), 105) << "what the market had before it came does not count";
  EXPECT_EQ(fires_at(105), (Ids{1, 2}));
}

TEST_F(StopOrdersTest, ABuyTrailsAboveTheLowestPriceSinceItCame) {
  wait(trailing(buy_stop(1, 0), 5), trailing(buy_stop(2, 0), 3));
  EXPECT_EQ(fires_at(90), Ids{});
  EXPECT_EQ(trigger_of(1), 95);
  EXPECT_EQ(trigger_of(2), 93);
  EXPECT_EQ(fires_at(94), Ids{2});
  EXPECT_EQ(fires_at(95), Ids{1});
}

TEST_F(StopOrdersTest, OneByTheOppositeBestTrailsThatPrice) {
  wait(by_best(trailing(sell_stop(1, 0), 5)), by_best(trailing(buy_stop(2, 0), 5)));
  EXPECT_EQ(trigger_of(1), 94);
  EXPECT_EQ(trigger_of(2), 106);
  prices = {.last = 100, .best_bid = 102, .best_ask = 103};
  EXPECT_EQ(fire(), Ids{});
  EXPECT_EQ(trigger_of(1), 97);
  EXPECT_EQ(trigger_of(2), 106);
}

TEST_F(StopOrdersTest, AmongOthersThatDoNotTheyFireByTheTriggerThatTheyHaveNow) {
  wait(sell_stop(1, 97), trailing(sell_stop(2, 0), 4), sell_stop(3, 96), trailing(sell_stop(4, 0), 9));
  EXPECT_EQ(fires_at(105), Ids{});
  EXPECT_EQ(fires_at(96), (Ids{2, 1, 3, 4})) << "101, 97, 96 and 96, of which 3 came first";
}

TEST_F(StopOrdersTest, TheLargestDistanceThatFitsTrails) {
  prices.last = highest;
  wait(trailing(sell_stop(1, 0), highest));
  EXPECT_EQ(trigger_of(1), 0);
  prices.last = -1;
  wait(trailing(sell_stop(2, 0), highest));
  EXPECT_EQ(trigger_of(2), lowest);
  wait(trailing(sell_stop(3, 0), 1));
  EXPECT_EQ(fires_at(-1'000), (Ids{1, 3})) << "too low a price for 2 to trail moves nothing";
  EXPECT_EQ(trigger_of(2), lowest);
}

// ---- Changes.

TEST_F(StopOrdersTest, WithTheSameTriggerAndNoMoreLotsItKeepsItsPlace) {
  wait(buy_stop(1, 105), buy_stop(2, 105), buy_stop(3, 105));
  EXPECT_EQ(modify(1, 105, 0, 10, 77), VenueStatus::Success);
  EXPECT_EQ(modify(2, 105, 0, 11), VenueStatus::Success);
  EXPECT_EQ(stops.find(1)->price, 77);
  EXPECT_EQ(stops.find(2)->quantity, 11u);
  EXPECT_EQ(fires_at(105), (Ids{1, 3, 2}));
}

TEST_F(StopOrdersTest, AnotherTriggerMovesIt) {
  wait(buy_stop(1, 105), buy_stop(2, 106), buy_stop(3, 105));
  EXPECT_EQ(modify(1, 106, 0), VenueStatus::Success);
  EXPECT_EQ(trigger_of(1), 106);
  EXPECT_EQ(fires_at(106), (Ids{3, 2, 1}));
}

TEST_F(StopOrdersTest, OneThatTrailsKeepsTheBestPriceThatItHasSeen) {
  wait(trailing(sell_stop(1, 0), 5), trailing(sell_stop(2, 0), 5));
  EXPECT_EQ(fires_at(110), Ids{});
  EXPECT_EQ(fires_at(108), Ids{});
  EXPECT_EQ(modify(1, 0, 3), VenueStatus::Success);
  EXPECT_EQ(trigger_of(1), 107);
  EXPECT_EQ(modify(1, 0, 5), VenueStatus::Success);
  EXPECT_EQ(modify(2, 0, 5, 9), VenueStatus::Success) << "keeps its place";
  EXPECT_EQ(fires_at(105), (Ids{2, 1}));
}

TEST_F(StopOrdersTest, FollowEachPriceThatTheyAreTold) {
  wait(trailing(sell_stop(1, 0), 5), by_best(trailing(buy_stop(2, 0), 5)), sell_stop(3, 90));
  stops.follow(0, {.last = 110, .best_bid = {}, .best_ask = {}});
  stops.follow(1, {.last = 200, .best_bid = {}, .best_ask = {}});
  stops.follow(2, {.last = 200, .best_bid = {}, .best_ask = {}});
  EXPECT_EQ(trigger_of(1), 105);
  EXPECT_EQ(stops.size(), 3u) << "none has fired";
  EXPECT_EQ(fires_at(106), Ids{});
  EXPECT_EQ(fires_at(105), Ids{1});
}

TEST_F(StopOrdersTest, APeakOrMinimumAboveTheQuantityStays) {
  VenueCommand stop = buy_stop(1, 105);
  stop.peak = 8;
  stop.minimum = 7;
  wait(stop);
  EXPECT_EQ(modify(1, 105, 0, 3), VenueStatus::Success);
  EXPECT_EQ(stops.find(1)->peak, 8u);
  EXPECT_EQ(stops.find(1)->minimum, 7u);
}

TEST_F(StopOrdersTest, WhatIsCancelledIsGone) {
  wait(buy_stop(1, 105), trailing(sell_stop(2, 0), 5));
  fires_at(103);
  const auto gone = stops.cancel(2);
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->trigger, 98);
  EXPECT_EQ(stops.cancel(2), std::nullopt);
  EXPECT_EQ(fires_at(1), Ids{});
  EXPECT_EQ(fires_at(105), Ids{1});
}

// ---- Mass cancels and visits.

class StopScopeTest : public StopOrdersTest {
 protected:
  void SetUp() override {
    wait(of(7, sell_stop(1, 95)), of(8, by_best(buy_stop(2, 105))), of(7, buy_stop(3, 104)),
         of(7, in(2, sell_stop(4, 94))), of(7, in(1, buy_stop(5, 110))), of(7, by_best(buy_stop(6, 103))));
  }
  Ids cancelled(const CancelScope& scope) {
    Ids ids;
    EXPECT_EQ(stops.mass_cancel(scope,
                                [&](const VenueCommand& stop) {
                                  EXPECT_FALSE(stops.find(stop.id)) << "it has left";
                                  ids.push_back(stop.id);
                                }),
              VenueStatus::Success);
    return ids;
  }
};

TEST_F(StopScopeTest, OfAnOwnerByBookBuysFirstFirstComeFirst) {
  EXPECT_EQ(cancelled({.owner = 7}), (Ids{3, 6, 1, 5, 4}));
  EXPECT_EQ(cancelled({.owner = 7}), Ids{});
  EXPECT_EQ(cancelled({.owner = 8}), Ids{2});
}

TEST_F(StopScopeTest, OfEverybodyInTheSameOrder) {
  EXPECT_EQ(cancelled({}), (Ids{2, 3, 6, 1, 5, 4}));
  EXPECT_EQ(stops.size(), 0u);
}

TEST_F(StopScopeTest, OfASideABookAndARangeOfTriggers) {
  EXPECT_EQ(cancelled({.lowest = 104, .highest = 105, .book = 0}), (Ids{2, 3}));
  EXPECT_EQ(cancelled({.owner = 7, .side = Side::Buy, .highest = 104}), Ids{6});
  EXPECT_EQ(cancelled({.owner = 7, .book = 2}), Ids{4});
  EXPECT_EQ(cancelled({.side = Side::Sell}), Ids{1});
  EXPECT_EQ(cancelled({.owner = 7}), Ids{5}) << "still on his list";
}

TEST_F(StopScopeTest, TheRangeIsOfTriggersAsTheyAreNow) {
  ASSERT_TRUE(stops.cancel(1));
  wait(of(7, trailing(sell_stop(1, 0), 5)));
  fires_at(102);
  EXPECT_EQ(cancelled({.owner = 7, .side = Side::Sell, .lowest = 97, .highest = 97}), Ids{1});
}

TEST_F(StopScopeTest, AVisitGivesTheFirstThatCameFirst) {
  Ids ids;
  const auto visit = [&](const VenueCommand& stop) { ids.push_back(stop.id); };
  stops.visit(0, Side::Buy, visit);
  stops.visit(0, Side::Sell, visit);
  stops.visit(3, Side::Sell, visit);
  stops.visit(0, Side{2}, visit);
  EXPECT_EQ(ids, (Ids{2, 3, 6, 1}));
}

// ---- What is refused.

TEST_F(StopOrdersTest, RefusesWhatIsNoStop) {
  const auto refuses = [&](VenueStatus status, const VenueCommand& stop) {
    expect_refused(status, [&] { return add(stop); });
  };
  VenueCommand stop = buy_stop(1, 105);
  stop.side = Side{2};
  refuses(VenueStatus::InvalidCommand, stop);
  stop = buy_stop(1, 105);
  stop.stop = StopTrigger::None;
  refuses(VenueStatus::InvalidCommand, stop);
  stop.stop = StopTrigger{3};
  refuses(VenueStatus::InvalidCommand, stop);
  refuses(VenueStatus::UnknownBook, in(3, buy_stop(1, 105)));
  stop = buy_stop(1, 105);
  stop.quantity = 0;
  refuses(VenueStatus::InvalidQuantity, stop);
  refuses(VenueStatus::InvalidTrigger, trailing(buy_stop(1, 105), -1));
  refuses(VenueStatus::InvalidTrigger, trailing(buy_stop(1, 105), highest - 99));
  prices.last = -2;
  refuses(VenueStatus::InvalidTrigger, trailing(sell_stop(1, 105), highest));
  prices = {};
  refuses(VenueStatus::NoPriceToTrail, trailing(sell_stop(1, 105), 1));
  refuses(VenueStatus::NoPriceToTrail, by_best(trailing(sell_stop(1, 105), 1)));
}

TEST_F(StopOrdersTest, RefusesASecondOneOfAnIdThenOneTooMany) {
  for (OrderId id = 1; id <= 6; ++id) wait(buy_stop(id, 105));
  expect_refused(VenueStatus::DuplicateId, [&] { return add(sell_stop(6, 1)); });
  expect_refused(VenueStatus::NoRoomForStop, [&] { return add(sell_stop(7, 1)); });
  EXPECT_TRUE(stops.cancel(3));
  wait(sell_stop(7, 1));
}

TEST_F(StopOrdersTest, RefusesAChangeThatIsNone) {
  wait(buy_stop(1, 105), trailing(sell_stop(2, 0), 5));
  expect_refused(VenueStatus::UnknownOrder, [&] { return modify(3, 105, 0); });
  expect_refused(VenueStatus::InvalidQuantity, [&] { return modify(1, 105, 0, 0); });
  expect_refused(VenueStatus::InvalidTrigger, [&] { return modify(1, 105, 1); });
  expect_refused(VenueStatus::InvalidTrigger, [&] { return modify(2, 105, 0); });
  expect_refused(VenueStatus::InvalidTrigger, [&] { return modify(2, 105, -5); });
  prices.last = -2;
  wait(trailing(sell_stop(3, 0), 1));
  expect_refused(VenueStatus::InvalidTrigger, [&] { return modify(3, 105, highest); });
}

TEST_F(StopOrdersTest, RefusesAScopeThatIsNone) {
  wait(buy_stop(1, 105));
  const auto refuses = [&](VenueStatus status, const CancelScope& scope) {
    expect_refused(status, [&] { return stops.mass_cancel(scope, [](const VenueCommand&) {}); });
  };
  refuses(VenueStatus::UnknownBook, {.side = Side{2}, .book = 3});
  refuses(VenueStatus::InvalidCommand, {.side = Side{2}});
  refuses(VenueStatus::InvalidCommand, {.owner = 1, .lowest = 2, .highest = 1});
}

TEST_F(StopOrdersTest, OneThatWasMovedFromHoldsNothing) {
  wait(buy_stop(1, 105));
  StopOrders moved = std::move(stops);
  EXPECT_EQ(moved.size(), 1u);
  EXPECT_EQ(stops.size(), 0u);
  EXPECT_EQ(fires_at(200), Ids{});
  EXPECT_EQ(stops.find(1), std::nullopt);
  EXPECT_EQ(stops.cancel(1), std::nullopt);
  EXPECT_EQ(add(buy_stop(1, 105)), VenueStatus::NoRoomForStop);
  stops = std::move(moved);
  EXPECT_EQ(fires_at(200), Ids{1});
}

TEST(StopOrdersCreate, RefusesNoRoomAndNoBooks) {
  CreateStatus status{};
  EXPECT_FALSE(StopOrders::create({.books = 1, .capacity = 0}, status));
  EXPECT_EQ(status, CreateStatus::InvalidCapacity);
  EXPECT_FALSE(StopOrders::create({.books = 0, .capacity = 1}, status));
  EXPECT_EQ(status, CreateStatus::InvalidBookCount);
  EXPECT_FALSE(StopOrders::create({.books = (1u << 30) + 1, .capacity = 1}, status));
  EXPECT_EQ(status, CreateStatus::InvalidBookCount);
}

}  // namespace
}  // namespace llmes::test
