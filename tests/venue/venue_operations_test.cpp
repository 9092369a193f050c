// SPDX-License-Identifier: MIT
//
// Phases, halts, reference data, bands and busts of a venue.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/venue_desk.hpp"

namespace llmes::test::venue_operations_test {
namespace {

constexpr auto ioc = TimeInForce::ImmediateOrCancel;
constexpr Price lowest = std::numeric_limits<Price>::min();
constexpr Price highest = std::numeric_limits<Price>::max();

// ---- Phases.

TEST(VenuePhases, CollectOrdersThatMayRest) {
  VenueDesk desk;
  desk.phase(Phase::PreOpen, 0);
  EXPECT_EQ(desk.told(), "PhaseChanged 0@0, Done");
  EXPECT_EQ(desk.reports[0].phase, Phase::PreOpen);
  desk.limit(1, 1, Side::Sell, 100, 5);
  desk.limit(2, 2, Side::Buy, 110, 5);
  EXPECT_EQ(desk.told(), "Added 2 5@110, Done");  // and the book is crossed
  EXPECT_EQ(desk.limit(2, 3, Side::Buy, 110, 5, {.time_in_force = ioc}).status, VenueStatus::NotInAuction);
  EXPECT_EQ(desk.limit(2, 3, Side::Buy, 110, 5, {.time_in_force = TimeInForce::PostOnly}).status,
            VenueStatus::NotInAuction);
  EXPECT_EQ(desk.limit(2, 3, Side::Buy, 110, 5, {.type = VC::AddMarket}).status, VenueStatus::NotInAuction);
  EXPECT_EQ(desk.limit(2, 3, Side::Buy, 110, 5, {.type = VC::AddProtected, .time_in_force = ioc}).status,
            VenueStatus::NotInAuction);
  desk.send({.id = 2, .price = 105, .quantity = 6, .account = 2, .type = VC::Modify});
  EXPECT_EQ(desk.told(), "Replaced 2x2 6@105, Done");
  desk.send({.id = 2, .new_id = 4, .price = 104, .quantity = 6, .account = 2, .type = VC::Replace});
  EXPECT_EQ(desk.told(), "Replaced 4x2 6@104, Done");
  EXPECT_EQ(desk.send({.id = 4, .price = 1, .quantity = 1, .account = 2, .type = VC::Modify, .time_in_force = ioc})
                .status,
            VenueStatus::NotInAuction);
  desk.cancel(2, 4);
  EXPECT_EQ(desk.told(), "Deleted 4 6@104 Asked, Done");
  // The other book goes on.
  desk.limit(1, 5, Side::Sell, 100, 5, {.book = 1});
  desk.limit(2, 6, Side::Buy, 100, 5, {.book = 1, .time_in_force = ioc});
  EXPECT_EQ(desk.told(), "Executed 6x5 5@100, Done");
}

TEST(VenuePhases, ClosedAndHaltedBooksLetOrdersLeaveAlone) {
  for (const bool halts : {false, true}) {
    VenueDesk desk;
    for (OrderId id = 1; id <= 4; ++id) desk.limit(1, id, Side::Buy, 90, 5);
    const VenueStatus why = halts ? VenueStatus::Halted : VenueStatus::Closed;
    if (halts) {
      desk.send({.type = VC::Halt});
      EXPECT_EQ(desk.told(), "Halted 0@0, Done");
      desk.send({.type = VC::Halt});
      EXPECT_EQ(desk.told(), "Done");
    } else {
      desk.phase(Phase::Closed);
    }
    const auto before = desk.bytes();
    EXPECT_EQ(desk.limit(2, 9, Side::Sell, 90, 5).status, why);
    EXPECT_EQ(desk.limit(2, 9, Side::Sell, 90, 5, {.type = VC::AddMarket}).status, why);
    EXPECT_EQ(desk.limit(2, 9, Side::Sell, 90, 5, {.type = VC::AddProtected}).status, why);
    EXPECT_EQ(desk.send({.id = 1, .price = 91, .quantity = 1, .account = 1, .type = VC::Modify}).status, why);
    EXPECT_EQ(
        desk.send({.id = 1, .new_id = 9, .price = 91, .quantity = 1, .account = 1, .type = VC::Replace}).status,
        why);
    EXPECT_EQ(desk.bytes(), before);
    EXPECT_EQ(desk.venue.book().book(0)->best_bid(), 90) << "queries stay";
    EXPECT_EQ(desk.send({.type = VC::ShowIndicative}).status, VenueStatus::Success);
    EXPECT_EQ(desk.cancel(1, 1).status, VenueStatus::Success);
    EXPECT_EQ(desk.send({.id = 2, .quantity = 1, .account = 1, .type = VC::Reduce}).status, VenueStatus::Success);
    EXPECT_EQ(desk.send({.account = 1, .type = VC::Kill}).status, VenueStatus::Success);
    EXPECT_EQ(desk.open(3), 0u);
    if (halts) {
      desk.send({.type = VC::Resume});
      EXPECT_EQ(desk.told(), "Resumed 0@0, Done");
    } else {
      desk.phase(Phase::Continuous, 0);
      EXPECT_EQ(desk.told(), "PhaseChanged 0@0, Done");
    }
    EXPECT_EQ(desk.limit(2, 9, Side::Sell, 90, 5).status, VenueStatus::Success);
  }
}

TEST(VenuePhases, ComeByTheClockInOrderOfTime) {
  VenueDesk desk;
  desk.phase(Phase::Closed);
  const auto at = [](Phase phase, Nanoseconds time) {
    return VenueCommand{.expiry = time, .type = VC::Schedule, .phase = phase};
  };
  EXPECT_EQ(desk.send(at(Phase::PreOpen, 2)).status, VenueStatus::ExpiryPassed);
  EXPECT_EQ(desk.send(at(static_cast<Phase>(5), 200)).status, VenueStatus::InvalidCommand);
  desk.send(at(Phase::Continuous, 200));
  desk.send(at(Phase::PreOpen, 100));
  desk.send(at(Phase::Closed, 300));
  const auto advance = [&](Nanoseconds time) {
    desk.send({.time = time, .type = VC::Advance});
    std::vector<Phase> phases;
    for (const VenueReport& report : desk.reports) {
      if (report.kind == VK::PhaseChanged && report.book == 1) phases.push_back(report.phase);
    }
    return phases;
  };
  EXPECT_EQ(advance(99), std::vector<Phase>{});
  EXPECT_EQ(advance(250), (std::vector{Phase::PreOpen, Phase::Continuous}));
  EXPECT_EQ(advance(250), std::vector<Phase>{});
  EXPECT_EQ(advance(300), std::vector{Phase::Closed});
  EXPECT_EQ(advance(1'000), std::vector<Phase>{});
}

TEST(VenuePhases, OfOneTimeComeInTheirOrder) {
  VenueDesk desk;
  for (const Phase phase : {Phase::Closed, Phase::PreOpen}) {
    EXPECT_EQ(desk.send({.expiry = 60, .type = VC::Schedule, .phase = phase}).status, VenueStatus::Success);
  }
  desk.send({.time = desk.time = 60, .type = VC::Advance});
  EXPECT_EQ(desk.venue.symbol(0)->phase, Phase::Closed);
}

TEST(VenueTime, NeverGoesBack) {
  VenueDesk desk;
  desk.send({.time = 50, .type = VC::Advance});
  const auto before = desk.bytes();
  EXPECT_EQ(desk.send({.time = 49, .type = VC::Advance}).status, VenueStatus::TimeWentBack);
  EXPECT_EQ(desk.limit(1, 1, Side::Buy, 90, 5, {.time = 49}).status, VenueStatus::TimeWentBack);
  EXPECT_EQ(desk.bytes(), before);
  EXPECT_EQ(desk.limit(1, 1, Side::Buy, 90, 5, {.time = 50}).status, VenueStatus::Success);
  EXPECT_EQ(desk.venue.now(), 50u);
}

// ---- Reference data.

TEST(VenueSymbols, HaveLotsAndTicksThatChangeWhileClosed) {
  VenueDesk desk;
  const VenueCommand lot{.id = 7, .new_id = 8, .quantity = 10, .type = VC::SetSymbol};
  const VenueCommand from_100{.price = 100, .quantity = 5, .type = VC::SetTick};
  EXPECT_EQ(desk.send(lot).status, VenueStatus::NotWhileOpen);
  EXPECT_EQ(desk.send(from_100).status, VenueStatus::NotWhileOpen);
  desk.phase(Phase::Closed);
  EXPECT_EQ(desk.send({.type = VC::SetSymbol}).status, VenueStatus::InvalidValue);
  EXPECT_EQ(desk.send(lot).status, VenueStatus::Success);
  EXPECT_EQ(desk.send(from_100).status, VenueStatus::Success);
  EXPECT_EQ(desk.venue.symbol(0)->name, 7u);
  EXPECT_EQ(desk.venue.symbol(0)->currency, 8u);
  EXPECT_EQ(desk.venue.symbol(2), std::nullopt);
  desk.phase(Phase::Continuous);
  EXPECT_EQ(desk.limit(1, 1, Side::Buy, 99, 15).status, VenueStatus::OffLot);
  EXPECT_EQ(desk.limit(1, 1, Side::Buy, 101, 20).status, VenueStatus::OffTick);
  EXPECT_EQ(desk.limit(1, 1, Side::Buy, 99, 20).status, VenueStatus::Success);
  EXPECT_EQ(desk.send({.id = 1, .price = 101, .quantity = 20, .account = 1, .type = VC::Modify}).status,
            VenueStatus::OffTick);
  EXPECT_EQ(desk.send({.id = 1, .price = 99, .quantity = 12, .account = 1, .type = VC::Modify}).status,
            VenueStatus::OffLot);
  EXPECT_EQ(desk.send({.id = 1, .quantity = 2, .account = 1, .type = VC::Reduce}).status, VenueStatus::OffLot);
  EXPECT_EQ(desk.send({.id = 1, .quantity = 10, .account = 1, .type = VC::Reduce}).status, VenueStatus::Success);
  // A limit at the market is no better than protection allows, and on a tick.
  desk.limit(1, 2, Side::Sell, 105, 10);
  desk.limit(2, 3, Side::Buy, 0, 20, {.protection = 9, .type = VC::AddProtected});
  EXPECT_EQ(desk.told(), "Executed 3x2 10@105, Added 3 10@110, Done");
  // The next day has other ticks.
  desk.phase(Phase::Closed);
  desk.send({.price = 100, .quantity = 2, .type = VC::SetTick});
  desk.phase(Phase::Continuous);
  EXPECT_EQ(desk.limit(1, 4, Side::Buy, 105, 10).status, VenueStatus::OffTick);
  EXPECT_EQ(desk.limit(1, 4, Side::Buy, 108, 10).status, VenueStatus::Success);
}

TEST(VenueSymbols, HaveATableOfTicksByPrice) {
  Symbol symbol;
  for (Price from = 0; from < 8; ++from) {
    EXPECT_EQ(symbol.set_tick(-from, static_cast<Quantity>(10 + from)), VenueStatus::Success);
  }
  EXPECT_EQ(symbol.set_tick(-9, 1), VenueStatus::NoRoomForTick);
  EXPECT_EQ(symbol.set_tick(-3, 99), VenueStatus::Success);
  EXPECT_EQ(symbol.tick_at(-8), 1);
  EXPECT_EQ(symbol.tick_at(-7), 17);
  EXPECT_EQ(symbol.tick_at(-3), 99);
  EXPECT_EQ(symbol.tick_at(1'000), 10);
  EXPECT_EQ(symbol.set_tick(-3, 0), VenueStatus::Success);
  EXPECT_EQ(symbol.tick_at(-3), 14);
  EXPECT_EQ(symbol.set_tick(-3, 0), VenueStatus::Success);
  EXPECT_EQ(symbol.tick_count, 7u);
  EXPECT_EQ(symbol.set_tick(0, std::numeric_limits<Quantity>::max()), VenueStatus::InvalidValue);

  Symbol fives;
  EXPECT_EQ(fives.set_tick(lowest, 5), VenueStatus::Success);
  EXPECT_EQ(fives.on_tick(Side::Buy, 12), 10);
  EXPECT_EQ(fives.on_tick(Side::Sell, 12), 15);
  EXPECT_EQ(fives.on_tick(Side::Buy, -12), -15);
  EXPECT_EQ(fives.on_tick(Side::Sell, -12), -10);
  EXPECT_EQ(fives.on_tick(Side::Buy, -10), -10);
  EXPECT_EQ(fives.on_tick(Side::Sell, highest), std::nullopt) << "it would not fit";

  Symbol rows;  // multiples of 5 below 97, of 2 below 101, then of 10
  EXPECT_EQ(rows.set_tick(0, 5), VenueStatus::Success);
  EXPECT_EQ(rows.set_tick(97, 2), VenueStatus::Success);
  EXPECT_EQ(rows.set_tick(101, 10), VenueStatus::Success);
  EXPECT_EQ(rows.on_tick(Side::Buy, 97), 95) << "96 is none of its row";
  EXPECT_EQ(rows.on_tick(Side::Sell, 96), 98);
  EXPECT_EQ(rows.on_tick(Side::Sell, 100), 100);
  EXPECT_EQ(rows.on_tick(Side::Buy, 109), 100);
  EXPECT_EQ(rows.on_tick(Side::Sell, 101), 110);
}

// A coarse table, and orders whose auction would be between two of its ticks.
class VenueAuctionOnTicks : public ::testing::Test {
 protected:
  void open(Quantity tick, Price reference) {
    desk.phase(Phase::Closed);
    desk.send({.price = lowest, .quantity = tick, .type = VC::SetTick});
    desk.send({.price = reference, .type = VC::SetReference});
    desk.phase(Phase::PreOpen);
  }
  /// Opens with a buy and a sell that came while each price was a tick.
  void open_with(Price buy, Price sell, Quantity tick, Quantity lots = 10) {
    desk.phase(Phase::PreOpen);
    desk.limit(1, 1, Side::Buy, buy, lots);
    desk.limit(2, 2, Side::Sell, sell, lots);
    desk.send({.type = VC::Halt});  // or the close would let them trade
    open(tick, 103);
    desk.send({.type = VC::Resume});
  }
  /// What the auction does: its price, lots, and the imbalance, which is negative for sells.
  std::vector<std::int64_t> uncross(bool on_tick = true) {
    desk.phase(Phase::Continuous, 0);
    for (const VenueReport& report : desk.reports) {
      if (report.kind == VK::Executed) {
        EXPECT_EQ(report.price % static_cast<Price>(desk.venue.symbol(0)->tick_at(report.price)) == 0, on_tick);
      }
      if (report.kind != VK::Uncrossed) continue;
      const auto left = static_cast<std::int64_t>(report.remaining);
      return {report.price, static_cast<std::int64_t>(report.quantity), report.side == Side::Buy ? left : -left};
    }
    return {};
  }

  VenueDesk desk;
};

TEST_F(VenueAuctionOnTicks, IsAtTheOneNearestToTheReference) {
  open(5, 103);
  desk.limit(1, 1, Side::Buy, 110, 10);
  desk.limit(2, 2, Side::Sell, 100, 10);
  EXPECT_EQ(uncross(), (std::vector<std::int64_t>{105, 10, 0}));
}
TEST_F(VenueAuctionOnTicks, IsAtTheLowerOneOfTwoThatAreEquallyNear) {
  open(4, 102);
  desk.limit(1, 1, Side::Buy, 108, 10);
  desk.limit(2, 2, Side::Sell, 96, 10);
  EXPECT_EQ(uncross(), (std::vector<std::int64_t>{100, 10, 0}));
}
TEST_F(VenueAuctionOnTicks, IsWhereLessIsLeftOver) {
  open(5, 103);
  desk.limit(1, 1, Side::Buy, 105, 10);
  desk.limit(2, 2, Side::Sell, 100, 10);
  desk.limit(1, 3, Side::Buy, 100, 4);
  desk.limit(2, 4, Side::Sell, 105, 6);
  EXPECT_EQ(uncross(), (std::vector<std::int64_t>{100, 10, 4}));
  desk.phase(Phase::PreOpen);  // 4 to buy at 100 and 6 to sell at 105 are left
  desk.limit(1, 5, Side::Buy, 105, 10);
  desk.limit(2, 6, Side::Sell, 100, 10);
  desk.limit(1, 7, Side::Buy, 100, 9);
  EXPECT_EQ(uncross(), (std::vector<std::int64_t>{105, 10, -6}));
}
TEST_F(VenueAuctionOnTicks, IsTheUpperOneIfLessTradesAtTheLowerOne) {
  open_with(105, 101, 5);
  EXPECT_EQ(uncross(), (std::vector<std::int64_t>{105, 10, 0}));
}
TEST_F(VenueAuctionOnTicks, IsTheLowerOneIfLessTradesAtTheUpperOne) {
  open_with(104, 100, 5);
  EXPECT_EQ(uncross(), (std::vector<std::int64_t>{100, 10, 0}));
}
TEST_F(VenueAuctionOnTicks, IsBetweenThemIfLessTradesAtBoth) {
  open_with(103, 102, 5);
  EXPECT_EQ(uncross(false), (std::vector<std::int64_t>{103, 10, 0})) << "or the book would trade on crossed";
}
TEST_F(VenueAuctionOnTicks, IsBetweenThemIfTheNextOneDoesNotFit) {
  constexpr Price high = Price{1} << 62;
  open_with(high + 10, high + 5, static_cast<Quantity>(high) + 1, 1);
  EXPECT_EQ(uncross(false), (std::vector<std::int64_t>{high + 5, 1, 0}));
}

TEST(VenueBands, HoldOrdersAndTakeOffWhatRestsOutside) {
  VenueDesk desk;
  for (const Price price : {80, 90, 100}) desk.limit(1, static_cast<OrderId>(price), Side::Buy, price, 1);
  desk.limit(1, 130, Side::Sell, 130, 1, {.book = 1});
  desk.limit(1, 131, Side::Sell, 131, 1);
  EXPECT_EQ(desk.send({.price = 90, .trigger = 89, .type = VC::SetBands}).status, VenueStatus::InvalidValue);
  desk.send({.price = 90, .trigger = 120, .type = VC::SetBands});
  EXPECT_EQ(desk.told(), "Deleted 80 1@80 OutsideBands, Deleted 131 1@131 OutsideBands, Done");
  EXPECT_EQ(desk.venue.risk().open_count(1), 3u);
  EXPECT_EQ(desk.limit(2, 1, Side::Buy, 89, 1).status, VenueStatus::OutsideBands);
  EXPECT_EQ(desk.limit(2, 1, Side::Sell, 121, 1).status, VenueStatus::OutsideBands);
  EXPECT_EQ(desk.send({.id = 90, .price = 121, .quantity = 1, .account = 1, .type = VC::Modify}).status,
            VenueStatus::OutsideBands);
  desk.limit(2, 1, Side::Sell, 120, 1);
  desk.limit(3, 2, Side::Buy, 0, 2, {.protection = 50, .type = VC::AddProtected});
  EXPECT_EQ(desk.told(), "Executed 2x1 1@120, Added 2 1@120, Done");
  desk.send({.price = lowest, .trigger = highest, .type = VC::SetBands});
  EXPECT_EQ(desk.told(), "Done");
  EXPECT_EQ(desk.limit(2, 9, Side::Buy, 1, 1).status, VenueStatus::Success);
}

TEST(VenueSymbols, GiveTheRiskStageItsReference) {
  VenueDesk desk;
  desk.send(VenueCommand::set_limits(1, {.collar_low = -5, .collar_high = 5}, 0));
  EXPECT_EQ(desk.limit(1, 1, Side::Buy, 100, 1).risk, RiskStatus::NoReference);
  EXPECT_EQ(desk.send({.price = 100, .book = 2, .type = VC::SetReference}).status, VenueStatus::UnknownBook);
  desk.send({.price = 100, .type = VC::SetReference});
  EXPECT_EQ(desk.limit(1, 1, Side::Buy, 106, 1).risk, RiskStatus::OutsideCollar);
  EXPECT_EQ(desk.limit(1, 1, Side::Buy, 105, 1).status, VenueStatus::Success);
}

TEST(VenueSymbols, GiveTheRiskStageTheirBestPricesUntilTheyTrade) {
  VenueDesk desk;
  desk.send(VenueCommand::set_limits(1, {.collar_low = -5, .collar_high = 5}, 0));
  desk.send({.price = 100, .type = VC::SetReference});
  const auto buys_at = [&](Price price) { return desk.limit(1, 9, Side::Buy, price, 1).risk; };
  desk.limit(2, 1, Side::Sell, 300, 4);
  EXPECT_EQ(buys_at(100), RiskStatus::OutsideCollar);
  EXPECT_EQ(desk.limit(1, 2, Side::Sell, 100, 1).status, VenueStatus::Success);  // nobody buys yet
  desk.send({.id = 2, .account = 1, .type = VC::Cancel});
  EXPECT_EQ(buys_at(294), RiskStatus::OutsideCollar);
  EXPECT_EQ(buys_at(295), RiskStatus::Success);
  desk.send({.id = 9, .account = 1, .type = VC::Cancel});
  desk.send({.price = 0, .trigger = 299, .type = VC::SetBands});  // the best price leaves
  EXPECT_EQ(buys_at(295), RiskStatus::OutsideCollar);
  EXPECT_EQ(buys_at(105), RiskStatus::Success);
  desk.limit(2, 3, Side::Sell, 105, 1);
  desk.limit(2, 4, Side::Sell, 200, 1);
  EXPECT_EQ(buys_at(200), RiskStatus::OutsideCollar);  // the last trade comes first
}

TEST(VenueSymbols, GiveTheRiskStageTheBestPricesOfAFiredStop) {
  VenueDesk desk;
  desk.send(VenueCommand::set_limits(1, {.collar_low = -5, .collar_high = 5}, 0));
  desk.limit(1, 1, Side::Buy, 297, 1, {.trigger = 250, .stop = StopTrigger::OppositeBest});
  desk.limit(2, 2, Side::Sell, 300, 1, {.trigger = 200, .stop = StopTrigger::OppositeBest});
  desk.limit(3, 3, Side::Buy, 200, 1);
  EXPECT_EQ(desk.told(),
            "Added 3 1@200, Triggered 2 1@200, Added 2 1@300, Fired 2 0@0, "
            "Triggered 1 1@250, Added 1 1@297, Fired 1 0@0, Done");
}

TEST(VenueSymbols, GiveTheRiskStageTheBestPricesAfterALinkedCancel) {
  VenueDesk desk;
  desk.send(VenueCommand::set_limits(1, {.collar_low = -5, .collar_high = 5}, 0));
  const LinkRole pair = LinkRole::OneCancelsOther;
  desk.limit(2, 1, Side::Sell, 300, 1, {.link = 7, .link_role = pair});
  desk.limit(2, 2, Side::Sell, 100, 1, {.link = 7, .book = 1, .link_role = pair});
  desk.limit(3, 3, Side::Sell, 310, 1);
  desk.limit(1, 4, Side::Buy, 306, 1, {.trigger = 305, .stop = StopTrigger::OppositeBest});
  desk.limit(3, 5, Side::Buy, 100, 1, {.book = 1});
  EXPECT_EQ(desk.told(),
            "Executed 5x2 1@100, Deleted 1 1@300 Linked, Triggered 4 1@305, Added 4 1@306, Fired 4 0@0, Done");
}

TEST(VenueAccounts, PayInAndOut) {
  VenueDesk desk;
  AccountLimits limits;
  limits.credit = 0;
  desk.send(VenueCommand::set_limits(1, limits, 0));
  EXPECT_EQ(desk.limit(1, 1, Side::Buy, 100, 1).risk, RiskStatus::CashLimit);
  EXPECT_EQ(desk.send({.price = 200'000'000, .account = 1, .type = VC::Pay}).status, VenueStatus::Success);
  EXPECT_EQ(desk.limit(1, 1, Side::Buy, 100, 1).status, VenueStatus::Success);
  EXPECT_EQ(desk.send({.price = -200'000'000, .account = 1, .type = VC::Pay}).risk, RiskStatus::CashLimit);
  EXPECT_EQ(desk.send({.price = 1, .account = 0, .type = VC::Pay}).risk, RiskStatus::UnknownAccount);
  limits.message_burst = 0;
  EXPECT_EQ(desk.send(VenueCommand::set_limits(1, limits, 0)).risk, RiskStatus::InvalidLimit);
}

TEST(VenueAccounts, HaveTheLimitsOfTheCommand) {
  AccountLimits limits;
  limits.order_quantity = 11;
  limits.order_notional = 12;
  limits.open_orders = 13;
  limits.open_quantity = 14;
  limits.position_min = -15;
  limits.position_max = 16;
  limits.collar_low = -17;
  limits.collar_high = 18;
  limits.credit = 19;
  limits.message_burst = 20;
  limits.message_interval = 21;
  limits.cancel_on_disconnect = true;
  const AccountLimits same = VenueCommand::set_limits(1, limits, 0).limits();
  EXPECT_EQ(same.order_quantity, 11u);
  EXPECT_EQ(same.order_notional, 12);
  EXPECT_EQ(same.open_orders, 13u);
  EXPECT_EQ(same.open_quantity, 14u);
  EXPECT_EQ(same.position_min, -15);
  EXPECT_EQ(same.position_max, 16);
  EXPECT_EQ(same.collar_low, -17);
  EXPECT_EQ(same.collar_high, 18);
  EXPECT_EQ(same.credit, 19);
  EXPECT_EQ(same.message_burst, 20u);
  EXPECT_EQ(same.message_interval, 21u);
  EXPECT_TRUE(same.cancel_on_disconnect);
}

// ---- Busts.

TEST(VenueBusts, UndoPositionsAndCash) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Sell, 100, 5);
  desk.limit(2, 2, Side::Buy, 100, 3);
  desk.limit(2, 3, Side::Buy, 100, 2);
  EXPECT_EQ(desk.send({.id = 2, .type = VC::Bust}).status, VenueStatus::Success);
  EXPECT_EQ(desk.told(), "Busted 2@100, Done");
  EXPECT_EQ(desk.reports[0].match, 2u);
  EXPECT_EQ(desk.reports[0].account, 2u);
  EXPECT_EQ(desk.reports[0].other_account, 1u);
  const Accounts& accounts = desk.venue.risk().accounts();
  EXPECT_EQ(accounts.holding(1, 0).position, -3);
  EXPECT_EQ(accounts.holding(2, 0).position, 3);
  EXPECT_EQ(accounts.cash(1), 300 * micro_units + 6);
  EXPECT_EQ(accounts.cash(2), -300 * micro_units - 9);
  EXPECT_EQ(accounts.fees(2), 9);
  EXPECT_EQ(accounts.venue_cash(), 3);
  const auto before = desk.bytes();
  EXPECT_EQ(desk.send({.id = 2, .type = VC::Bust}).status, VenueStatus::AlreadyBusted);
  EXPECT_EQ(desk.send({.id = 3, .type = VC::Bust}).status, VenueStatus::UnknownMatch);
  EXPECT_EQ(desk.send({.id = 0, .type = VC::Bust}).status, VenueStatus::UnknownMatch);
  EXPECT_EQ(desk.bytes(), before);
  EXPECT_EQ(desk.send({.id = 1, .type = VC::Bust}).status, VenueStatus::Success);
  EXPECT_EQ(accounts.holding(1, 0).position, 0);
  EXPECT_EQ(accounts.cash(1), 0);
  EXPECT_EQ(accounts.cash(2), 0);
  EXPECT_EQ(accounts.venue_cash(), 0);
}

TEST(VenueBusts, AreRefusedIfAPositionWouldNotFit) {
  VenueDesk desk;
  constexpr Quantity many = Quantity{1} << 62;
  const auto trade = [&](AccountNumber seller, AccountNumber buyer, Quantity quantity) {
    desk.limit(seller, 1, Side::Sell, 1, quantity);
    EXPECT_EQ(desk.limit(buyer, 2, Side::Buy, 1, quantity).quantity, quantity);
  };
  trade(2, 1, many);
  trade(1, 3, 2 * many - 1);
  trade(1, 4, many);
  const auto before = desk.bytes();
  EXPECT_EQ(desk.send({.id = 1, .type = VC::Bust}).risk, RiskStatus::PositionOverflow);
  EXPECT_EQ(desk.bytes(), before);
}

TEST(VenueBusts, KnowTheLatestTradesAlone) {
  VenueDesk desk;
  for (OrderId id = 1; id <= 9; ++id) {
    desk.limit(1, id, Side::Sell, 100, 1);
    desk.limit(2, 20 + id, Side::Buy, 100, 1);
  }
  EXPECT_EQ(desk.send({.id = 1, .type = VC::Bust}).status, VenueStatus::UnknownMatch);
  EXPECT_EQ(desk.send({.id = 2, .type = VC::Bust}).status, VenueStatus::Success);
}

TEST(VenueBusts, OfASellingTakerAndOfOneAccount) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Buy, -100, 5);
  desk.limit(2, 2, Side::Sell, -100, 5);
  desk.send({.id = 1, .type = VC::Bust});
  const Accounts& accounts = desk.venue.risk().accounts();
  EXPECT_EQ(accounts.holding(1, 0).position, 0);
  EXPECT_EQ(accounts.cash(1), 0);
  EXPECT_EQ(accounts.cash(2), 0);
  desk.limit(1, 3, Side::Buy, 7, 5);
  desk.limit(1, 4, Side::Sell, 7, 5);
  EXPECT_EQ(accounts.fees(1), 5);
  desk.send({.id = 2, .type = VC::Bust});
  EXPECT_EQ(accounts.fees(1), 0);
  EXPECT_EQ(accounts.cash(1), 0);
}

// ---- What is no command.

TEST(VenueCommands, OfNoTypeAndNoWordAreRefused) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Buy, 90, 5);
  const auto before = desk.bytes();
  for (unsigned type = 0; type < 256; ++type) {
    const bool is_one =
        type <= 5 || type == 32 || type == 64 || type == 65 ||
        (type >= static_cast<unsigned>(VC::Advance) && type <= static_cast<unsigned>(VC::ShowIndicative));
    if (is_one) continue;
    ASSERT_EQ(desk.send({.account = 1, .type = static_cast<VC>(type)}).status, VenueStatus::InvalidCommand)
        << type;
  }
  const auto odd = [&](auto set) {
    VenueCommand command{.id = 2, .price = 90, .quantity = 1, .account = 1};
    set(command);
    return desk.send(command).status;
  };
  EXPECT_EQ(odd([](VenueCommand& c) { c.stop = static_cast<StopTrigger>(3); }), VenueStatus::InvalidCommand);
  EXPECT_EQ(odd([](VenueCommand& c) { c.lifetime = static_cast<Lifetime>(3); }), VenueStatus::InvalidCommand);
  EXPECT_EQ(odd([](VenueCommand& c) { c.link_role = static_cast<LinkRole>(4); }), VenueStatus::InvalidCommand);
  EXPECT_EQ(odd([](VenueCommand& c) { c.effect = static_cast<PositionEffect>(2); }), VenueStatus::InvalidCommand);
  EXPECT_EQ(odd([](VenueCommand& c) {
              c.type = VC::Modify;
              c.id = 1;
              c.effect = static_cast<PositionEffect>(2);
            }),
            VenueStatus::InvalidCommand);
  EXPECT_EQ(desk.bytes(), before);
  for (const VC type :
       {VC::Halt, VC::Resume, VC::SetPhase, VC::SetSymbol, VC::SetTick, VC::SetBands, VC::ShowIndicative}) {
    EXPECT_EQ(desk.send({.book = 2, .type = type}).status, VenueStatus::UnknownBook);
  }
  VenueCommand scope{.book = 2, .type = VC::MassCancel, .side = VenueCommand::both_sides};
  EXPECT_EQ(desk.send(scope).status, VenueStatus::UnknownBook);
  scope.book = 1;
  scope.side = static_cast<Side>(2);
  EXPECT_EQ(desk.send(scope).status, VenueStatus::InvalidCommand);
  scope.side = Side::Buy;
  scope.price = 1;  // above the trigger, at which the range ends
  EXPECT_EQ(desk.send(scope).status, VenueStatus::InvalidCommand);
  EXPECT_EQ(desk.bytes(), before);
}

