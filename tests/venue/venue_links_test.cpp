// SPDX-License-Identifier: MIT
//
// Linked orders and call auctions in a venue.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/venue_desk.hpp"

namespace llmes::test::venue_links_test {
namespace {

constexpr auto last = StopTrigger::LastTrade;
constexpr auto oco = LinkRole::OneCancelsOther;
constexpr auto parent = LinkRole::BracketParent;
constexpr auto child = LinkRole::BracketChild;

/// Makes a trade at a price, so that it is the last one.
void trade_at(VenueDesk& desk, Price price) {
  desk.limit(3, 1'000, Side::Sell, price, 1);
  desk.limit(4, 1'001, Side::Buy, price, 1, {.time_in_force = TimeInForce::ImmediateOrCancel});
}

// ---- Linked orders.

TEST(VenueLinks, OfAPairCancelTheOther) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Sell, 110, 5, {.link = 7, .link_role = oco});
  desk.limit(1, 2, Side::Sell, 0, 5,
             {.trigger = 90, .link = 7, .type = VC::AddMarket, .stop = last, .link_role = oco});
  EXPECT_EQ(desk.told(), "StopAdded 2 5@90, Done");
  desk.limit(2, 3, Side::Buy, 110, 2);
  EXPECT_EQ(desk.told(), "Executed 3x1 2@110, StopChanged 2 3@90, Done");
  desk.limit(2, 4, Side::Buy, 110, 3);
  EXPECT_EQ(desk.told(), "Executed 4x1 3@110, Deleted 2 3@90 Linked, Done");
  EXPECT_EQ(desk.venue.links().size(), 0u);
}

TEST(VenueLinks, OfAPairLeaveWithAFiredStop) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Sell, 110, 5, {.link = 7, .link_role = oco});
  desk.limit(1, 2, Side::Sell, 0, 5,
             {.trigger = 90, .link = 7, .type = VC::AddMarket, .stop = last, .link_role = oco});
  desk.limit(2, 5, Side::Buy, 89, 2);
  trade_at(desk, 90);
  EXPECT_EQ(
      desk.told(),
      "Executed 1001x1000 1@90, Triggered 2 5@90, Executed 2x5 2@89, Fired 2 2@0, Deleted 1 5@110 Linked, Done");
}

TEST(VenueLinks, OfABracketArePlacedByItsParent) {
  VenueDesk desk;
  const VenueCommand profit{.link = 7, .link_role = child};
  const VenueCommand loss{.trigger = 90, .link = 7, .type = VC::AddMarket, .stop = last, .link_role = child};
  EXPECT_EQ(desk.limit(1, 3, Side::Buy, 100, 4, {.link = 7, .link_role = parent}).status,
            VenueStatus::InvalidLink);
  desk.limit(1, 1, Side::Sell, 110, 4, profit);
  EXPECT_EQ(desk.told(), "StopAdded 1 4@0, Done");
  desk.limit(1, 2, Side::Sell, 0, 4, loss);
  desk.limit(1, 3, Side::Buy, 100, 4, {.link = 7, .link_role = parent});
  EXPECT_EQ(desk.told(), "Added 3 4@100, Done");
  EXPECT_EQ(desk.open(1), 0u);
  desk.limit(2, 4, Side::Sell, 100, 3);
  EXPECT_EQ(desk.told(),
            "Executed 4x3 3@100, Triggered 1 3@0, Added 1 3@110, Fired 1 0@0, Triggered 2 3@90, StopAdded 2 3@90, "
            "Fired 2 0@0, Done");
  desk.limit(2, 5, Side::Sell, 100, 1);
  EXPECT_EQ(desk.told(), "Executed 5x3 1@100, Replaced 1x1 4@110, StopChanged 2 4@90, Done");
  desk.limit(2, 6, Side::Buy, 110, 4);
  EXPECT_EQ(desk.told(), "Executed 6x1 4@110, Deleted 2 4@90 Linked, Done");
  EXPECT_EQ(desk.venue.links().size(), 0u);
}

