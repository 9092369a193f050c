// SPDX-License-Identifier: MIT
//
// Stops and lifetimes in a venue: what fires and expires runs there, with its own reports.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/venue_desk.hpp"

namespace llmes::test::venue_waiting_test {
namespace {

constexpr auto ioc = TimeInForce::ImmediateOrCancel;
constexpr auto last = StopTrigger::LastTrade;

VenueCommand stop_at(Price trigger, VenueCommandType type = VC::AddMarket) {
  return {.trigger = trigger, .type = type, .stop = last};
}
/// Makes a trade at a price, so that it is the last one.
void trade_at(VenueDesk& desk, Price price, OrderId ids = 1'000) {
  desk.limit(3, ids, Side::Sell, price, 1);
  desk.limit(4, ids + 1, Side::Buy, price, 1, {.time_in_force = ioc});
}

TEST(VenueStops, FireAfterTheCommandWithReportsOfTheirOwn) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Sell, 101, 5);
  const VenueReport done = desk.limit(2, 2, Side::Buy, 0, 3, stop_at(100));
  EXPECT_EQ(desk.told(), "StopAdded 2 3@100, Done");
  EXPECT_EQ(done.remaining, 3u);
  desk.limit(2, 3, Side::Sell, 0, 3, stop_at(99));
  trade_at(desk, 100);
  EXPECT_EQ(desk.told(), "Executed 1001x1000 1@100, Triggered 2 3@100, Executed 2x1 3@101, Fired 2 3@0, Done");
  EXPECT_EQ(desk.reports[3].account, 2u);
  EXPECT_EQ(desk.reports.back().fired, 1u);
  EXPECT_EQ(desk.venue.stops().size(), 1u);
}

TEST(VenueStops, FireAtOnceIfTheirTriggerHolds) {
  VenueDesk desk;
  trade_at(desk, 100);
  desk.limit(2, 2, Side::Buy, 99, 3, stop_at(100, VC::AddLimit));
  EXPECT_EQ(desk.told(), "StopAdded 2 3@100, Triggered 2 3@100, Added 2 3@99, Fired 2 0@0, Done");
  EXPECT_EQ(desk.open(2), 3u);
  EXPECT_EQ(desk.reports.back().fired, 1u);
}

TEST(VenueStops, FireInAChain) {
  VenueDesk desk;
  for (Price price = 100; price < 104; ++price) {
    desk.limit(1, static_cast<OrderId>(price), Side::Sell, price, 1);
    desk.limit(2, static_cast<OrderId>(price + 100), Side::Buy, 0, 1, stop_at(price));
  }
  desk.limit(3, 1, Side::Buy, 100, 1);
  EXPECT_EQ(desk.reports.back().fired, 4u);
  EXPECT_EQ(desk.venue.book().book().size(), 0u);
  EXPECT_EQ(desk.venue.stops().size(), 0u);
  EXPECT_EQ(desk.reports[desk.reports.size() - 2].kind, VK::Fired);
  EXPECT_EQ(desk.reports[desk.reports.size() - 2].cancelled, 1u);  // nothing was left for the last one
}

TEST(VenueStops, LookAtTheOppositeBestToo) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Buy, 99, 1);
  desk.limit(1, 2, Side::Buy, 98, 1);
  desk.limit(2, 3, Side::Sell, 0, 1, {.trigger = 98, .type = VC::AddMarket, .stop = StopTrigger::OppositeBest});
  EXPECT_EQ(desk.told(), "StopAdded 3 1@98, Done");
  desk.cancel(1, 1);
  EXPECT_EQ(desk.told(), "Deleted 1 1@99 Asked, Triggered 3 1@98, Executed 3x2 1@98, Fired 3 1@0, Done");
}

TEST(VenueStops, LookAtTheOppositeBestWhenAnotherOneLeavesByItself) {
  VenueDesk desk;
  desk.limit(2, 1, Side::Sell, 100, 1, {.expiry = 50, .lifetime = Lifetime::UntilTime});
  desk.limit(3, 2, Side::Sell, 110, 5);
  desk.limit(2, 3, Side::Sell, 116, 5);
  desk.limit(1, 4, Side::Buy, 120, 1, {.trigger = 105, .stop = StopTrigger::OppositeBest});
  desk.limit(1, 5, Side::Buy, 120, 1, {.trigger = 115, .stop = StopTrigger::OppositeBest});
  desk.send({.time = desk.time = 50, .type = VC::Advance});
  EXPECT_EQ(desk.told(), "Deleted 1 1@100 Expired, Triggered 4 1@105, Executed 4x2 1@110, Fired 4 1@0, Done");
  desk.send({.account = 3, .type = VC::Kill});
  EXPECT_EQ(desk.told(), "Deleted 2 4@110 Killed, Triggered 5 1@115, Executed 5x3 1@116, Fired 5 1@0, Done");
}