TEST(VenueCommands, NeedAVenueThatCanBeMade) {
  CreateStatus status{};
  VenueConfig config = small_venue();
  config.matches = 0;
  EXPECT_EQ(Venue<>::create(config, status), std::nullopt);
  EXPECT_EQ(status, CreateStatus::InvalidCapacity);
  for (std::size_t VenueConfig::*const size :
       {&VenueConfig::stops, &VenueConfig::lifetimes, &VenueConfig::links}) {
    config = small_venue();
    config.*size = 0;
    EXPECT_EQ(Venue<>::create(config, status), std::nullopt);
    EXPECT_EQ(status, CreateStatus::InvalidCapacity);
  }
  config = small_venue();
  config.first_phase = static_cast<Phase>(5);
  EXPECT_EQ(Venue<>::create(config, status), std::nullopt);
  EXPECT_EQ(status, CreateStatus::InvalidMode);
  for (const unsigned mode : {1u, 2u, 3u, 5u}) {
    config = small_venue();
    config.auction_self_trade = static_cast<SelfTrade>(mode);
    EXPECT_EQ(Venue<>::create(config, status), std::nullopt) << mode;
    EXPECT_EQ(status, CreateStatus::InvalidMode);
  }
  config = small_venue();
  config.accounts = 0;
  EXPECT_EQ(Venue<>::create(config), std::nullopt);
  config = small_venue();
  config.books.max_books = 0;
  EXPECT_EQ(Venue<>::create(config, status), std::nullopt);
  EXPECT_EQ(status, CreateStatus::InvalidBookCount);
}

TEST(VenueCommands, NeedBooksThatAreEmptyAndAsTheConfigSays) {
  const VenueConfig config = small_venue();
  const auto status_with = [&](BookSetConfig books, int added) {
    VenueBook book = *VenueBook::create(books, {});
    for (int i = 0; i < added; ++i) (void)book.add_book();
    CreateStatus status{};
    const bool made = Venue<>::create(config, std::move(book), status).has_value();
    EXPECT_EQ(made, status == CreateStatus::Success);
    return status;
  };
  EXPECT_EQ(status_with(config.books, 0), CreateStatus::Success);
  EXPECT_EQ(status_with(config.books, 1), CreateStatus::InvalidCapacity);
  BookSetConfig other = config.books;
  ++other.max_books;
  EXPECT_EQ(status_with(other, 0), CreateStatus::InvalidCapacity);
  other = config.books;
  ++other.capacity;
  EXPECT_EQ(status_with(other, 0), CreateStatus::InvalidCapacity);
}

}  // namespace
}  // namespace llmes::test::venue_operations_test