TEST(VenueLinks, OfABracketAreDroppedWithItsParent) {
  VenueDesk desk;
  for (const OrderId id : {1u, 2u}) desk.limit(1, id, Side::Sell, 110, 4, {.link = 7, .link_role = child});
  desk.limit(1, 3, Side::Buy, 100, 4, {.link = 7, .link_role = parent});
  desk.cancel(1, 3);
  EXPECT_EQ(desk.told(), "Deleted 3 4@100 Asked, Deleted 1 4@0 Linked, Deleted 2 4@0 Linked, Done");
  EXPECT_EQ(desk.limit(1, 1, Side::Sell, 110, 4).status, VenueStatus::Success);
}

TEST(VenueLinks, OfChildrenThatWaitAreCancelledLikeOrders) {
  VenueDesk desk;
  const VenueCommand waits{.link = 7, .link_role = child};
  desk.limit(1, 1, Side::Sell, 110, 4, waits);
  EXPECT_EQ(desk.limit(1, 1, Side::Sell, 110, 4).status, VenueStatus::DuplicateId);
  EXPECT_EQ(desk.send({.id = 1, .quantity = 1, .account = 1, .type = VC::Reduce}).status,
            VenueStatus::UnknownOrder);
  EXPECT_EQ(desk.cancel(2, 1).status, VenueStatus::UnknownOrder);
  EXPECT_EQ(desk.cancel(1, 1).cancelled, 4u);
  EXPECT_EQ(desk.told(), "Deleted 1 4@0 Asked, Done");
  desk.limit(1, 1, Side::Sell, 110, 4, waits);
  desk.send({.account = 1, .type = VC::Kill});
  EXPECT_EQ(desk.told(), "Deleted 1 4@0 Killed, Done");
  desk.send({.account = 1, .type = VC::Restore});
  VenueCommand lives = waits;
  lives.expiry = 100;
  lives.lifetime = Lifetime::UntilTime;
  desk.limit(1, 1, Side::Sell, 110, 4, lives);
  desk.send({.time = 100, .type = VC::Advance});
  EXPECT_EQ(desk.told(), "Deleted 1 4@0 Expired, Done");
  EXPECT_EQ(desk.limit(1, 1, Side::Sell, 110, 0, {.time = 100, .link = 7, .link_role = child}).status,
            VenueStatus::InvalidQuantity);
}

TEST(VenueLinks, ThatAreWrongAreRefused) {
  VenueDesk desk;
  const auto before = desk.bytes();
  EXPECT_EQ(desk.limit(1, 1, Side::Sell, 110, 4, {.link = 7}).status, VenueStatus::InvalidLink);
  EXPECT_EQ(desk.limit(1, 1, Side::Sell, 110, 4, {.link_role = oco}).status, VenueStatus::InvalidLink);
  EXPECT_EQ(desk.bytes(), before);
  for (OrderId id = 1; id <= 8; ++id)
    desk.limit(1, id, Side::Sell, 110, 4, {.link = 1 + id / 2, .link_role = oco});
  EXPECT_EQ(desk.reports.back().status, VenueStatus::NoRoomForLink);
  EXPECT_EQ(desk.limit(1, 9, Side::Sell, 110, 4, {.link = 2, .link_role = oco}).status, VenueStatus::InvalidLink);
}

TEST(VenueLinks, ThatCannotBePlacedSayWhy) {
  VenueDesk desk;
  for (const OrderId id : {1u, 2u}) {
    desk.limit(1, id, Side::Sell, 100 + 10 * static_cast<Price>(id), 4, {.link = 7, .link_role = child});
  }
  desk.limit(1, 3, Side::Buy, 100, 4, {.link = 7, .link_role = parent});
  desk.send({.price = 1, .trigger = 115, .type = VC::SetBands});
  desk.limit(2, 4, Side::Sell, 100, 4);
  EXPECT_EQ(desk.told(),
            "Executed 4x3 4@100, Triggered 1 4@0, Added 1 4@110, Fired 1 0@0, Triggered 2 4@0, Fired 2 0@0, Done");
  EXPECT_EQ(desk.reports[5].status, VenueStatus::OutsideBands);
  EXPECT_EQ(desk.open(1), 4u);
}

