// SPDX-License-Identifier: MIT
//
// Mass quotes: each entry as an order of its own would go, with nothing between them.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "llmes/venue.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/venue_desk.hpp"
#include "tests/support/venue_pair.hpp"
#include "tests/support/venue_streams.hpp"

namespace llmes::test::mass_quote_test {
namespace {

using Entries = std::vector<QuoteEntry>;

class MassQuote : public ::testing::Test {
 protected:
  const VenueReport& quote(AccountNumber account, const Entries& entries, VenueCommand how = {}) {
    how.type = VC::MassQuote;
    how.account = account;
    how.time = ++desk.time;
    desk.reports.clear();
    desk.venue.quote(how, entries, ++desk.sequence,
                     [this](const VenueReport& report) { desk.reports.push_back(report); });
    return desk.reports.back();
  }
  /// The statuses of the entries, in their order.
  [[nodiscard]] std::string statuses() const {
    std::string text;
    for (const VenueReport& report : desk.reports) {
      if (report.kind == VK::Quoted) text += (text.empty() ? "" : ", ") + std::string(to_string(report.status));
    }
    return text;
  }
  static QuoteEntry bid(OrderId id, Price price, Quantity quantity, BookNumber book = 0) {
    return {.id = id, .price = price, .quantity = quantity, .book = book, .side = Side::Buy};
  }
  static QuoteEntry ask(OrderId id, Price price, Quantity quantity, BookNumber book = 0) {
    return {.id = id, .price = price, .quantity = quantity, .book = book, .side = Side::Sell};
  }
  [[nodiscard]] std::size_t resting() const { return desk.venue.book().book().size(); }