TEST(VenueStops, TrailTheMarket) {
  VenueDesk desk;
  VenueCommand trailing = stop_at(0);
  trailing.trail = 3;
  EXPECT_EQ(desk.limit(2, 2, Side::Sell, 0, 1, trailing).status, VenueStatus::NoPriceToTrail);
  trade_at(desk, 100);
  desk.limit(2, 2, Side::Sell, 0, 1, trailing);
  EXPECT_EQ(desk.told(), "StopAdded 2 1@97, Done");
  trade_at(desk, 105);
  trade_at(desk, 103);
  EXPECT_EQ(desk.venue.stops().find(2)->trigger, 102);
  trade_at(desk, 102);
  EXPECT_EQ(desk.reports.back().fired, 1u);
}

/// A market sell stop of account 2 that trails the last trade by 2.
void add_trailing(VenueDesk& desk, OrderId id) {
  VenueCommand trailing = stop_at(0);
  trailing.trail = 2;
  desk.limit(2, id, Side::Sell, 0, 1, trailing);
}
TEST(VenueStops, TrailEachPriceOfASweep) {
  VenueDesk desk;
  trade_at(desk, 100);
  add_trailing(desk, 2);
  EXPECT_EQ(desk.told(), "StopAdded 2 1@98, Done");
  desk.limit(1, 11, Side::Buy, 105, 1);
  desk.limit(1, 12, Side::Buy, 103, 1);
  desk.limit(1, 13, Side::Buy, 101, 1);
  desk.limit(3, 14, Side::Sell, 103, 2);
  EXPECT_EQ(
      desk.told(),
      "Executed 14x11 1@105, Executed 14x12 1@103, Triggered 2 1@103, Executed 2x13 1@101, Fired 2 1@0, Done");
}
TEST(VenueStops, TrailThePricesOfAuctions) {
  for (const Phase after : {Phase::Continuous, Phase::Closed}) {
    VenueDesk desk;
    trade_at(desk, 100);
    add_trailing(desk, 2);
    desk.phase(Phase::ClosingAuction, 0);
    desk.limit(1, 11, Side::Buy, 110, 1);
    desk.limit(3, 12, Side::Sell, 110, 1);
    desk.phase(after, 0);
    EXPECT_EQ(desk.venue.stops().find(2)->trigger, 108);
    if (after == Phase::Closed) desk.phase(Phase::PreOpen, 0);
    desk.limit(1, 13, Side::Buy, 108, 1);
    desk.limit(3, 14, Side::Sell, 108, 1);
    desk.phase(Phase::Continuous, 0);
    EXPECT_EQ(desk.venue.stops().size(), 0u);
  }
}
TEST(VenueStops, TrailABestPriceThatLastsForAStep) {
  VenueDesk desk;
  desk.limit(3, 1, Side::Sell, 110, 5);
  desk.limit(2, 2, Side::Buy, 0, 1, {.trail = 2, .type = VC::AddMarket, .stop = StopTrigger::OppositeBest});
  EXPECT_EQ(desk.told(), "StopAdded 2 1@112, Done");
  desk.limit(3, 3, Side::Buy, 105, 3);
  const VenueCommand pair{.link = 7, .link_role = LinkRole::OneCancelsOther};
  desk.limit(1, 4, Side::Sell, 120, 3, pair);
  desk.limit(1, 5, Side::Sell, 105, 5, pair);
  EXPECT_EQ(
      desk.told(),
      "Executed 5x3 3@105, Added 5 2@105, Deleted 4 3@120 Linked, Deleted 5 2@105 Linked, Triggered 2 1@107, "
      "Executed 2x1 1@110, Fired 2 1@0, Done");
}