TEST(VenueLinks, GoOnThroughAReplace) {
  VenueDesk desk;
  for (const OrderId id : {1u, 2u}) desk.limit(1, id, Side::Sell, 110, 4, {.link = 7, .link_role = oco});
  desk.send({.id = 1, .new_id = 3, .price = 111, .quantity = 4, .account = 1, .type = VC::Replace});
  desk.cancel(1, 3);
  EXPECT_EQ(desk.told(), "Deleted 3 4@111 Asked, Deleted 2 4@110 Linked, Done");
}

// ---- Auctions.

TEST(VenueLinks, OfAPairEndWithoutLotsToLose) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Sell, 110, 5, {.link = 7, .link_role = oco});
  desk.limit(1, 2, Side::Sell, 120, 3, {.link = 7, .link_role = oco});
  desk.limit(2, 3, Side::Buy, 110, 4);
  EXPECT_EQ(desk.told(), "Executed 3x1 4@110, Deleted 2 3@120 Linked, Deleted 1 1@110 Linked, Done");
}

TEST(VenueLinks, OfABracketMayTradeAtOnce) {
  VenueDesk desk;
  desk.limit(2, 4, Side::Buy, 96, 4);
  desk.limit(1, 1, Side::Sell, 95, 4, {.link = 7, .link_role = child});
  desk.limit(1, 2, Side::Sell, 120, 4, {.link = 7, .link_role = child});
  desk.limit(1, 3, Side::Buy, 100, 4, {.link = 7, .link_role = parent});
  desk.limit(3, 5, Side::Sell, 100, 4);
  EXPECT_EQ(desk.told(),
            "Executed 5x3 4@100, Triggered 1 4@0, Executed 1x4 4@96, Fired 1 4@0, Deleted 2 4@0 Linked, Done");
  EXPECT_EQ(desk.venue.links().size(), 0u);
}

TEST(VenueLinks, OfABracketThatFillsAtTheCloseWaitForTheNextPhase) {
  VenueDesk desk;
  desk.phase(Phase::ClosingAuction);
  desk.limit(1, 1, Side::Sell, 110, 4, {.link = 7, .link_role = child});
  desk.limit(1, 2, Side::Sell, 0, 4,
             {.trigger = 90, .link = 7, .type = VC::AddMarket, .stop = last, .link_role = child});
  desk.limit(1, 3, Side::Buy, 100, 4, {.link = 7, .link_role = parent});
  desk.limit(2, 4, Side::Sell, 100, 3);
  desk.phase(Phase::Closed, 0);
  EXPECT_EQ(desk.told(), "Executed 3x4 3@100, Uncrossed 3@100, PhaseChanged 0@0, Done");
  EXPECT_TRUE(desk.venue.holds());
  desk.phase(Phase::PreOpen, 0);
  EXPECT_EQ(desk.told(),
            "PhaseChanged 0@0, Triggered 1 3@0, Added 1 3@110, Fired 1 0@0, Triggered 2 3@90, StopAdded 2 3@90, "
            "Fired 2 0@0, Done");
  desk.limit(2, 5, Side::Sell, 100, 1);
  desk.phase(Phase::Closed, 0);
  EXPECT_EQ(desk.told(), "Executed 3x5 1@100, Uncrossed 1@100, PhaseChanged 0@0, Done");
  desk.phase(Phase::Continuous, 0);
  EXPECT_EQ(desk.told(), "PhaseChanged 0@0, Replaced 1x1 4@110, StopChanged 2 4@90, Done");
}

TEST(VenueLinks, OfABracketThatWaitForAPhaseEndWithTheirDay) {
  VenueDesk desk;
  desk.phase(Phase::ClosingAuction);
  desk.limit(1, 1, Side::Sell, 110, 4, {.link = 7, .lifetime = Lifetime::Day, .link_role = child});
  desk.limit(1, 2, Side::Sell, 120, 4, {.link = 7, .link_role = child});
  desk.limit(1, 3, Side::Buy, 100, 4, {.link = 7, .link_role = parent});
  desk.limit(2, 4, Side::Sell, 100, 3);
  desk.phase(Phase::Closed, 0);
  EXPECT_EQ(
      desk.told(),
      "Executed 3x4 3@100, Uncrossed 3@100, PhaseChanged 0@0, Deleted 1 4@0 Expired, Deleted 3 1@100 Linked, "
      "Deleted 2 4@0 Linked, Done");
  EXPECT_EQ(desk.venue.links().size(), 0u);
}

