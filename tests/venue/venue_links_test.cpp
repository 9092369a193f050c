// SPDX-License-Identifier: MIT
//
// Linked orders and call auctions in a venue.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

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

TEST(VenueLinks, OfABracketThatFillsAtTheCloseAreRefused) {
  VenueDesk desk;
  desk.phase(Phase::ClosingAuction);
  desk.limit(1, 1, Side::Sell, 110, 4, {.link = 7, .link_role = child});
  desk.limit(1, 2, Side::Sell, 120, 4, {.link = 7, .link_role = child});
  desk.limit(1, 3, Side::Buy, 100, 4, {.link = 7, .link_role = parent});
  desk.limit(2, 4, Side::Sell, 100, 4);
  desk.phase(Phase::Closed, 0);
  std::size_t refused = 0;
  for (const VenueReport& report : desk.reports) {
    if (report.kind == VK::Fired) refused += std::size_t{report.status == VenueStatus::Closed};
  }
  EXPECT_EQ(refused, 2u);
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
TEST_F(VenueLinksThatGrow, StayAsTheyAreInAHalt) {
  desk.send({.book = 1, .type = VC::Halt});
  fill_more();
  EXPECT_EQ(desk.open(1), 2u);
  EXPECT_EQ(desk.open(2), 5u);
}
TEST_F(VenueLinksThatGrow, StayAsTheyAreAtALimit) {
  desk.send(VenueCommand::set_limits(1, {.open_quantity = 4}, desk.time));
  fill_more();
  EXPECT_EQ(desk.open(1), 2u);
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
