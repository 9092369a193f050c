// SPDX-License-Identifier: MIT
//
// What a venue does with the orders of accounts, and what it reports of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <sstream>
#include <string>

#include "tests/support/venue_desk.hpp"

namespace llmes::test::venue_orders_test {
namespace {

constexpr auto ioc = TimeInForce::ImmediateOrCancel;

/// The tags of an order's reports, in their order: "Added 7, Executed 7x9".
std::string tags(const VenueDesk& desk) {
  std::string text;
  for (const VenueReport& report : desk.reports) {
    if (report.kind == VK::Done) continue;
    if (!text.empty()) text += ", ";
    text += std::string(to_string(report.kind)) + ' ' + std::to_string(report.client_tag);
    if (report.other_client_tag != 0) text += 'x' + std::to_string(report.other_client_tag);
  }
  return text;
}

TEST(VenueOrders, RepeatTheTagOfTheirClient) {
  VenueDesk desk;
  EXPECT_EQ(desk.limit(1, 1, Side::Buy, 100, 9, {.client_tag = 7}).client_tag, 7u);
  EXPECT_EQ(tags(desk), "Added 7");
  desk.limit(2, 2, Side::Sell, 100, 2, {.client_tag = 4'000'000'000});
  EXPECT_EQ(tags(desk), "Executed 4000000000x7");
  desk.limit(2, 3, Side::Sell, 100, 1);
  EXPECT_EQ(tags(desk), "Executed 0x7");
  desk.send({.id = 1, .quantity = 1, .account = 1, .type = VC::Reduce});
  EXPECT_EQ(tags(desk), "Reduced 7");
  // A modify keeps it, a replace unless it has one itself.
  desk.send({.id = 1, .price = 101, .quantity = 5, .account = 1, .client_tag = 8, .type = VC::Modify});
  EXPECT_EQ(tags(desk), "Replaced 7");
  desk.send({.id = 1, .new_id = 4, .price = 102, .quantity = 5, .account = 1, .type = VC::Replace});
  EXPECT_EQ(tags(desk), "Replaced 7");
  desk.send(
      {.id = 4, .new_id = 5, .price = 101, .quantity = 5, .account = 1, .client_tag = 9, .type = VC::Replace});
  EXPECT_EQ(tags(desk), "Replaced 9");
  EXPECT_EQ(desk.venue.risk().find(desk.reports[0].handle)->client_tag, 9u);
  desk.limit(1, 6, Side::Sell, 101, 1, {.client_tag = 3, .self_trade = SelfTrade::CancelTaker});
  EXPECT_EQ(tags(desk), "Prevented 3x9");
  // One that trades as it is modified is the taker.
  desk.limit(2, 7, Side::Sell, 103, 1, {.client_tag = 2});
  desk.send({.id = 5, .price = 103, .quantity = 5, .account = 1, .type = VC::Modify});
  EXPECT_EQ(tags(desk), "Executed 9x2, Replaced 9");
  // While it waits, and as it fires.
  desk.limit(1, 8, Side::Buy, 104, 1, {.trigger = 104, .client_tag = 6, .stop = StopTrigger::LastTrade});
  EXPECT_EQ(tags(desk), "StopAdded 6");
  desk.limit(2, 9, Side::Sell, 104, 2, {.client_tag = 5});
  desk.limit(1, 10, Side::Buy, 104, 1);
  EXPECT_EQ(tags(desk), "Executed 0x5, Triggered 6, Executed 6x5, Fired 6");
  desk.send({.account = 1, .type = VC::Kill});
  EXPECT_EQ(tags(desk), "Deleted 9");
  // In an auction.
  desk.send({.account = 1, .type = VC::Restore});
  desk.phase(Phase::PreOpen);
  desk.limit(1, 11, Side::Buy, 104, 1, {.client_tag = 1});
  desk.limit(2, 12, Side::Sell, 104, 1, {.client_tag = 2});
  desk.phase(Phase::Continuous);
  EXPECT_EQ(tags(desk).substr(0, 12), "Executed 1x2") << tags(desk);
}

TEST(VenueOrders, RestAndTradeWithBothOwnersAndAMatchNumber) {
  VenueDesk desk;
  desk.limit(1, 10, Side::Sell, 100, 5);
  EXPECT_EQ(desk.told(), "Added 10 5@100, Done");
  EXPECT_EQ(desk.reports[0].account, 1u);
  EXPECT_EQ(desk.reports[0].displayed, 5u);

  const VenueReport done = desk.limit(2, 11, Side::Buy, 101, 8);
  EXPECT_EQ(desk.told(), "Executed 11x10 5@100, Added 11 3@101, Done");
  const VenueReport& fill = desk.reports[0];
  EXPECT_EQ(fill.account, 2u);
  EXPECT_EQ(fill.other_account, 1u);
  EXPECT_EQ(fill.match, 1u);
  EXPECT_EQ(fill.remaining, 3u);
  EXPECT_EQ(fill.other_remaining, 0u);
  EXPECT_EQ(fill.sequence, desk.sequence);
  EXPECT_EQ(fill.time, desk.time);
  EXPECT_EQ(done.quantity, 5u);
  EXPECT_EQ(done.remaining, 3u);

  const Accounts& accounts = desk.venue.risk().accounts();
  EXPECT_EQ(accounts.holding(1, 0).position, -5);
  EXPECT_EQ(accounts.holding(2, 0).position, 5);
  EXPECT_EQ(accounts.cash(2), -500 * micro_units - 15);
  EXPECT_EQ(accounts.cash(1), 500 * micro_units + 10);
  EXPECT_EQ(accounts.venue_cash(), 5);
}

/// Places of reports, with what was there before.
struct Places {
  VenueReport& next() { return places[count++]; }

  std::array<VenueReport, 4> places;
  std::size_t count = 0;
};

TEST(VenueOrders, AreReportedInPlaceWhereThereIsAPlace) {
  VenueDesk desk;
  Venue<> other = *Venue<>::create(small_venue());
  Places places;
  std::memset(static_cast<void*>(places.places.data()), 0xff, sizeof places.places);
  desk.limit(1, 10, Side::Sell, 100, 5, {.time = 3});
  other.apply({.time = 3, .id = 10, .price = 100, .quantity = 5, .account = 1, .side = Side::Sell}, 1, places);
  ASSERT_EQ(places.count, desk.reports.size());
  EXPECT_TRUE(std::ranges::equal(desk.reports, std::span(places.places).first(places.count)));
}

TEST(VenueOrders, AreProtectedWherePricesEnd) {
  constexpr Price lowest = std::numeric_limits<Price>::min();
  constexpr Price highest = std::numeric_limits<Price>::max();
  VenueDesk desk;
  const VenueCommand protect{.protection = 9, .type = VC::AddProtected, .time_in_force = ioc};
  desk.limit(1, 1, Side::Sell, highest - 1, 1);
  EXPECT_EQ(desk.limit(2, 2, Side::Buy, 0, 1, protect).quantity, 1u);
  desk.limit(1, 3, Side::Buy, lowest + 1, 1);
  EXPECT_EQ(desk.limit(2, 4, Side::Sell, 0, 1, protect).risk, RiskStatus::NotionalOverflow);
}

TEST(VenueReports, SayByTheirKindWhatTheirDetailMeans) {
  VenueReport report{.kind = VK::Done, .detail = 1};
  EXPECT_TRUE(report.kept_place());
  EXPECT_FALSE(report.in_auction());
  EXPECT_EQ(report.self_trade(), SelfTrade::Allow);
  report.kind = VK::Fired;
  EXPECT_TRUE(report.kept_place());
  report.kind = VK::Executed;
  EXPECT_FALSE(report.kept_place());
  EXPECT_TRUE(report.in_auction());
  report.kind = VK::Prevented;
  EXPECT_EQ(report.self_trade(), SelfTrade::CancelTaker);
  report.detail = 0;
  report.kind = VK::Executed;
  EXPECT_FALSE(report.in_auction());
  report.kind = VK::Done;
  EXPECT_FALSE(report.kept_place());
}

TEST(VenueReports, HaveStatusesWithNames) {
  std::ostringstream text;
  text << VenueStatus::OffTick;
  EXPECT_EQ(text.str(), "OffTick");
}

TEST(VenueOrders, AreChangedByTheirAccountAlone) {
  VenueDesk desk;
  desk.limit(1, 10, Side::Sell, 100, 5);
  const auto before = desk.bytes();
  EXPECT_EQ(desk.cancel(2, 10).status, VenueStatus::UnknownOrder);
  EXPECT_EQ(desk.cancel(1, 11).status, VenueStatus::UnknownOrder);
  EXPECT_EQ(desk.cancel(9, 10).risk, RiskStatus::UnknownAccount);
  EXPECT_EQ(desk.send({.id = 10, .price = 99, .quantity = 1, .account = 2, .type = VC::Modify}).status,
            VenueStatus::UnknownOrder);
  EXPECT_EQ(desk.bytes(), before);
}

TEST(VenueOrders, TellWhatBecameOfThem) {
  VenueDesk desk;
  desk.limit(1, 10, Side::Sell, 100, 5);
  desk.send({.id = 10, .quantity = 2, .account = 1, .type = VC::Reduce});
  EXPECT_EQ(desk.told(), "Reduced 10 2@100 Asked, Done");
  desk.send({.id = 10, .price = 100, .quantity = 2, .account = 1, .type = VC::Modify});
  EXPECT_EQ(desk.told(), "Reduced 10 1@100 Asked, Done");
  desk.send({.id = 10, .price = 100, .quantity = 2, .account = 1, .type = VC::Modify});
  EXPECT_EQ(desk.told(), "Done");
  desk.send({.id = 10, .price = 99, .quantity = 7, .account = 1, .type = VC::Modify});
  EXPECT_EQ(desk.told(), "Replaced 10x10 7@99, Done");
  desk.send({.id = 10, .new_id = 12, .price = 98, .quantity = 3, .account = 1, .type = VC::Replace});
  EXPECT_EQ(desk.told(), "Replaced 12x10 3@98, Done");
  desk.send({.id = 12, .quantity = 3, .account = 1, .type = VC::Reduce});
  EXPECT_EQ(desk.told(), "Deleted 12 3@98 Asked, Done");

  desk.limit(2, 20, Side::Buy, 90, 4);
  desk.limit(1, 21, Side::Sell, 95, 4);
  desk.send({.id = 21, .price = 90, .quantity = 4, .account = 1, .type = VC::Modify});
  EXPECT_EQ(desk.told(), "Executed 21x20 4@90, Done");
}

TEST(VenueOrders, TellEachLotThatLeavesOnceWhereAChangeLetsThemTrade) {
  const auto change = [](VenueDesk& desk, VenueCommandType type, Quantity quantity, Quantity buys,
                         VenueCommand how = {}) {
    desk.limit(2, 20, Side::Buy, 90, buys);
    desk.limit(1, 21, Side::Sell, 95, 6);
    how.type = type;
    how.account = 1;
    how.id = 21;
    how.new_id = type == VC::Replace ? 22 : 0;
    how.price = 90;
    how.quantity = quantity;
    desk.send(how);
    EXPECT_EQ(desk.open(21) + desk.open(22), desk.reports.back().remaining);
    return desk.told();
  };
  const auto told = [&](VenueCommandType type, Quantity quantity, Quantity buys, VenueCommand how = {}) {
    VenueDesk desk;
    return change(desk, type, quantity, buys, how);
  };
  const VenueCommand immediate{.time_in_force = TimeInForce::ImmediateOrCancel};
  EXPECT_EQ(told(VC::Modify, 6, 6), "Executed 21x20 6@90, Done");
  EXPECT_EQ(told(VC::Modify, 8, 9), "Executed 21x20 8@90, Done");
  EXPECT_EQ(told(VC::Modify, 6, 4), "Executed 21x20 4@90, Replaced 21x21 2@90, Done");
  EXPECT_EQ(told(VC::Modify, 6, 4, immediate), "Executed 21x20 4@90, Deleted 21 2@95 Asked, Done");
  // A replace tells that the old id is gone, of which no lot is left unfilled.
  EXPECT_EQ(told(VC::Replace, 6, 6), "Executed 22x20 6@90, Deleted 21 0@95 Asked, Done");
  EXPECT_EQ(told(VC::Replace, 6, 4, immediate), "Executed 22x20 4@90, Deleted 21 2@95 Asked, Done");
  VenueDesk desk;
  desk.limit(1, 1, Side::Buy, 91, 2);
  EXPECT_EQ(change(desk, VC::Modify, 6, 4, {.self_trade = SelfTrade::Decrement}),
            "Prevented 21x1 2@91, Executed 21x20 4@90, Done");
  VenueDesk other;
  other.limit(1, 1, Side::Buy, 91, 2);
  EXPECT_EQ(change(other, VC::Modify, 6, 4, {.self_trade = SelfTrade::CancelTaker}), "Prevented 21x1 2@91, Done");
}

TEST(VenueOrders, HaveReserves) {
  VenueDesk desk;
  desk.limit(1, 10, Side::Sell, 100, 5, {.peak = 2, .display = Display::Reserve});
  EXPECT_EQ(desk.reports[0].displayed, 2u);
  desk.limit(2, 11, Side::Buy, 100, 3);
  EXPECT_EQ(desk.told(), "Executed 11x10 2@100, Refilled 10 3@100, Executed 11x10 1@100, Done");
  EXPECT_EQ(desk.reports[1].displayed, 2u);
  EXPECT_EQ(desk.reports[1].account, 1u);
}

TEST(VenueOrders, DoNotMeetTheirOwnAccount) {
  VenueDesk desk;
  desk.limit(1, 10, Side::Sell, 100, 5);
  desk.limit(1, 11, Side::Buy, 100, 3, {.self_trade = SelfTrade::Decrement});
  EXPECT_EQ(desk.told(), "Prevented 11x10 3@100, Done");
  EXPECT_EQ(desk.reports[0].self_trade(), SelfTrade::Decrement);
  EXPECT_EQ(desk.reports[0].displayed, 2u);
  EXPECT_EQ(desk.open(10), 2u);
  desk.limit(1, 12, Side::Buy, 100, 3, {.self_trade = SelfTrade::CancelMaker});
  EXPECT_EQ(desk.told(), "Prevented 12x10 2@100, Added 12 3@100, Done");
  EXPECT_EQ(desk.open(10), 0u);
  EXPECT_EQ(desk.venue.risk().open_count(1), 1u);
  EXPECT_EQ(desk.venue.match(1), std::nullopt);
}

TEST(VenueOrders, AreCancelledByScope) {
  VenueDesk desk;
  desk.limit(1, 10, Side::Buy, 90, 5);
  desk.limit(1, 11, Side::Buy, 91, 5, {.display = Display::Hidden});
  desk.limit(2, 12, Side::Buy, 92, 5);
  desk.limit(1, 13, Side::Sell, 99, 5);
  VenueCommand scope{.price = 90, .trigger = 95, .account = 1, .type = VC::MassCancel, .side = Side::Buy};
  EXPECT_EQ(desk.send(scope).cancelled, 10u);
  EXPECT_EQ(desk.told(), "Deleted 11 5@91 MassCancel, Deleted 10 5@90 MassCancel, Done");
  EXPECT_EQ(desk.venue.risk().open_count(1), 1u);
  scope = {.price = std::numeric_limits<Price>::min(),
           .trigger = std::numeric_limits<Price>::max(),
           .book = VenueCommand::all_books,
           .type = VC::MassCancel,
           .side = VenueCommand::both_sides};
  EXPECT_EQ(desk.send(scope).cancelled, 10u);
  EXPECT_EQ(desk.venue.book().book().size(), 0u);
  scope.account = 9;
  EXPECT_EQ(desk.send(scope).risk, RiskStatus::UnknownAccount);
}

TEST(VenueOrders, LeaveWithTheirAccount) {
  VenueDesk desk;
  AccountLimits limits;
  limits.cancel_on_disconnect = true;
  desk.send(VenueCommand::set_limits(2, limits, 0));
  EXPECT_EQ(desk.told(), "Done");
  for (const AccountNumber account : {1u, 2u, 3u}) desk.limit(account, 10 + account, Side::Buy, 90, 5);
  desk.send({.account = 1, .type = VC::Disconnect});
  EXPECT_EQ(desk.told(), "Done");
  desk.send({.account = 2, .type = VC::Disconnect});
  EXPECT_EQ(desk.told(), "Deleted 12 5@90 Disconnected, Done");
  EXPECT_EQ(desk.reports.back().cancelled, 5u);
  desk.limit(3, 14, Side::Buy, 0, 2, {.trigger = 110, .type = VC::AddMarket, .stop = StopTrigger::LastTrade});
  desk.send({.account = 3, .type = VC::Kill});
  EXPECT_EQ(desk.told(), "Deleted 13 5@90 Killed, Deleted 14 2@110 Killed, Done");
  EXPECT_EQ(desk.reports.back().cancelled, 7u);
  EXPECT_EQ(desk.limit(3, 20, Side::Buy, 90, 1).risk, RiskStatus::AccountKilled);
  desk.send({.account = 3, .type = VC::Restore});
  EXPECT_EQ(desk.limit(3, 20, Side::Buy, 90, 1).status, VenueStatus::Success);
}

/// A limit beyond every price of a book is its last price.
TEST(VenueOrders, AtTheMarketWithProtectionPastTheLastPrice) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Sell, std::numeric_limits<Price>::max() - 1, 1);
  EXPECT_EQ(desk.told(), "Added 1 1@9223372036854775806, Done");
  desk.limit(2, 2, Side::Buy, 0, 1, {.protection = 5, .type = VC::AddProtected});
  EXPECT_EQ(desk.told(), "Executed 2x1 1@9223372036854775806, Done");
}

TEST(VenueOrders, AtTheMarketWithProtection) {
  VenueDesk desk;
  const VenueCommand drops{
      .quantity = 9, .account = 2, .protection = 1, .type = VC::AddProtected, .time_in_force = ioc};
  EXPECT_EQ(desk.send(drops).status, VenueStatus::NoOppositeBest);
  for (const Price price : {100, 101, 102}) desk.limit(1, static_cast<OrderId>(price), Side::Sell, price, 2);
  VenueCommand command = drops;
  command.id = 7;
  desk.send(command);
  EXPECT_EQ(desk.told(), "Executed 7x100 2@100, Executed 7x101 2@101, Done");
  EXPECT_EQ(desk.reports.back().cancelled, 5u);
  command.time_in_force = TimeInForce::GoodTillCancel;
  command.id = 8;
  command.protection = 0;
  desk.send(command);
  EXPECT_EQ(desk.told(), "Executed 8x102 2@102, Added 8 7@102, Done");
  command.side = Side::Sell;
  command.quantity = 8;
  command.id = 9;
  command.account = 3;
  desk.send(command);
  EXPECT_EQ(desk.told(), "Executed 9x8 7@102, Added 9 1@102, Done");
}

TEST(VenueOrders, ThatMayOnlyReduceDoNoMore) {
  VenueDesk desk;
  const VenueCommand reduces{.effect = PositionEffect::OnlyReduce};
  desk.limit(1, 10, Side::Sell, 100, 5);
  EXPECT_EQ(desk.limit(2, 11, Side::Buy, 100, 3, reduces).risk, RiskStatus::WouldIncrease);
  desk.limit(2, 11, Side::Buy, 100, 3);
  EXPECT_EQ(desk.limit(2, 12, Side::Sell, 101, 4, reduces).risk, RiskStatus::WouldIncrease);
  EXPECT_EQ(desk.limit(2, 12, Side::Sell, 101, 3, reduces).status, VenueStatus::Success);
}

TEST(VenueOrders, RefusedByTheBookSayWhy) {
  VenueDesk desk;
  desk.limit(1, 10, Side::Sell, 100, 5);
  const VenueReport& done = desk.limit(2, 10, Side::Buy, 90, 5);
  EXPECT_EQ(done.status, VenueStatus::RefusedByBook);
  EXPECT_EQ(done.result, Status::DuplicateId);
  EXPECT_EQ(desk.limit(2, 11, Side::Buy, 100, 6, {.time_in_force = TimeInForce::FillOrKill}).result,
            Status::NotFillable);
  EXPECT_EQ(desk.limit(2, 11, Side::Buy, 100, 0).result, Status::InvalidQuantity);
  EXPECT_EQ(desk.limit(2, 11, static_cast<Side>(7), 100, 1).risk, RiskStatus::InvalidCommand);
  EXPECT_EQ(desk.limit(2, 11, Side::Buy, 100, 1, {.book = 2}).status, VenueStatus::UnknownBook);
}

TEST(VenueOrders, RefusedByTheBookTakeNoRoomOfAHolding) {
  VenueConfig config = small_venue();
  config.holdings = 2;
  VenueDesk desk(config);
  desk.limit(1, 10, Side::Sell, 100, 5);
  EXPECT_EQ(desk.limit(2, 11, Side::Buy, 100, 6, {.time_in_force = TimeInForce::FillOrKill}).result,
            Status::NotFillable);
  EXPECT_EQ(desk.limit(3, 12, Side::Buy, 100, 1).status, VenueStatus::Success);
  EXPECT_EQ(desk.limit(1, 13, Side::Sell, 100, 6, {.time_in_force = TimeInForce::FillOrKill}).result,
            Status::NotFillable);
  EXPECT_EQ(desk.limit(1, 14, Side::Sell, 100, 1).status, VenueStatus::Success);
  EXPECT_EQ(desk.limit(2, 11, Side::Buy, 100, 1).risk, RiskStatus::NoRoomForHolding);
  EXPECT_TRUE(desk.venue.holds());
}

}  // namespace
}  // namespace llmes::test::venue_orders_test