TEST(VenueLinks, OfABracketAtTheMarketWaitForTheEndOfAnAuction) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Sell, 0, 4, {.link = 7, .book = 1, .type = VC::AddMarket, .link_role = child});
  desk.limit(1, 2, Side::Sell, 120, 4, {.link = 7, .link_role = child});
  desk.limit(1, 3, Side::Buy, 100, 4, {.link = 7, .link_role = parent});
  desk.phase(Phase::PreOpen, 1);
  desk.limit(2, 4, Side::Sell, 100, 4);
  EXPECT_EQ(desk.told(), "Executed 4x3 4@100, Triggered 2 4@0, Added 2 4@120, Fired 2 0@0, Done");
  desk.limit(3, 5, Side::Buy, 95, 9, {.book = 1});
  desk.phase(Phase::Continuous, 1);
  EXPECT_EQ(desk.told(),
            "Uncrossed 0@0, PhaseChanged 0@0, Triggered 1 4@0, Executed 1x5 4@95, Fired 1 4@0, Deleted 2 4@120 "
            "Linked, Done");
}

// A market child waits for its book while the other trades: it loses as many lots, and ends when none is left.
TEST(VenueLinks, OfABracketThatWaitLoseWhatTheOtherTrades) {
  for (const Quantity traded : {3u, 4u}) {
    VenueDesk desk;
    desk.limit(1, 1, Side::Sell, 0, 4, {.link = 7, .book = 1, .type = VC::AddMarket, .link_role = child});
    desk.limit(1, 2, Side::Sell, 120, 4, {.link = 7, .link_role = child});
    desk.limit(1, 3, Side::Buy, 100, 4, {.link = 7, .link_role = parent});
    desk.limit(3, 6, Side::Buy, 95, 9, {.book = 1});
    desk.send({.book = 1, .type = VC::Halt});
    desk.limit(2, 4, Side::Sell, 100, 4);
    desk.send({.id = 2, .price = 120, .quantity = 9, .account = 1, .type = VC::Modify});
    desk.limit(2, 5, Side::Buy, 120, traded);
    EXPECT_EQ(desk.told(), traded == 3 ? "Executed 5x2 3@120, Done"
                                       : "Executed 5x2 4@120, Deleted 1 4@0 Linked, Deleted 2 5@120 Linked, Done");
    desk.send({.book = 1, .type = VC::Resume});
    EXPECT_EQ(desk.told(), traded == 3 ? "Resumed 0@0, Triggered 1 1@0, Executed 1x6 1@95, Fired 1 1@0, Deleted 2 "
                                         "6@120 Linked, Done"
                                       : "Resumed 0@0, Done");
  }
}

TEST(VenueLinks, KeepTheLotsThatTheyHaveIfTheLotChanges) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Sell, 110, 5, {.link = 7, .link_role = oco});
  desk.limit(1, 2, Side::Sell, 0, 5,
             {.trigger = 90, .link = 7, .type = VC::AddMarket, .stop = last, .link_role = oco});
  desk.limit(1, 3, Side::Sell, 110, 5, {.link = 8, .link_role = child});
  desk.limit(1, 4, Side::Sell, 111, 5, {.trigger = 90, .link = 8, .stop = last, .link_role = child});
  desk.limit(1, 5, Side::Buy, 85, 5, {.link = 8, .link_role = parent});
  desk.limit(2, 6, Side::Buy, 90, 1);
  desk.phase(Phase::Closed);
  desk.send({.quantity = 2, .type = VC::SetSymbol});
  desk.phase(Phase::Continuous);
  desk.limit(3, 7, Side::Sell, 90, 2);
  EXPECT_EQ(desk.told(),
            "Executed 7x6 1@90, Added 7 1@90, Triggered 2 5@90, Executed 2x5 5@85, Fired 2 5@0, Triggered 3 5@0, "
            "Added 3 5@110, Fired 3 0@0, Triggered 4 5@90, StopAdded 4 5@90, Fired 4 0@0, Deleted 1 5@110 Linked, "
            "Triggered 4 5@90, Added 4 5@111, Fired 4 0@0, Done");
}