TEST(VenueStops, AreCancelledReducedAndModified) {
  VenueDesk desk;
  desk.limit(2, 2, Side::Buy, 120, 5, stop_at(110, VC::AddLimit));
  EXPECT_EQ(desk.cancel(1, 2).status, VenueStatus::UnknownOrder);
  desk.send({.id = 2, .quantity = 2, .account = 2, .type = VC::Reduce});
  EXPECT_EQ(desk.told(), "StopChanged 2 3@110, Done");
  EXPECT_EQ(desk.send({.id = 2, .quantity = 4, .account = 2, .type = VC::Reduce}).status,
            VenueStatus::InvalidQuantity);
  EXPECT_EQ(desk.send({.id = 2, .account = 2, .type = VC::Reduce}).status, VenueStatus::InvalidQuantity);
  desk.send({.id = 2, .price = 121, .quantity = 4, .trigger = 111, .account = 2, .type = VC::Modify});
  EXPECT_EQ(desk.told(), "StopChanged 2 4@111, Done");
  EXPECT_EQ(
      desk.send({.id = 2, .new_id = 3, .price = 121, .quantity = 4, .account = 2, .type = VC::Replace}).status,
      VenueStatus::UnknownOrder);
  EXPECT_EQ(
      desk.send({.id = 2, .price = 121, .quantity = 0, .trigger = 1, .account = 2, .type = VC::Modify}).status,
      VenueStatus::InvalidQuantity);
  desk.cancel(2, 2);
  EXPECT_EQ(desk.told(), "Deleted 2 4@111 Asked, Done");
  desk.limit(2, 2, Side::Buy, 120, 5, stop_at(110, VC::AddLimit));
  desk.send({.id = 2, .quantity = 5, .account = 2, .type = VC::Reduce});
  EXPECT_EQ(desk.told(), "Deleted 2 5@110 Asked, Done");
  trade_at(desk, 100);
  desk.limit(2, 2, Side::Buy, 100, 5, stop_at(110, VC::AddLimit));
  desk.send({.id = 2, .price = 100, .quantity = 5, .trigger = 100, .account = 2, .type = VC::Modify});
  EXPECT_EQ(desk.told(), "StopChanged 2 5@100, Triggered 2 5@100, Added 2 5@100, Fired 2 0@0, Done");
}

TEST(VenueStops, ShowAtMostTheLotsThatTheyHave) {
  VenueDesk desk;
  VenueCommand reserve = stop_at(100, VC::AddLimit);
  reserve.display = Display::Reserve;
  reserve.peak = 4;
  desk.limit(2, 2, Side::Buy, 99, 8, reserve);
  desk.send({.id = 2, .quantity = 5, .account = 2, .type = VC::Reduce});
  trade_at(desk, 100);
  EXPECT_EQ(desk.told(), "Executed 1001x1000 1@100, Triggered 2 3@100, Added 2 3@99, Fired 2 0@0, Done");
  EXPECT_EQ(desk.reports[2].displayed, 3u);
}

TEST(VenueStops, AreReducedByWholeLots) {
  VenueDesk desk;
  desk.phase(Phase::Closed);
  desk.send({.id = 1, .quantity = 10, .type = VC::SetSymbol});
  desk.phase(Phase::Continuous);
  desk.limit(2, 2, Side::Buy, 120, 20, stop_at(110, VC::AddLimit));
  const auto before = desk.bytes();
  EXPECT_EQ(desk.send({.id = 2, .quantity = 3, .account = 2, .type = VC::Reduce}).status, VenueStatus::OffLot);
  EXPECT_EQ(desk.bytes(), before);
  EXPECT_EQ(desk.send({.id = 2, .quantity = 10, .account = 2, .type = VC::Reduce}).status, VenueStatus::Success);
}

TEST(VenueStops, LeaveWithTheirAccountOrByScope) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Buy, 0, 5, stop_at(110));
  desk.limit(2, 2, Side::Buy, 0, 5, stop_at(111));
  desk.limit(2, 3, Side::Buy, 0, 5, stop_at(112));
  desk.send({.account = 1, .type = VC::Disconnect});
  EXPECT_EQ(desk.told(), "Done");
  desk.send({.account = 1, .type = VC::Kill});
  EXPECT_EQ(desk.told(), "Deleted 1 5@110 Killed, Done");
  EXPECT_EQ(desk.limit(1, 1, Side::Buy, 0, 5, stop_at(110)).risk, RiskStatus::AccountKilled);
  VenueCommand scope{.price = 112, .trigger = 200, .account = 2, .type = VC::MassCancel, .side = Side::Buy};
  EXPECT_EQ(desk.send(scope).cancelled, 5u);
  EXPECT_EQ(desk.told(), "Deleted 3 5@112 MassCancel, Done");
  AccountLimits limits;
  limits.cancel_on_disconnect = true;
  desk.send(VenueCommand::set_limits(2, limits, 0));
  desk.send({.account = 2, .type = VC::Disconnect});
  EXPECT_EQ(desk.told(), "Deleted 2 5@111 Disconnected, Done");
}

