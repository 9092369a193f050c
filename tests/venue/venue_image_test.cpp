// SPDX-License-Identifier: MIT
//
// The state of a venue: the same commands give the same bytes, its image goes on where it stopped, a forged one is
// refused or safe to use, and nothing allocates after `create`.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/engine/snapshot/image.hpp"
#include "llmes/engine/snapshot/image_check.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/venue_desk.hpp"
#include "tests/support/venue_streams.hpp"
#include "tests/venue/images.hpp"

namespace llmes::test::venue_image_test {
namespace {

using Bytes = std::vector<std::byte>;

std::vector<VenueCommand> commands(std::uint64_t seed, std::size_t count) {
  VenuePlanner planner(seed);
  std::vector<VenueCommand> all;
  while (all.size() < count) all.push_back(planner.next());
  return all;
}

void restore(Venue<>& venue, const Bytes& image) {
  auto next = image.begin();
  ASSERT_EQ(read_image(venue, image.size(),
                       [&](std::span<std::byte> bytes) {
                         std::copy_n(next, bytes.size(), bytes.begin());
                         next += static_cast<std::ptrdiff_t>(bytes.size());
                         return true;
                       }),
            ImageStatus::Success);
}
bool holds(const Venue<>& venue) {
  return ImageCheck::holds(venue.book()) && venue.holds();
}

TEST(VenueImage, IsAFunctionOfTheCommandsAndGoesOn) {
  VenueDesk desk(planned_venue);
  VenueDesk same(planned_venue);
  std::size_t restored = 0;
  for (const VenueCommand& command : commands(31, 3'000)) {
    desk.send_as_it_is(command);
    same.send_as_it_is(command);
    ASSERT_EQ(std::memcmp(desk.reports.data(), same.reports.data(), desk.reports.size() * sizeof(VenueReport)), 0);
    ASSERT_EQ(desk.reports.size(), same.reports.size());
    ASSERT_TRUE(holds(desk.venue));
    if (desk.sequence % 37 != 0) continue;
    const Bytes image = image_of(desk.venue);
    ASSERT_EQ(image, image_of(same.venue));
    Venue<> other = *Venue<>::create(planned_venue);
    restore(other, image);
    ASSERT_TRUE(holds(other));
    ASSERT_EQ(image_of(other), image);
    same.venue = std::move(other);
    ++restored;
  }
  EXPECT_GT(restored, 80u);
}

TEST(VenueImage, ThatIsForgedIsRefusedOrSafe) {
  const std::vector<VenueCommand> all = commands(32, 700);
  VenueDesk desk(planned_venue);
  for (std::size_t i = 0; i < 600; ++i) desk.send_as_it_is(all[i]);
  const Bytes image = image_of(desk.venue);
  Random random(33);
  int refused = 0;
  int passed = 0;
  VenueDesk victim(planned_venue);
  const std::size_t words = image.size() / 4;
  for (int i = 0; i < (LLMES_TEST_SANITIZED ? 1'000 : 4'000); ++i) {
    const std::size_t word = 2 + random.below(words - 2);
    std::uint32_t value = 0;
    std::memcpy(&value, image.data() + 4 * word, 4);
    const std::uint32_t others[] = {value + 1, value - 1, value ^ 0x8000'0000u, ~std::uint32_t{0},
                                    static_cast<std::uint32_t>(random.below(500))};
    const std::uint32_t other = others[random.below(5)];
    Bytes forged = image;
    std::memcpy(forged.data() + 4 * word, &other, 4);
    restore(victim.venue, forged);
    if (!holds(victim.venue)) {
      ++refused;
      continue;
    }
    ++passed;
    for (std::size_t at = 600; at < all.size(); ++at) victim.send_as_it_is(all[at]);
  }
  EXPECT_GT(refused, 400);
  EXPECT_GT(passed, 0) << "a price of a free slot, or the cash of an account, is whatever it is";
}

/// Random bytes, of which most members are then made sensible.
VenueCommand garbage(Random& random, Nanoseconds& time) {
  std::array<std::uint64_t, sizeof(VenueCommand) / 8> words{};
  for (std::uint64_t& word : words) word = random.next();
  auto command = std::bit_cast<VenueCommand>(words);
  const auto sensible = [&] { return random.below(100) < 85; };
  if (random.below(500) != 0) command.time = ++time;
  if (sensible()) command.type = static_cast<VC>(random.chance(50) ? random.below(6) : 96 + random.below(16));
  if (sensible()) command.account = static_cast<AccountNumber>(random.below(6));
  if (sensible()) command.book = static_cast<BookNumber>(random.below(3));
  if (sensible()) command.id = random.below(30);
  if (sensible()) command.new_id = random.below(30);
  if (sensible()) command.price = static_cast<Price>(random.below(5));
  if (sensible()) command.quantity = random.below(9);
  if (sensible()) command.side = static_cast<Side>(random.below(2));
  if (sensible()) command.time_in_force = static_cast<TimeInForce>(random.below(2));
  if (sensible()) command.self_trade = static_cast<SelfTrade>(random.below(5));
  if (sensible()) command.display = static_cast<Display>(random.below(3));
  if (sensible()) command.peak = 1 + random.below(3);
  if (sensible()) command.minimum = 0;
  if (sensible()) command.effect = PositionEffect::Any;
  if (sensible()) command.stop = static_cast<StopTrigger>(random.below(3));
  if (sensible()) command.trigger = static_cast<Price>(random.below(5));
  if (sensible()) command.trail = 0;
  if (sensible()) command.lifetime = static_cast<Lifetime>(random.below(3));
  if (sensible()) command.expiry = time + random.below(50);
  if (sensible()) command.link = 0;
  if (sensible()) command.link_role = LinkRole::None;
  if (sensible()) command.phase = static_cast<Phase>(random.below(5));
  return command;
}

/// Changes one member of a part of a venue in each of `ways`, and expects that it does not hold.
template <class Part, class Entry>
void expect_no_hold(const Part& make, std::size_t at, std::initializer_list<void (*)(Entry&)> ways) {
  for (std::size_t way = 0; way < ways.size(); ++way) {
    auto part = make();
    EXPECT_TRUE(part.holds());
    forge(part, [&](Entry& entry, std::size_t place) {
      if (place == at) ways.begin()[way](entry);
    });
    EXPECT_FALSE(part.holds()) << way;
  }
}

TEST(VenueImage, OfSymbolsThatCannotBeDoesNotHold) {
  using S = Symbol;
  expect_no_hold<>([] { return Symbols(2, Phase::Continuous); }, 1,
                   std::initializer_list<void (*)(S&)>{
                       [](S& s) { s.lot = 0; }, [](S& s) { s.tick_count = S::ticks_max + 1; },
                       [](S& s) { s.phase = static_cast<Phase>(5); }, [](S& s) { s.halted = 2; },
                       [](S& s) { s.collected = 2; }, [](S& s) { s.traded = 2; },
                       [](S& s) { s.lowest = 1, s.highest = 0; }, [](S& s) { s.ticks[7].size = 0; }});
}

TEST(VenueImage, OfTradesThatCannotBeDoesNotHold) {
  const auto make = [] {
    MatchLog log(4);
    for (int i = 0; i < 2; ++i) (void)log.add({.quantity = 1});
    return log;
  };
  using M = LoggedMatch;
  expect_no_hold<>(
      make, 1,
      std::initializer_list<void (*)(M&)>{[](M& m) { m = {}; }, [](M& m) { m.match = 5; },
                                          [](M& m) { m.taker_side = static_cast<Side>(2); },
                                          [](M& m) { m.in_auction = 2; }, [](M& m) { m.busted = 2; }});
  expect_no_hold<>(make, 3, std::initializer_list<void (*)(M&)>{[](M& m) { m.match = 3; }});
}

/// The state of `venue`, but with `part`, of which all but its digest lies at `at` in an image.
template <class Part>
Venue<> with_part(const Venue<>& venue, const Part& part, std::size_t at) {
  Bytes image = image_of(venue);
  const Bytes other = image_of(part);
  std::copy(other.begin() + 8, other.end(), image.begin() + static_cast<std::ptrdiff_t>(at));
  return read_from<Venue<>>(image, planned_venue);
}

TEST(VenueImage, WithTheBooksOfAnotherOneDoesNotHold) {
  VenueDesk desk(planned_venue);
  const VenueCommand first{.id = 1, .price = 10, .quantity = 5, .account = 1};
  const VenueCommand second{.id = 2, .price = 9, .quantity = 5, .account = 1};
  const VenueCommand third{.id = 3, .price = 9, .quantity = 5, .account = 1};
  desk.send(first);
  desk.send(second);
  const auto holds_with = [&](auto... orders) {
    VenueDesk other(planned_venue);
    (other.send(orders), ...);
    const Venue<> venue = with_part(desk.venue, other.venue.book(), 8);
    EXPECT_TRUE(ImageCheck::holds(venue.book()));
    return venue.holds();
  };
  const auto changed = [&](auto member, auto value) {
    VenueCommand order = first;
    order.*member = value;
    return holds_with(order, second);
  };
  EXPECT_TRUE(holds_with(first, second));
  EXPECT_FALSE(holds_with(first));
  EXPECT_FALSE(holds_with(first, second, third));
  EXPECT_FALSE(changed(&VenueCommand::id, OrderId{3}));
  EXPECT_FALSE(changed(&VenueCommand::side, Side::Sell));
  EXPECT_FALSE(changed(&VenueCommand::price, Price{8}));
  EXPECT_FALSE(changed(&VenueCommand::quantity, Quantity{6}));
  EXPECT_FALSE(changed(&VenueCommand::account, AccountNumber{2}));
  EXPECT_FALSE(changed(&VenueCommand::book, BookNumber{1}));
  VenueBook fewer = *VenueBook::create(planned_venue.books, {});
  ASSERT_EQ(fewer.add_book(), 0u);
  EXPECT_FALSE(with_part(desk.venue, fewer, 8).holds());
}

/// The links of an image name orders, which need not be there.
TEST(VenueImage, WithTheLinksOfAnotherOneIsSafe) {
  using enum LinkRole;
  VenueDesk desk(planned_venue);
  const auto linked = [&](OrderId id, Side side, Price price, std::uint64_t link, LinkRole role) {
    desk.limit(1, id, side, price, 10, {.link = link, .link_role = role});
  };
  linked(1, Side::Buy, 10, 1, OneCancelsOther);
  linked(2, Side::Buy, 9, 1, OneCancelsOther);
  linked(3, Side::Sell, 20, 2, BracketChild);
  linked(4, Side::Sell, 21, 2, BracketChild);
  linked(5, Side::Buy, 11, 2, BracketParent);
  desk.limit(2, 6, Side::Sell, 11, 2);
  ASSERT_EQ(desk.open(4), 2u);

  VenueDesk other(planned_venue);
  other.limit(1, 1, Side::Buy, 10, 10);
  other.limit(1, 5, Side::Buy, 11, 8);
  const std::size_t behind =
      sizeof(std::array<Nanoseconds, 5>) + sizeof(Nanoseconds);  // its schedule, and its time
  const std::size_t at = image_of(other.venue).size() - behind - (image_of(desk.venue.links()).size() - 8);
  other.venue = with_part(other.venue, desk.venue.links(), at);
  ASSERT_TRUE(holds(other.venue));
  other.limit(2, 7, Side::Sell, 11, 3);
  EXPECT_EQ(other.told(), "Executed 7x5 3@11, Done") << "nobody grows";
  other.cancel(1, 5);
  other.limit(2, 8, Side::Sell, 10, 4);
  EXPECT_EQ(other.told(), "Executed 8x1 4@10, Done") << "nobody has less";
  other.cancel(1, 1);
  EXPECT_EQ(other.told(), "Deleted 1 6@10 Asked, Done") << "nobody goes";
  EXPECT_TRUE(holds(other.venue));
}

TEST(VenueImage, WithAChildInNoBookDoesNotHold) {
  VenueDesk desk(planned_venue);
  for (const OrderId id : {OrderId{3}, OrderId{4}}) {
    desk.limit(1, id, Side::Sell, 20, 10, {.link = 2, .link_role = LinkRole::BracketChild});
  }
  ASSERT_TRUE(holds(desk.venue));
  using Words = std::array<std::uint64_t, sizeof(VenueCommand) / 8>;
  forge(desk.venue, [](Words& words, std::size_t) {
    auto command = std::bit_cast<VenueCommand>(words);
    if (command.id == 3) command.book = 2;
    words = std::bit_cast<Words>(command);
  });
  EXPECT_FALSE(desk.venue.holds());
}

TEST(MatchLog, ThatWasMovedFromNumbersTradesAndKeepsNone) {
  MatchLog log(4);
  EXPECT_EQ(log.add({.quantity = 1}), 1u);
  EXPECT_EQ(log.at(2), std::nullopt);
  const MatchLog other = std::move(log);
  EXPECT_TRUE(other.at(1));
  (void)log.add({.quantity = 1});  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(log.at(1), std::nullopt);
}

TEST(VenueImage, OfRandomBytesAsCommandsHolds) {
  Random random(35);
  std::size_t accepted = 0;
  for (int round = 0; round < 20; ++round) {
    VenueDesk desk(planned_venue);
    Nanoseconds time = 0;
    for (int i = 0; i < 500; ++i) {
      const VenueCommand command = garbage(random, time);
      const VenueReport done = desk.send_as_it_is(command);
      ASSERT_EQ(done.kind, VK::Done);
      for (const VenueReport& report : desk.reports) ASSERT_NE(report.risk, RiskStatus::Mismatch);
      if (done.status != VenueStatus::Success) {
        ASSERT_EQ(desk.reports.size(), 1u);
      }
      accepted += done.status == VenueStatus::Success;
      time = std::max(time, desk.venue.now());
      if (desk.venue.now() > ~Nanoseconds{0} / 2) break;  // nothing comes after that
    }
    ASSERT_TRUE(holds(desk.venue));
  }
  EXPECT_GT(accepted, 200u);
}

TEST(VenueMemory, IsAllocatedByCreateAlone) {
  const std::vector<VenueCommand> all = commands(34, 5'000);
  Venue<> venue = *Venue<>::create(planned_venue);
  std::uint64_t reports = 0;
  const std::uint64_t before = bench::allocation_count();
  for (const VenueCommand& command : all) {
    venue.apply(command, 1, [&](const VenueReport&) { ++reports; });
  }
  EXPECT_EQ(bench::allocation_count(), before);
  EXPECT_GT(reports, all.size());
}

}  // namespace
}  // namespace llmes::test::venue_image_test