TEST(VenueLinks, OfARefusedStopStay) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Sell, 110, 5, {.link = 7, .link_role = oco});
  desk.limit(1, 2, Side::Sell, 94, 5, {.trigger = 96, .link = 7, .stop = last, .link_role = oco});
  desk.limit(2, 3, Side::Sell, 110, 5, {.link = 7, .link_role = child});
  desk.limit(2, 4, Side::Sell, 110, 5, {.link = 7, .link_role = child});
  desk.limit(2, 5, Side::Buy, 94, 5, {.trigger = 96, .link = 7, .stop = last, .link_role = parent});
  desk.cancel(2, 5);
  desk.limit(2, 3, Side::Sell, 110, 5, {.link = 7, .link_role = child});
  desk.limit(2, 4, Side::Sell, 110, 5, {.link = 7, .link_role = child});
  desk.limit(2, 5, Side::Buy, 94, 5, {.trigger = 96, .link = 7, .stop = last, .link_role = parent});
  EXPECT_EQ(desk.told(), "StopAdded 5 5@96, Done");
  desk.send({.price = 95, .trigger = 115, .type = VC::SetBands});
  trade_at(desk, 96);
  EXPECT_EQ(desk.told(),
            "Executed 1001x1000 1@96, Triggered 2 5@96, Fired 2 0@0, Triggered 5 5@96, Fired 5 0@0, Deleted 3 5@0 "
            "Linked, Deleted 4 5@0 Linked, Done");
  EXPECT_EQ(desk.reports[2].status, VenueStatus::OutsideBands);
  EXPECT_EQ(desk.open(1), 5u) << "the other one of the pair guards on";
  desk.limit(3, 9, Side::Buy, 110, 5);
  EXPECT_EQ(desk.told(), "Executed 9x1 5@110, Done");
  EXPECT_EQ(desk.venue.links().size(), 0u);
}

// A bracket of which a part has filled; its first child rests in another book.
class VenueLinksThatGrow : public ::testing::Test {
 protected:
  VenueLinksThatGrow() {
    desk.limit(1, 1, Side::Sell, 110, 5, {.link = 7, .book = 1, .link_role = child});
    desk.limit(1, 2, Side::Sell, 120, 5, {.link = 7, .link_role = child});
    desk.limit(1, 3, Side::Buy, 100, 5, {.link = 7, .link_role = parent});
    desk.limit(2, 4, Side::Sell, 100, 2);
    EXPECT_EQ(desk.open(1), 2u);
  }
  void fill_more() { desk.limit(2, 5, Side::Sell, 100, 3); }

  VenueDesk desk;
};
TEST_F(VenueLinksThatGrow, DoSoWhereOrdersCollect) {
  desk.phase(Phase::PreOpen, 1);
  fill_more();
  EXPECT_EQ(desk.open(1), 5u);
}
TEST_F(VenueLinksThatGrow, DoSoAfterAHalt) {
  desk.send({.book = 1, .type = VC::Halt});
  fill_more();
  EXPECT_EQ(desk.told(), "Executed 5x3 3@100, Replaced 2x2 5@120, Done");
  EXPECT_EQ(desk.open(1), 2u);
  desk.send({.book = 1, .type = VC::Resume});
  EXPECT_EQ(desk.told(), "Resumed 0@0, Replaced 1x1 5@110, Done");
  EXPECT_EQ(desk.venue.links().size(), 2u);
}
TEST_F(VenueLinksThatGrow, AreToldWhyTheyDoNot) {
  desk.send(VenueCommand::set_limits(1, {.open_quantity = 4}, desk.time));
  fill_more();
  EXPECT_EQ(desk.told(), "Executed 5x3 3@100, GrowthRefused 1 3@110, GrowthRefused 2 3@120, Done");
  const VenueReport& refused = desk.reports[1];
  EXPECT_EQ(refused.status, VenueStatus::RefusedByRisk);
  EXPECT_EQ(refused.risk, RiskStatus::OpenQuantityLimit);
  EXPECT_EQ(refused.remaining, 2u);
  EXPECT_EQ(refused.account, 1u);
  EXPECT_EQ(refused.book, 1u);
  EXPECT_EQ(refused.side, Side::Sell);
  EXPECT_EQ(desk.open(1), 2u);
}