TEST(VenueStops, WaitForContinuousTrading) {
  VenueDesk desk;
  trade_at(desk, 100);
  desk.send({.type = VC::Halt});
  EXPECT_EQ(desk.limit(2, 2, Side::Buy, 99, 1, stop_at(100, VC::AddLimit)).status, VenueStatus::Halted);
  desk.send({.type = VC::Resume});
  desk.phase(Phase::PreOpen, 0);
  desk.limit(2, 2, Side::Buy, 99, 1, stop_at(100, VC::AddLimit));
  EXPECT_EQ(desk.told(), "StopAdded 2 1@100, Done");
  desk.send({.type = VC::Halt});
  desk.phase(Phase::Continuous, 0);
  EXPECT_EQ(desk.told(), "PhaseChanged 0@0, Done");
  desk.send({.type = VC::Resume});
  EXPECT_EQ(desk.told(), "Resumed 0@0, Uncrossed 0@0, Triggered 2 1@100, Added 2 1@99, Fired 2 0@0, Done");
}

TEST(VenueStops, AreRefusedIfTheirOrderCouldNotBeRight) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Buy, 90, 5);
  const auto before = desk.bytes();
  const auto odd = [&](auto set) {
    VenueCommand command{
        .id = 2, .quantity = 1, .trigger = 100, .account = 1, .type = VC::AddMarket, .stop = last};
    set(command);
    return desk.send(command).status;
  };
  EXPECT_EQ(odd([](VenueCommand& c) { c.side = static_cast<Side>(2); }), VenueStatus::InvalidCommand);
  EXPECT_EQ(odd([](VenueCommand& c) { c.self_trade = static_cast<SelfTrade>(5); }), VenueStatus::InvalidCommand);
  EXPECT_EQ(odd([](VenueCommand& c) { c.display = static_cast<Display>(3); }), VenueStatus::InvalidCommand);
  EXPECT_EQ(odd([](VenueCommand& c) { c.time_in_force = static_cast<TimeInForce>(4); }),
            VenueStatus::InvalidCommand);
  EXPECT_EQ(odd([](VenueCommand& c) { c.book = 2; }), VenueStatus::UnknownBook);
  EXPECT_EQ(odd([](VenueCommand& c) { c.id = 1; }), VenueStatus::DuplicateId);
  EXPECT_EQ(odd([](VenueCommand& c) { c.account = 0; }), VenueStatus::RefusedByRisk);
  EXPECT_EQ(odd([](VenueCommand& c) { c.quantity = 0; }), VenueStatus::InvalidQuantity);
  EXPECT_EQ(odd([](VenueCommand& c) { c.trail = -1; }), VenueStatus::InvalidTrigger);
  EXPECT_EQ(desk.bytes(), before);
  EXPECT_EQ(odd([](VenueCommand&) {}), VenueStatus::Success);
  // The id of a stop is taken.
  EXPECT_EQ(odd([](VenueCommand&) {}), VenueStatus::DuplicateId);
  EXPECT_EQ(desk.limit(1, 2, Side::Buy, 90, 5).status, VenueStatus::DuplicateId);
  EXPECT_EQ(
      desk.send({.id = 1, .new_id = 2, .price = 90, .quantity = 4, .account = 1, .type = VC::Replace}).status,
      VenueStatus::DuplicateId);
  EXPECT_EQ(odd([](VenueCommand& c) { c.id = 3; }), VenueStatus::Success);
  EXPECT_EQ(odd([](VenueCommand& c) { c.id = 4; }), VenueStatus::Success);
  EXPECT_EQ(odd([](VenueCommand& c) { c.id = 5; }), VenueStatus::Success);
  EXPECT_EQ(odd([](VenueCommand& c) { c.id = 6; }), VenueStatus::NoRoomForStop);
}

