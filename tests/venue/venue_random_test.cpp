// SPDX-License-Identifier: MIT
//
// Random commands to a venue with everything in use, against the naive oracle: each report, and all that rests and
// waits. A rejection changes no byte, and whoever follows the reports knows all that accounts own and have open.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "llmes/types/text.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/venue_desk.hpp"
#include "tests/support/venue_oracle.hpp"
#include "tests/support/venue_streams.hpp"

namespace llmes::test::venue_random_test {
namespace {

constexpr VenueConfig config() {
  return {.books = {.max_books = 2, .capacity = 24, .far_levels = 24},
          .accounts = 4,
          .holdings = 8,
          .fees = {.maker = -2, .taker = 3},
          .stops = 6,
          .lifetimes = 2,
          .links = 3,
          .matches = 8};
}

/// What the reports alone tell.
class Follower {
 public:
  void take(const VenueReport& report) {
    switch (report.kind) {
      case VK::Added: open[report.id] = report.remaining; break;
      case VK::Executed:
        fill(report.account, report.book, report.side, report.price, report.quantity);
        fill(report.other_account, report.book, opposite(report.side), report.price, report.quantity);
        met(report);
        break;
      case VK::Prevented: met(report); break;
      case VK::Refilled:
      case VK::Reduced: set(report.id, report.remaining); break;
      case VK::Deleted: open.erase(report.id); break;
      case VK::Replaced:
        open.erase(report.other_id);
        open[report.id] = report.remaining;
        break;
      case VK::Busted:
        fill(report.account, report.book, opposite(report.side), report.price, report.quantity);
        fill(report.other_account, report.book, report.side, report.price, report.quantity);
        break;
      default: break;
    }
  }

  std::map<OrderId, Quantity> open;
  std::map<std::pair<AccountNumber, BookNumber>, std::int64_t> positions;
  std::map<AccountNumber, std::int64_t> paid;  ///< ticks times lots, without fees

 private:
  /// Two orders, of which the first one rested before if it was modified, or they meet in an auction.
  void met(const VenueReport& report) {
    set(report.other_id, report.other_remaining);
    if (open.contains(report.id)) set(report.id, report.remaining);
  }
  void set(OrderId id, Quantity lots) {
    if (lots == 0) {
      open.erase(id);
    } else {
      open[id] = lots;
    }
  }
  void fill(AccountNumber account, BookNumber book, Side side, Price price, Quantity quantity) {
    const std::int64_t lots = (side == Side::Buy ? 1 : -1) * static_cast<std::int64_t>(quantity);
    positions[{account, book}] += lots;
    paid[account] += lots * price;
  }
};

std::string text_of(const VenueReport& r) {
  std::string text(to_string(r.kind));
  for (const std::uint64_t number :
       {r.match, r.id, r.other_id, static_cast<std::uint64_t>(r.price), r.quantity, r.remaining, r.other_remaining,
        r.displayed, r.cancelled, std::uint64_t{r.account}, std::uint64_t{r.other_account}, std::uint64_t{r.book},
        std::uint64_t{r.fired}, std::uint64_t{r.client_tag}, std::uint64_t{r.other_client_tag}}) {
    text += ' ' + std::to_string(number);
  }
  text += ' ' + std::string(to_string(r.status)) + ' ' + std::string(to_string(r.risk)) + ' ' +
          std::string(to_string(r.result)) + ' ' + std::string(to_string(r.phase)) + ' ' +
          std::string(to_string(r.reason));
  return text + ' ' + std::to_string(static_cast<int>(r.side)) + ' ' + std::to_string(int{r.detail}) + '\n';
}
std::string text_of(const std::vector<VenueReport>& reports, bool sorted) {
  std::vector<std::string> lines;
  for (const VenueReport& report : reports) lines.push_back(text_of(report));
  if (sorted) std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

class VenueAtRandom : public ::testing::Test {
 protected:
  void step(const VenueCommand& command) {
    const auto before = desk.bytes();
    const VenueReport done = desk.send_as_it_is(command);
    std::vector<VenueReport> told = desk.reports;
    Nanoseconds time = command.type == VC::Advance ? 0 : command.time;
    for (VenueReport& report : told) {
      follower.take(report);
      ASSERT_EQ(report.sequence, desk.sequence);
      ASSERT_GE(report.time, time) << "what was due is told at its time";
      ASSERT_LE(report.time, command.time);
      time = report.kind == VK::Done ? report.time : time;
      ASSERT_TRUE(report.kind != VK::Done || report.time == command.time);
      ASSERT_NE(report.risk, RiskStatus::Mismatch);
      ++kinds[static_cast<std::size_t>(report.kind)];
      ++reasons[static_cast<std::size_t>(report.reason)];
      report.sequence = report.time = 0;
      report.handle = report.other_handle = {};
    }
    ++statuses[static_cast<std::size_t>(done.status)];
    // Children of brackets have no order of their own where everybody's are cancelled.
    const bool sorted = command.type == VC::MassCancel && command.account == 0;
    ASSERT_EQ(text_of(told, sorted), text_of(oracle.apply(command), sorted));
    if (done.status != VenueStatus::Success) {
      ASSERT_EQ(told.size(), 1u);
    }
    if (done.status != VenueStatus::Success && done.status != VenueStatus::RefusedByBook) {
      ASSERT_TRUE(desk.bytes() == before);
    }
    compare_state();
  }

  void compare_state() {
    std::map<OrderId, Quantity> open;
    for (const RuledOrder& order : oracle.resting()) {
      open[order.shown.id] = order.total();
      for (const RuledOrder& other : oracle.resting()) {
        if (order.book != other.book || order.shown.side >= other.shown.side || !oracle.trades(order.book))
          continue;
        ASSERT_LT(order.shown.price, other.shown.price) << "no book is crossed while it trades";
      }
    }
    ASSERT_EQ(follower.open, open);
    for (BookNumber book = 0; book < 2; ++book) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        std::vector<OrderId> ids;
        desk.venue.book().book(book)->visit_orders(side,
                                                   [&](const RestingOrder& order) { ids.push_back(order.id); });
        ASSERT_EQ(ids, oracle.ids(book, side));
      }
    }
    for (const VenueCommand& stop : oracle.stops().stops()) {
      const auto found = desk.venue.stops().find(stop.id);
      ASSERT_TRUE(found && found->trigger == stop.trigger && found->quantity == stop.quantity);
    }
    ASSERT_EQ(desk.venue.stops().size(), oracle.stops().stops().size());
    ASSERT_EQ(desk.venue.lifetimes(), oracle.lifetimes());
    ASSERT_EQ(desk.venue.links().size(), oracle.linked());
    const RiskStage& risk = desk.venue.risk();
    std::size_t count = 0;
    for (AccountNumber account = 1; account <= 4; ++account) {
      risk.visit_open(account, [&](const OpenOrder& order) {
        ++count;
        ASSERT_EQ(open[order.id], order.quantity);
      });
      for (BookNumber book = 0; book < 2; ++book) {
        ASSERT_EQ(risk.accounts().holding(account, book).position, (follower.positions[{account, book}]));
      }
    }
    ASSERT_EQ(count, open.size());
  }