/// A bracket of account 1 to buy 100 lots at 100, whose children are as given. Two lots fill.
void begin_bracket(VenueDesk& desk, VenueCommand first, VenueCommand second, Quantity lots = 100) {
  first.link = second.link = 7;
  first.link_role = second.link_role = child;
  desk.limit(1, 1, Side::Sell, 110, lots, first);
  desk.limit(1, 2, Side::Sell, 120, lots, second);
  desk.limit(1, 3, Side::Buy, 100, lots, {.link = 7, .link_role = parent});
  desk.limit(2, 4, Side::Sell, 100, 2);
}
TEST(VenueLinksWithABracket, ReduceOnlyIfTheyAreReduceOnly) {
  VenueDesk desk;
  begin_bracket(desk, {.effect = PositionEffect::OnlyReduce}, {.book = 1});
  EXPECT_EQ(desk.open(1), 2u);
  desk.limit(3, 5, Side::Buy, 105, 1);
  desk.limit(1, 6, Side::Sell, 105, 1);
  desk.limit(2, 7, Side::Sell, 100, 3);
  EXPECT_EQ(desk.told(), "Executed 7x3 3@100, GrowthRefused 1 3@110, Replaced 2x2 5@120, Done");
  EXPECT_EQ(desk.reports[1].risk, RiskStatus::WouldIncrease);
  desk.limit(2, 8, Side::Sell, 100, 2);
  EXPECT_EQ(desk.told(), "Executed 8x3 2@100, Replaced 1x1 4@110, Replaced 2x2 7@120, Done");
}
TEST(VenueLinksWithABracket, ShowTheirPeakAgain) {
  VenueDesk desk;
  begin_bracket(desk, {.peak = 10, .display = Display::Reserve},
                {.peak = 10, .trigger = 90, .display = Display::Reserve, .stop = last}, 5'000);
  EXPECT_EQ(desk.open(1), 2u);
  desk.limit(2, 5, Side::Sell, 100, 4'998);
  EXPECT_EQ(desk.told(), "Executed 5x3 4998@100, Replaced 1x1 5000@110, StopChanged 2 5000@90, Done");
  EXPECT_EQ(desk.reports[1].displayed, 10u);
  trade_at(desk, 90);
  EXPECT_EQ(desk.told(), "Executed 1001x1000 1@90, Triggered 2 5000@90, Added 2 5000@120, Fired 2 0@0, Done");
  EXPECT_EQ(desk.reports[2].displayed, 10u);
}
TEST(VenueLinksWithABracket, NeverWrap) {
  constexpr Quantity most = std::numeric_limits<Quantity>::max();
  VenueDesk desk;
  begin_bracket(desk, {.trigger = 90, .type = VC::AddMarket, .stop = last}, {.book = 1});
  desk.send({.id = 1, .quantity = most - 1, .trigger = 90, .account = 1, .type = VC::Modify});
  EXPECT_EQ(desk.told(), "StopChanged 1 18446744073709551614@90, Done");
  desk.limit(2, 5, Side::Sell, 100, 2);
  EXPECT_EQ(desk.told(), "Executed 5x3 2@100, GrowthRefused 1 2@90, Replaced 2x2 4@120, Done");
  EXPECT_EQ(desk.reports[1].status, VenueStatus::InvalidQuantity);
  EXPECT_EQ(desk.reports[1].remaining, most - 1);
  EXPECT_EQ(desk.venue.stops().find(1)->quantity, most - 1);
}

TEST_F(VenueLinksThatGrow, AreNoOtherMessage) {
  desk.send(VenueCommand::set_limits(1, {.message_burst = 1, .message_interval = 1'000}, 0));
  desk.limit(1, 9, Side::Buy, 1, 1);
  EXPECT_EQ(desk.limit(1, 10, Side::Buy, 1, 1).risk, RiskStatus::TooManyMessages);
  fill_more();
  EXPECT_EQ(desk.open(1), 5u);
}

TEST(VenueAuction, IsNearTheLastTradeWhateverReferenceIsSet) {
  VenueDesk desk;
  desk.limit(1, 1, Side::Sell, 100, 1);
  desk.limit(2, 2, Side::Buy, 100, 1);
  desk.send({.price = 90, .type = VC::SetReference});
  desk.phase(Phase::PreOpen, 0);
  desk.limit(1, 3, Side::Sell, 80, 5);
  desk.limit(2, 4, Side::Buy, 120, 5);
  desk.send({.type = VC::ShowIndicative});
  EXPECT_EQ(desk.told(), "Indicative 5@100, Done");
}

TEST(VenueAuction, TradesAtOnePriceWhenTheCollectingEnds) {
  VenueDesk desk;
  desk.phase(Phase::PreOpen, 0);
  desk.limit(1, 1, Side::Sell, 98, 4);
  desk.limit(2, 2, Side::Sell, 100, 4);
  desk.limit(3, 3, Side::Buy, 101, 6);
  desk.limit(4, 4, Side::Buy, 99, 5);
  desk.send({.type = VC::ShowIndicative});
  EXPECT_EQ(desk.told(), "Indicative 6@100, Done");
  EXPECT_EQ(desk.reports[0].remaining, 2u);
  EXPECT_EQ(desk.reports[0].side, Side::Sell);
  EXPECT_EQ(desk.reports[0].phase, Phase::PreOpen);
  desk.phase(Phase::OpeningAuction, 0);
  EXPECT_EQ(desk.told(), "PhaseChanged 0@0, Done");
}

TEST(VenueAuction, BooksWhatItTrades) {
  VenueDesk desk;
  desk.phase(Phase::OpeningAuction, 0);
  desk.limit(1, 1, Side::Sell, 98, 4);
  desk.limit(3, 3, Side::Buy, 102, 6);
  desk.limit(4, 4, Side::Buy, 100, 1, {.lifetime = Lifetime::Day});
  desk.limit(2, 2, Side::Sell, 100, 5);
  desk.send({.price = 100, .type = VC::SetReference});
  desk.phase(Phase::Continuous, 0);
  EXPECT_EQ(desk.told(),
            "Executed 3x1 4@100, Executed 3x2 2@100, Executed 4x2 1@100, Uncrossed 7@100, PhaseChanged 0@0, Done");
  EXPECT_TRUE(desk.reports[0].in_auction());
  EXPECT_EQ(desk.reports[0].account, 3u);
  EXPECT_EQ(desk.reports[0].other_account, 1u);
  EXPECT_EQ(desk.reports[0].remaining, 2u);
  EXPECT_EQ(desk.reports[0].other_remaining, 0u);
  EXPECT_EQ(desk.reports[2].match, 3u);
  EXPECT_EQ(desk.reports[3].remaining, 2u);
  EXPECT_EQ(desk.reports[3].side, Side::Sell);
  EXPECT_EQ(desk.venue.lifetimes(), 0u);
  const Accounts& accounts = desk.venue.risk().accounts();
  EXPECT_EQ(accounts.holding(3, 0).position, 6);
  EXPECT_EQ(accounts.cash(3), -600 * micro_units + 12);
  EXPECT_EQ(accounts.cash(1), 400 * micro_units + 8);
  EXPECT_EQ(desk.open(2), 2u);
  desk.send({.id = 1, .type = VC::Bust});
  EXPECT_EQ(accounts.cash(1), 0);
  EXPECT_EQ(accounts.holding(3, 0).position, 2);
}

TEST(VenueAuction, KeepsAccountsFromThemselves) {
  VenueDesk desk;
  desk.phase(Phase::ClosingAuction, 0);
  desk.limit(1, 1, Side::Sell, 100, 4);
  desk.limit(1, 2, Side::Buy, 100, 3);
  desk.phase(Phase::Closed, 0);
  EXPECT_EQ(desk.told(), "Prevented 2x1 3@100, Uncrossed 0@100, PhaseChanged 0@0, Done");
  EXPECT_EQ(desk.reports[0].self_trade(), SelfTrade::Decrement);
  EXPECT_EQ(desk.open(1), 1u);
  EXPECT_EQ(desk.venue.risk().open_count(1), 1u);
  VenueConfig config = small_venue();
  config.auction_self_trade = SelfTrade::Allow;
  VenueDesk allows(config);
  allows.phase(Phase::ClosingAuction, 0);
  allows.limit(1, 1, Side::Sell, 100, 4);
  allows.limit(1, 2, Side::Buy, 100, 3);
  allows.phase(Phase::Closed, 0);
  EXPECT_EQ(allows.told(), "Executed 2x1 3@100, Uncrossed 3@100, PhaseChanged 0@0, Done");
}

TEST(VenueAuction, WaitsForTheEndOfAHalt) {
  VenueDesk desk;
  desk.phase(Phase::PreOpen, 0);
  desk.limit(1, 1, Side::Sell, 100, 4);
  desk.limit(2, 2, Side::Buy, 100, 4, {.lifetime = Lifetime::Day});
  desk.limit(2, 3, Side::Buy, 90, 1, {.trigger = 100, .stop = last});
  desk.send({.type = VC::Halt});
  desk.phase(Phase::Continuous, 0);
  EXPECT_EQ(desk.told(), "PhaseChanged 0@0, Done");
  desk.send({.type = VC::Resume});
  EXPECT_EQ(
      desk.told(),
      "Resumed 0@0, Executed 2x1 4@100, Uncrossed 4@100, Triggered 3 1@100, Added 3 1@90, Fired 3 0@0, Done");
}

TEST(VenueAuction, WithoutATradeSaysSo) {
  VenueDesk desk;
  desk.phase(Phase::PreOpen, 0);
  desk.limit(1, 1, Side::Sell, 100, 4);
  desk.phase(Phase::Continuous, 0);
  EXPECT_EQ(desk.told(), "Uncrossed 0@0, PhaseChanged 0@0, Done");
  desk.phase(Phase::Closed, 0);
  EXPECT_EQ(desk.told(), "PhaseChanged 0@0, Done");
}

// Orders that rest between two ticks since these became coarser.
TEST(VenueAuction, LeavesNoBookCrossed) {
  struct Order {
    Side side;
    Price price;
    Quantity quantity;
  };
  for (const std::vector<Order>& orders :
       {std::vector<Order>{{Side::Buy, 101, 4}, {Side::Sell, 101, 4}},
        std::vector<Order>{{Side::Buy, 104, 10}, {Side::Sell, 101, 1}, {Side::Sell, 103, 5}}}) {
    VenueDesk desk;
    desk.phase(Phase::PreOpen, 0);
    OrderId id = 0;
    Quantity sells = 0;
    for (const Order& order : orders) {
      desk.limit(1 + static_cast<AccountNumber>(id % 3), id + 1, order.side, order.price, order.quantity);
      ++id;
      if (order.side == Side::Sell) sells += order.quantity;
    }
    desk.send({.type = VC::Halt});
    desk.phase(Phase::Closed, 0);
    desk.send({.price = 0, .quantity = 3, .type = VC::SetTick});
    desk.send({.type = VC::Resume});
    desk.phase(Phase::Continuous, 0);
    const auto book = desk.venue.book().book(0);
    EXPECT_FALSE(book->best_bid() && book->best_ask() && *book->best_bid() >= *book->best_ask());
    EXPECT_EQ(desk.venue.risk().accounts().holding(1, 0).position, static_cast<std::int64_t>(sells));
  }
}

TEST(VenueAuction, RefillsReserves) {
  VenueDesk desk;
  desk.phase(Phase::PreOpen, 0);
  desk.limit(1, 1, Side::Sell, 100, 6, {.peak = 2, .display = Display::Reserve});
  desk.limit(2, 2, Side::Buy, 100, 3);
  desk.phase(Phase::Continuous, 0);
  EXPECT_EQ(desk.told(),
            "Executed 2x1 2@100, Refilled 1 4@100, Executed 2x1 1@100, Uncrossed 3@100, PhaseChanged 0@0, Done");
  EXPECT_EQ(desk.open(1), 3u);
}

}  // namespace
}  // namespace llmes::test::venue_links_test