/// Only what waits needs room: among the stops, and for its lifetime.
TEST(VenueStops, NeedNoRoomIfTheyFireAtOnce) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Sell, 100, 20);
  desk.limit(2, 2, Side::Buy, 100, 1);
  VenueCommand stop{.trigger = 101, .stop = last};
  stop.lifetime = Lifetime::UntilTime;
  stop.expiry = 1'000;
  for (OrderId id = 3; id <= 6; ++id) {
    EXPECT_EQ(desk.limit(2, id, Side::Buy, 101, 1, stop).status, VenueStatus::Success);
  }
  const auto before = desk.bytes();
  EXPECT_EQ(desk.limit(2, 7, Side::Buy, 101, 1, stop).status, VenueStatus::NoRoomForExpiry);
  EXPECT_EQ(desk.limit(2, 7, Side::Buy, 101, 1, {.trigger = 101, .stop = last}).status,
            VenueStatus::NoRoomForStop);
  EXPECT_EQ(desk.bytes(), before);
  stop.trigger = 100;
  EXPECT_EQ(desk.limit(2, 7, Side::Buy, 101, 3, stop).status, VenueStatus::Success);
  EXPECT_EQ(desk.told(), "StopAdded 7 3@100, Triggered 7 3@100, Executed 7x1 3@100, Fired 7 3@0, Done");
  EXPECT_EQ(desk.reports.back().fired, 1u);
  EXPECT_EQ(desk.open(1), 16u);
  // The same without a lifetime; and at a price that rests, what is left has no lifetime to keep.
  EXPECT_EQ(desk.limit(2, 8, Side::Buy, 101, 2, {.trigger = 100, .stop = last}).status, VenueStatus::Success);
  EXPECT_EQ(desk.open(1), 14u);
  EXPECT_EQ(desk.limit(2, 9, Side::Buy, 99, 2, {.trigger = 100, .stop = last}).status, VenueStatus::Success);
  EXPECT_EQ(desk.open(9), 2u);
  EXPECT_EQ(desk.limit(2, 10, Side::Buy, 99, 2, stop).status, VenueStatus::Success);
  EXPECT_EQ(desk.open(10), 0u);
  // While the book does not trade, it would wait.
  desk.phase(Phase::ClosingAuction);
  EXPECT_EQ(desk.limit(2, 11, Side::Buy, 101, 3, {.trigger = 100, .stop = last}).status,
            VenueStatus::NoRoomForStop);
}