  VenueDesk desk;
};

TEST_F(MassQuote, PlacesReplacesAndTakesOff) {
  EXPECT_EQ(
      quote(1, {bid(1, 99, 5), ask(2, 101, 5), bid(3, 49, 5, 1), ask(4, 51, 5, 1)}, {.client_tag = 6}).status,
      VenueStatus::Success);
  EXPECT_EQ(desk.told(),
            "Added 1 5@99, Quoted 1 0@0, Added 2 5@101, Quoted 2 0@0, Added 3 5@49, Quoted 3 0@0, "
            "Added 4 5@51, Quoted 4 0@0, Done");
  for (const VenueReport& report : desk.reports) EXPECT_EQ(report.client_tag, 6u);
  quote(1, {bid(1, 99, 3), ask(2, 102, 5), bid(3, 0, 0, 1), ask(4, 51, 5, 1)});
  EXPECT_EQ(desk.told(),
            "Reduced 1 2@99 Asked, Quoted 1 0@0, Replaced 2x2 5@102, Quoted 2 0@0, "
            "Deleted 3 5@49 Asked, Quoted 3 0@0, Quoted 4 0@0, Done");
  EXPECT_TRUE(desk.reports[1].kept_place());
  EXPECT_EQ(desk.reports[0].client_tag, 6u) << "an order keeps its own";
  EXPECT_EQ(resting(), 3u);
}

TEST_F(MassQuote, TellsAStatusForEachEntry) {
  desk.limit(2, 9, Side::Buy, 90, 1);
  desk.limit(1, 8, Side::Buy, 90, 1, {.trigger = 120, .stop = StopTrigger::LastTrade});
  desk.send({.quantity = 5, .book = 1, .type = VC::Halt});
  EXPECT_EQ(quote(1, {bid(1, 99, 5),
                      bid(2, 99, 0),
                      bid(9, 91, 1),
                      bid(8, 91, 1),
                      ask(1, 105, 1),
                      bid(1, 98, 1, 1),
                      bid(3, 97, 1, 7),
                      bid(4, 97, 1, 1),
                      ask(5, 105, 1),
                      {.id = 6, .price = 1, .quantity = 1, .side = static_cast<Side>(7)}})
                .status,
            VenueStatus::Success);
  EXPECT_EQ(statuses(),
            "Success, UnknownOrder, DuplicateId, DuplicateId, InvalidCommand, InvalidCommand, UnknownBook, "
            "Halted, Success, RefusedByRisk");
  EXPECT_EQ(desk.reports.back().account, 1u);
  EXPECT_EQ(resting(), 3u);
}

TEST_F(MassQuote, LeavesNoneOfThemIfOneIsRefused) {
  quote(1, {bid(1, 99, 5), ask(2, 101, 5)});
  desk.limit(1, 7, Side::Buy, 80, 1);
  const VenueCommand all_or_none{.quote_mode = QuoteMode::AllOrNone};
  EXPECT_EQ(quote(1, {bid(1, 98, 5), bid(3, 97, 0), ask(2, 102, 5)}, all_or_none).status,
            VenueStatus::QuoteRefused);
  EXPECT_EQ(statuses(), "Success, UnknownOrder, QuoteRefused");
  EXPECT_EQ(desk.told(),
            "Replaced 1x1 5@98, Quoted 1 0@0, Quoted 3 0@0, Quoted 2 0@0, Deleted 1 5@98 QuoteRefused, "
            "Deleted 2 5@101 QuoteRefused, Done QuoteRefused");
  EXPECT_EQ(resting(), 1u) << "another order of the account stays";
  EXPECT_EQ(quote(1, {bid(1, 98, 5), ask(2, 102, 5)}, all_or_none).status, VenueStatus::Success);
  EXPECT_EQ(resting(), 3u);
}

/// A stop that a quote fires comes after all entries.
TEST_F(MassQuote, LetsNothingComeBetween) {
  desk.limit(2, 20, Side::Sell, 100, 1);
  desk.limit(2, 21, Side::Buy, 105, 1, {.trigger = 100, .stop = StopTrigger::LastTrade});
  const VenueReport& done = quote(1, {bid(1, 100, 2), ask(2, 104, 2)});
  EXPECT_EQ(done.quantity, 1u);
  EXPECT_EQ(desk.told(),
            "Executed 1x20 1@100, Added 1 1@100, Quoted 1 1@0, Added 2 2@104, Quoted 2 0@0, "
            "Triggered 21 1@100, Executed 21x2 1@104, Fired 21 1@0, Done");
}

TEST_F(MassQuote, IsRefusedAsAWhole) {
  const auto refused = [&](AccountNumber account, const Entries& entries, VenueCommand how = {}) {
    const VenueReport done = quote(account, entries, how);
    EXPECT_EQ(desk.reports.size(), 1u);
    return done;
  };
  EXPECT_EQ(refused(1, Entries(quote_entries_max + 1, bid(1, 99, 1))).status, VenueStatus::InvalidCommand);
  EXPECT_EQ(refused(1, {bid(1, 99, 1)}, {.time_in_force = TimeInForce::ImmediateOrCancel}).status,
            VenueStatus::InvalidCommand);
  EXPECT_EQ(refused(1, {bid(1, 99, 1)}, {.quote_mode = static_cast<QuoteMode>(2)}).status,
            VenueStatus::InvalidCommand);
  EXPECT_EQ(refused(9, {bid(1, 99, 1)}).risk, RiskStatus::UnknownAccount);
  desk.send({.account = 1, .type = VC::Kill});
  EXPECT_EQ(refused(1, {bid(1, 99, 1)}).risk, RiskStatus::AccountKilled);
  desk.send({.account = 1, .type = VC::Restore});
  EXPECT_EQ(quote(1, Entries(quote_entries_max, bid(1, 99, 1))).status, VenueStatus::Success);
  EXPECT_EQ(quote(1, {}).status, VenueStatus::Success) << "an empty one does nothing";
  const Entries some{bid(1, 99, 1)};
  VenueStatus status{};
  desk.venue.quote({.time = ++desk.time, .account = 1, .type = VC::Advance}, some, 1,
                   [&](const VenueReport& report) { status = report.status; });
  EXPECT_EQ(status, VenueStatus::InvalidCommand) << "other commands have no entries";
}

/// It counts as one message of its account.
TEST_F(MassQuote, CountsAsOneMessage) {
  AccountLimits limits;
  limits.message_burst = 2;
  limits.message_interval = 1'000;
  desk.send(VenueCommand::set_limits(1, limits, 0));
  EXPECT_EQ(quote(1, {bid(1, 99, 5), ask(2, 101, 5), bid(1, 98, 4), ask(2, 102, 4)}).status, VenueStatus::Success);
  EXPECT_EQ(statuses(), "Success, Success, Success, Success");
  EXPECT_EQ(quote(1, {bid(1, 97, 5)}).status, VenueStatus::Success);
  EXPECT_EQ(quote(1, {bid(1, 96, 5)}).risk, RiskStatus::TooManyMessages);
}

TEST(MassQuoteAtRandom, DoesWhatTheOracleDoes) {
  std::map<VenueStatus, int> counts;
  for (std::uint64_t seed = 1; seed <= (LLMES_TEST_SANITIZED ? 2 : 8); ++seed) {
    VenuePair pair(planned_venue);
    VenuePlanner planner(seed);
    Random random(seed);
    for (int i = 0; i < 2'000; ++i) {
      const VenueCommand command = planner.next();
      // Of the others', where children have no order of their own, the order of reports may differ.
      const bool is_everybodys = command.type == VC::MassCancel && command.account == 0;
      if (!is_everybodys) pair.make(command);
      if (i % 3 != 0) continue;
      VenueCommand quote{.time = command.time, .type = VC::MassQuote};
      quote.account = 1 + static_cast<AccountNumber>(random.below(4));
      quote.client_tag = static_cast<std::uint32_t>(random.below(3));
      if (random.chance(20)) quote.time_in_force = static_cast<TimeInForce>(random.below(5));
      if (random.chance(20)) quote.self_trade = static_cast<SelfTrade>(random.below(6));
      if (random.chance(20)) quote.lifetime = Lifetime::Day;
      if (random.chance(40)) quote.quote_mode = QuoteMode::AllOrNone;
      Entries entries;
      for (std::uint64_t left = random.below(7); left > 0; --left) {
        QuoteEntry entry;
        entry.id = random.chance(85) ? 4 * (1 + random.below(5)) + quote.account - 1 : 1 + random.below(40);
        entry.price = 95 + static_cast<Price>(random.below(11));
        entry.quantity = random.below(6);
        entry.book = random.chance(96) ? entry.id / 4 % 2 : 2;
        entry.side = entry.id / 8 % 2 == 0 ? Side::Buy : Side::Sell;
        entries.push_back(entry);
      }
      pair.make(quote, entries);
      if (i % 30 == 0) pair.compare();
      ASSERT_EQ(pair.difference(), "") << "seed " << seed << ", command " << i;
    }
    for (const auto& [status, count] : pair.counts) counts[status] += count;
  }
  for (const VenueStatus status :
       {VenueStatus::Success, VenueStatus::InvalidCommand, VenueStatus::UnknownOrder, VenueStatus::UnknownBook,
        VenueStatus::Closed, VenueStatus::Halted, VenueStatus::NotInAuction, VenueStatus::OffLot,
        VenueStatus::OffTick, VenueStatus::OutsideBands, VenueStatus::DuplicateId, VenueStatus::QuoteRefused,
        VenueStatus::RefusedByBook}) {
    EXPECT_GT(counts[status], LLMES_TEST_SANITIZED ? 0 : 3) << status;
  }
}

}  // namespace
}  // namespace llmes::test::mass_quote_test