  VenueDesk desk{config()};
  VenueOracle oracle{config()};
  Follower follower;
  std::array<std::size_t, 32> kinds{};
  std::array<std::size_t, 16> reasons{};
  std::array<std::size_t, 64> statuses{};
};

/// Time that passes in one step is the same as time that passes in many.
TEST(VenueAdvance, EqualsItsSteps) {
  std::size_t set_off = 0;
  for (std::uint64_t seed = 1; seed <= (LLMES_TEST_SANITIZED ? 2 : 6); ++seed) {
    VenueDesk whole{config()};
    VenueDesk stepped{config()};
    VenuePlanner planner(seed);
    for (int i = 0; i < 2'000; ++i) {
      const VenueCommand command = planner.next();
      std::vector<VenueReport> expected;
      std::uint32_t fired = 0;
      if (command.type == VC::Advance) {
        for (VenueCommand step = command; stepped.venue.now() < command.time; ++stepped.sequence) {
          step.time = stepped.venue.now() + (i % 3 == 0 ? 1 : 2);
          if (step.time >= command.time) break;
          stepped.venue.apply(step, whole.sequence + 1, [&](const VenueReport& report) {
            fired += report.fired;
            if (report.kind != VK::Done) expected.push_back(report);
          });
        }
      }
      whole.send_as_it_is(command);
      stepped.venue.apply(command, whole.sequence, [&](const VenueReport& report) { expected.push_back(report); });
      expected.back().fired += fired;
      if (command.type == VC::Advance) set_off += expected.size() - 1;
      ASSERT_EQ(text_of(whole.reports, false), text_of(expected, false)) << "seed " << seed << ", command " << i;
      ASSERT_TRUE(whole.reports == expected) << "seed " << seed << ", command " << i;
      ASSERT_TRUE(whole.bytes() == stepped.bytes()) << "seed " << seed << ", command " << i;
    }
  }
  EXPECT_GT(set_off, LLMES_TEST_SANITIZED ? 30u : 100u);
}

TEST_F(VenueAtRandom, DoesWhatTheOracleDoes) {
  const std::uint64_t seeds = LLMES_TEST_SANITIZED ? 2 : 6;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    desk = VenueDesk{config()};
    oracle = VenueOracle{config()};
    follower = {};
    VenuePlanner planner(seed);
    for (int i = 0; i < 2'000; ++i) {
      const VenueCommand command = planner.next();
      step(command);
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << ", command " << i << ", type "
                                      << static_cast<int>(command.type);
    }
  }
  if (LLMES_TEST_SANITIZED) return;  // fewer seeds
  // Each kind of report, each reason and each status has come, but for what takes longer to reach.
  for (std::size_t kind = 0; kind <= static_cast<std::size_t>(VK::GrowthRefused); ++kind) {
    const bool is_rare = static_cast<VK>(kind) == VK::GrowthRefused;
    EXPECT_GT(kinds[kind], is_rare ? 0u : 10u) << to_string(static_cast<VK>(kind));
  }
  for (std::size_t reason = 0; reason <= static_cast<std::size_t>(DeleteReason::NoRoom); ++reason) {
    const bool needs_a_limit = static_cast<DeleteReason>(reason) == DeleteReason::Disconnected;
    const unsigned least = static_cast<DeleteReason>(reason) == DeleteReason::NoRoom ? 1 : 6;  // it is rare
    EXPECT_EQ(reasons[reason] >= least, !needs_a_limit) << to_string(static_cast<DeleteReason>(reason));
  }
  for (std::size_t status = 0; status <= static_cast<std::size_t>(VenueStatus::RefusedByBook); ++status) {
    const auto one = static_cast<VenueStatus>(status);
    EXPECT_EQ(statuses[status] > 0, one != VenueStatus::NoRoomForTick) << one;
  }
}

}  // namespace
}  // namespace llmes::test::venue_random_test