TEST(VenueStops, AreRefusedIfTheirOrderCouldNeverRun) {
  VenueDesk desk;
  desk.send(VenueCommand::set_limits(2, {.order_notional = 1'000, .open_quantity = 8, .credit = 1'000}, 1));
  const auto before = desk.bytes();
  const auto refused = [&](AccountNumber account, auto set) {
    VenueReport first;
    for (const bool is_child : {false, true}) {
      VenueCommand command{.id = 2, .price = 100, .quantity = 5, .trigger = 100, .account = account, .stop = last};
      command.time = 1;
      if (is_child) command.link = 7, command.link_role = LinkRole::BracketChild;
      set(command);
      const VenueReport done = desk.send_as_it_is(command);
      EXPECT_EQ(desk.reports.size(), 1u);
      EXPECT_EQ(desk.bytes(), before);
      if (is_child) {
        EXPECT_EQ(done.status, first.status);
      }
      first = done;
    }
    return first;
  };
  const auto status = [&](auto set) { return refused(1, set).status; };
  const auto risk = [&](AccountNumber account, auto set) { return refused(account, set).risk; };
  EXPECT_EQ(risk(2, [](VenueCommand& c) { c.type = VC::AddMarket; }), RiskStatus::NeedsPrice);
  EXPECT_EQ(risk(2, [](VenueCommand& c) { c.quantity = 11; }), RiskStatus::NotionalLimit);
  EXPECT_EQ(risk(2, [](VenueCommand& c) { c.quantity = 9; }), RiskStatus::OpenQuantityLimit);
  EXPECT_EQ(risk(1, [](VenueCommand& c) { c.price = Price{1} << 62; }), RiskStatus::NotionalOverflow);
  const auto iceberg = [](VenueCommand& c, Quantity lots, Quantity peak) {
    c.display = Display::Reserve;
    c.quantity = lots;
    c.peak = peak;
  };
  EXPECT_EQ(status([&](VenueCommand& c) { iceberg(c, 5, 0); }), VenueStatus::InvalidQuantity);
  EXPECT_EQ(status([&](VenueCommand& c) { iceberg(c, 5, 6); }), VenueStatus::InvalidQuantity);
  EXPECT_EQ(status([&](VenueCommand& c) { iceberg(c, 1'025, 1); }), VenueStatus::InvalidQuantity);
  EXPECT_EQ(status([&](VenueCommand& c) { iceberg(c, 5, 1), c.time_in_force = ioc; }),
            VenueStatus::InvalidCommand);
  EXPECT_EQ(status([](VenueCommand& c) { c.display = Display::Hidden, c.type = VC::AddMarket; }),
            VenueStatus::InvalidCommand);
  EXPECT_EQ(status([](VenueCommand& c) { c.minimum = 1; }), VenueStatus::InvalidCommand);
  EXPECT_EQ(status([](VenueCommand& c) { c.trail = -1; }), VenueStatus::InvalidTrigger);
  EXPECT_EQ(status([](VenueCommand& c) { c.minimum = 1, c.type = VC::AddMarket; }), VenueStatus::InvalidCommand);
  EXPECT_EQ(status([](VenueCommand& c) { c.minimum = 6, c.time_in_force = ioc; }), VenueStatus::InvalidQuantity);
  EXPECT_EQ(status([](VenueCommand& c) { c.price = std::numeric_limits<Price>::max(), c.quantity = 1; }),
            VenueStatus::OutsideBands);
  VenueConfig small = small_venue();
  small.books.quantity_max = 10;
  VenueDesk other(small);
  EXPECT_EQ(other.limit(1, 1, Side::Buy, 100, 11, stop_at(100)).status, VenueStatus::InvalidQuantity);
  EXPECT_EQ(other.limit(1, 1, Side::Buy, 100, 10, stop_at(100)).status, VenueStatus::Success);
  const VenueCommand change{.id = 1, .quantity = 11, .trigger = 105, .account = 1, .type = VC::Modify};
  EXPECT_EQ(other.send(change).status, VenueStatus::InvalidQuantity);
}

TEST(VenueStops, AreNotModifiedBeyondALimit) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Buy, 110, 5, {.trigger = 105, .stop = StopTrigger::LastTrade});
  desk.send(VenueCommand::set_limits(1, {.order_quantity = 10}, desk.time));
  const VenueCommand change{
      .id = 1, .price = 110, .quantity = 11, .trigger = 105, .account = 1, .type = VC::Modify};
  EXPECT_EQ(desk.send(change).risk, RiskStatus::QuantityLimit);
  EXPECT_EQ(desk.venue.stops().find(1)->quantity, 5u);
}

TEST(VenueStops, TellThatTheirOrderWasRefused) {
  VenueDesk desk;
  desk.limit(2, 2, Side::Buy, 120, 5, stop_at(100, VC::AddLimit));
  desk.send({.price = 50, .trigger = 110, .type = VC::SetBands});
  trade_at(desk, 100);
  EXPECT_EQ(desk.reports[2].kind, VK::Fired);
  EXPECT_EQ(desk.reports[2].status, VenueStatus::OutsideBands);
  EXPECT_EQ(desk.reports.back().status, VenueStatus::Success);
  EXPECT_EQ(desk.open(2), 0u);
}

TEST(VenueStops, AreNoSecondMessage) {
  VenueDesk desk;
  trade_at(desk, 100);
  AccountLimits limits;
  limits.message_burst = 1;
  limits.message_interval = 1'000;
  desk.send(VenueCommand::set_limits(2, limits, 0));
  desk.limit(2, 2, Side::Buy, 99, 1, stop_at(100, VC::AddLimit));
  EXPECT_EQ(desk.open(2), 1u);
  EXPECT_EQ(desk.limit(2, 3, Side::Buy, 99, 1, stop_at(100, VC::AddLimit)).risk, RiskStatus::TooManyMessages);
}

// ---- Lifetimes.

TEST(VenueLifetimes, EndInOrderOfTimeThenArrival) {
  VenueDesk desk;
  const auto until = [](Nanoseconds time) {
    return VenueCommand{.expiry = time, .lifetime = Lifetime::UntilTime};
  };
  desk.limit(1, 1, Side::Buy, 90, 5, until(200));
  desk.limit(1, 2, Side::Buy, 91, 5, until(100));
  desk.limit(2, 3, Side::Buy, 92, 5, until(100));
  EXPECT_EQ(desk.limit(2, 4, Side::Buy, 92, 5, until(3)).status, VenueStatus::ExpiryPassed);
  VenueCommand stop = until(150);
  stop.type = VC::AddMarket;
  stop.stop = last;
  stop.trigger = 120;
  desk.limit(2, 5, Side::Buy, 0, 5, stop);
  desk.send({.time = 99, .type = VC::Advance});
  EXPECT_EQ(desk.told(), "Done");
  desk.send({.time = 199, .type = VC::Advance});
  EXPECT_EQ(desk.told(), "Deleted 2 5@91 Expired, Deleted 3 5@92 Expired, Deleted 5 5@120 Expired, Done");
  desk.send({.time = 199, .type = VC::Advance});
  EXPECT_EQ(desk.told(), "Done");
  EXPECT_EQ(desk.venue.risk().open_count(2), 0u);
  desk.send({.time = 200, .type = VC::Advance});
  EXPECT_EQ(desk.told(), "Deleted 1 5@90 Expired, Done");
}

TEST(VenueLifetimes, OfADayEndWhenTheBookCloses) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Buy, 90, 5, {.lifetime = Lifetime::Day});
  desk.limit(1, 2, Side::Buy, 91, 5);
  desk.limit(1, 3, Side::Buy, 92, 5, {.book = 1, .lifetime = Lifetime::Day});
  desk.phase(Phase::Closed, 0);
  EXPECT_EQ(desk.told(), "PhaseChanged 0@0, Deleted 1 5@90 Expired, Done");
  EXPECT_EQ(desk.open(3), 5u);
}

TEST(VenueLifetimes, EndWithTheirOrderAndGoOnThroughAReplace) {
  VenueDesk desk;
  const VenueCommand until{.expiry = 100, .lifetime = Lifetime::UntilTime};
  desk.limit(1, 1, Side::Buy, 90, 5, until);
  desk.send({.id = 1, .new_id = 2, .price = 91, .quantity = 4, .account = 1, .type = VC::Replace});
  EXPECT_EQ(desk.venue.lifetimes(), 1u);
  desk.limit(2, 3, Side::Sell, 91, 4);
  EXPECT_EQ(desk.venue.lifetimes(), 0u);
  desk.limit(1, 4, Side::Buy, 90, 5, until);
  desk.limit(2, 5, Side::Sell, 90, 5, until);  // it trades, and does not rest
  EXPECT_EQ(desk.venue.lifetimes(), 0u);
  for (const OrderId id : {10u, 11u, 12u}) desk.limit(1, id, Side::Buy, 90, 5, until);
  desk.cancel(1, 10);
  desk.limit(1, 13, Side::Sell, 90, 5, {.self_trade = SelfTrade::CancelBoth});
  EXPECT_EQ(desk.venue.lifetimes(), 1u);
  desk.send({.account = 1, .type = VC::Kill});
  EXPECT_EQ(desk.venue.lifetimes(), 0u);
  for (const OrderId id : {20u, 21u, 22u, 23u}) desk.limit(2, id, Side::Buy, 90, 5, until);
  EXPECT_EQ(desk.limit(2, 24, Side::Buy, 90, 5, until).status, VenueStatus::NoRoomForExpiry);
  EXPECT_EQ(desk.limit(2, 24, Side::Buy, 90, 5).status, VenueStatus::Success);
  // What trades at once needs no room; nor does what does not rest.
  EXPECT_EQ(desk.limit(1, 25, Side::Sell, 91, 5, until).status, VenueStatus::NoRoomForExpiry);
  desk.limit(2, 30, Side::Buy, 95, 5);
  EXPECT_EQ(desk.limit(3, 31, Side::Sell, 95, 5, {.lifetime = Lifetime::Day}).quantity, 5u);
  desk.limit(2, 30, Side::Buy, 95, 5);
  VenueCommand at_once = until;
  at_once.time_in_force = ioc;
  EXPECT_EQ(desk.limit(3, 31, Side::Sell, 96, 5, at_once).cancelled, 5u);
  desk.limit(3, 31, Side::Sell, 95, 7, until);
  EXPECT_EQ(desk.told(), "Executed 31x30 5@95, Added 31 2@95, Deleted 31 2@95 NoRoom, Done");
  EXPECT_EQ(desk.reports.back().cancelled, 2u);
  EXPECT_EQ(desk.reports.back().remaining, 0u);
  EXPECT_EQ(desk.venue.lifetimes(), 4u);
  // Where it takes the last lots of those that have a lifetime, it has the room of one.
  desk.limit(3, 32, Side::Sell, 90, 27, until);
  EXPECT_EQ(desk.open(32), 2u);
  EXPECT_EQ(desk.venue.lifetimes(), 1u);
  desk.cancel(3, 32);
  for (const OrderId id : {21u, 22u, 23u}) desk.limit(2, id, Side::Buy, 90, 5, until);
  desk.limit(2, 24, Side::Buy, 90, 5);
  desk.limit(2, 20, Side::Buy, 90, 5, until);
  desk.send({.id = 20, .price = 90, .quantity = 1, .account = 2, .type = VC::Modify, .time_in_force = ioc});
  EXPECT_EQ(desk.venue.lifetimes(), 3u);
  desk.send({.time = 100, .type = VC::Advance});
  EXPECT_EQ(desk.open(24), 5u);
  EXPECT_EQ(desk.venue.risk().open_count(2), 1u);
}

TEST(VenueLifetimes, OfAStopGoOnWhenItHasFired) {
  VenueDesk desk;
  trade_at(desk, 100);
  VenueCommand stop = stop_at(100, VC::AddLimit);
  stop.expiry = 50;
  stop.lifetime = Lifetime::UntilTime;
  desk.limit(2, 2, Side::Buy, 99, 1, stop);
  EXPECT_EQ(desk.open(2), 1u);
  EXPECT_EQ(desk.venue.lifetimes(), 1u);
  desk.send({.time = 50, .type = VC::Advance});
  EXPECT_EQ(desk.told(), "Deleted 2 1@99 Expired, Done");
}

TEST(VenueLifetimes, CountFromTheTimeOfAnAdvanceThatIsDue) {
  VenueDesk desk;
  desk.phase(Phase::PreOpen, 0);
  desk.send({.expiry = 500, .type = VC::Schedule, .phase = Phase::Continuous});
  desk.limit(1, 1, Side::Sell, 100, 1);
  desk.limit(2, 2, Side::Buy, 100, 1);
  VenueCommand stop = stop_at(100, VC::AddLimit);
  stop.expiry = 700;
  stop.lifetime = Lifetime::UntilTime;
  desk.limit(3, 3, Side::Buy, 99, 5, stop);
  desk.send({.time = 1'000, .type = VC::Advance});
  EXPECT_EQ(desk.told(),
            "Executed 2x1 1@100, Uncrossed 1@100, PhaseChanged 0@0, Triggered 3 5@100, Added 3 5@99, Fired 3 0@0, "
            "Deleted 3 5@99 Expired, Done");
  std::vector<Nanoseconds> times;
  for (const VenueReport& report : desk.reports) times.push_back(report.time);
  EXPECT_EQ(times, (std::vector<Nanoseconds>{500, 500, 500, 500, 500, 500, 700, 1'000}));
  EXPECT_EQ(desk.venue.now(), 1'000u);
}

TEST(VenueLifetimes, ThatAreDueBeforeNowEndNow) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Sell, 100, 1, {.expiry = 500, .lifetime = Lifetime::UntilTime});
  desk.limit(1, 2, Side::Sell, 101, 1, {.time = 600});
  desk.send({.time = 700, .type = VC::Advance});
  EXPECT_EQ(desk.told(), "Deleted 1 1@100 Expired, Done");
  EXPECT_EQ(desk.reports[0].time, 600u);
}

TEST(VenueLifetimes, EndBeforeThePhaseOfTheirTime) {
  VenueDesk desk;
  desk.send({.expiry = 100, .type = VC::Schedule, .phase = Phase::Closed});
  desk.limit(1, 1, Side::Buy, 90, 5, {.lifetime = Lifetime::Day});
  desk.limit(1, 2, Side::Buy, 90, 5, {.expiry = 100, .lifetime = Lifetime::UntilTime});
  desk.limit(1, 3, Side::Buy, 90, 5, {.expiry = 101, .lifetime = Lifetime::UntilTime});
  desk.send({.time = 200, .type = VC::Advance});
  EXPECT_EQ(desk.told(),
            "Deleted 2 5@90 Expired, PhaseChanged 0@0, Deleted 1 5@90 Expired, PhaseChanged 0@0, "
            "Deleted 3 5@90 Expired, Done");
}

}  // namespace
}  // namespace llmes::test::venue_waiting_test
