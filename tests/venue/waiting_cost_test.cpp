// SPDX-License-Identifier: MIT
//
// What a price costs does not depend on how many stops wait, also if they trail; what comes, fires, leaves or
// expires costs a logarithm. An auction costs as much more as there are more orders and levels. Cost is counted in
// basic blocks, for which this file is compiled.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/rules.hpp"
#include "llmes/venue/expiry.hpp"
#include "llmes/venue/linked_orders.hpp"
#include "llmes/venue/stop_orders.hpp"
#include "tests/support/step_counter.hpp"
#include "tests/venue/waiting.hpp"

namespace llmes::test {
namespace {

constexpr std::size_t few = 100;
constexpr std::size_t many = 20'000;

/// So many sell stops below 1,000,000, in no order of their triggers; every other one trails if `trails`.
StopOrders stops_of(std::size_t count, bool trails) {
  auto stops = made<StopOrders>(StopConfig{.books = 1, .capacity = count + 1});
  for (std::size_t i = 0; i < count; ++i) {
    const auto below = static_cast<Price>(1 + i * 7'919 % count);
    VenueCommand stop = of(1 + static_cast<AccountNumber>(i % 50), sell_stop(i, 1'000'000 - below));
    if (trails && i % 2 == 0) stop = trailing(stop, below);
    EXPECT_EQ(stops.add(stop, {.last = 1'000'000}), VenueStatus::Success);
  }
  return stops;
}
[[gnu::noinline]] std::optional<VenueCommand> next(StopOrders& stops, Price last) {
  return stops.next(0, {.last = last, .best_bid = last - 1, .best_ask = last + 1});
}

TEST(StopCost, OfAPriceAtWhichNothingFiresIsConstant) {
  for (const bool trails : {false, true}) {
    const auto cost = [&](std::size_t count) {
      StopOrders stops = stops_of(count, trails);
      std::uint64_t most = 0;
      for (Price last = 1'000'001; last < 1'000'100; ++last) {
        most = std::max(most, steps_of([&] { EXPECT_FALSE(next(stops, last)); }));
      }
      return most;
    };
    EXPECT_EQ(cost(many), cost(few)) << trails;
  }
}

TEST(StopCost, OfOneThatComesFiresOrLeavesIsALogarithm) {
  for (const bool trails : {false, true}) {
    const auto cost = [&](std::size_t count) {
      StopOrders stops = stops_of(count, trails);
      EXPECT_FALSE(next(stops, 1'000'010));
      std::uint64_t most = 0;
      for (std::size_t i = 0; i < 20; ++i) {
        const VenueCommand stop = trailing(sell_stop(count + i, 0), 500'000);
        most = std::max(most,
                        steps_of([&] { EXPECT_EQ(stops.add(stop, {.last = 1'000'010}), VenueStatus::Success); }));
        most = std::max(most, steps_of([&] { EXPECT_TRUE(stops.find(count + i)); }));
        most = std::max(most, steps_of([&] { EXPECT_TRUE(stops.cancel(count + i)); }));
        most = std::max(most, steps_of([&] { EXPECT_TRUE(next(stops, 0)); }));
      }
      return most;
    };
    EXPECT_LT(cost(many), 4 * cost(few)) << trails;
  }
}

TEST(StopCost, OfAMassCancelIsThatOfTheOwner) {
  const auto cost = [](std::size_t count) {
    StopOrders stops = stops_of(count, true);
    EXPECT_EQ(stops.add(of(99, sell_stop(count, 1)), {}), VenueStatus::Success);
    return steps_of(
        [&] { EXPECT_EQ(stops.mass_cancel({.owner = 99}, [](const VenueCommand&) {}), VenueStatus::Success); });
  };
  EXPECT_LT(cost(many), 4 * cost(few));
}

TEST(ExpiryCost, IsALogarithm) {
  const auto cost = [](std::size_t count) {
    auto expiry = made<Expiry>(ExpiryConfig{.books = 1, .capacity = count});
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(expiry.add(i, 1 + i * 7'919 % count), VenueStatus::Success);
    std::uint64_t most = steps_of([&] { EXPECT_FALSE(expiry.next_due()); });
    EXPECT_EQ(expiry.advance(std::numeric_limits<Nanoseconds>::max() - 1), VenueStatus::Success);
    for (std::size_t i = 0; i < few / 2; ++i) {
      most = std::max(most, steps_of([&] { EXPECT_TRUE(expiry.next_due()); }));
      EXPECT_EQ(expiry.add(count + i, std::numeric_limits<Nanoseconds>::max()), VenueStatus::Success);
    }
    return most;
  };
  EXPECT_LT(cost(many), 4 * cost(few));
}

TEST(LinkCost, IsConstant) {
  const auto cost = [](std::size_t count) {
    auto links = made<LinkedOrders>(LinkConfig{.groups = count});
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < count; ++i) {
      VenueCommand order = buy_stop(2 * i, 100);
      order.account = 1;
      order.link = i + 1;
      order.link_role = LinkRole::OneCancelsOther;
      links.add(order);
      order.id = 2 * i + 1;
      links.add(order);
    }
    for (std::size_t i = 0; i < few; ++i) {
      all += steps_of([&] {
        links.on_fill(2 * i, 3);
        EXPECT_TRUE(links.next(always));
        links.on_end(2 * i);
        EXPECT_TRUE(links.next(always));
        EXPECT_FALSE(links.next(always));
      });
    }
    return all;
  };
  EXPECT_LT(cost(many), 2 * cost(few));
}

TEST(AuctionCost, IsLinearInOrdersAndLevels) {
  const auto cost = [](std::size_t count) {
    auto book = *RuledOrderBook<4096>::create({.base_price = 0, .capacity = count});
    for (std::size_t i = 0; i < count; ++i) {
      const auto side = static_cast<Side>(i % 2);
      const std::size_t above = side == Side::Buy ? count / 10 : 0;  // half of the prices cross
      EXPECT_TRUE(book.add_resting_order(i, side, static_cast<Price>(above + i * 7'919 % (count / 5)), 1 + i % 9,
                                         OrderTerms{.owner = static_cast<Owner>(i % 50)})
                      .rests());
    }
    Quantity traded = 0;
    const std::uint64_t steps = steps_of([&] {
      const Price price = book.indicative(0)->price;
      traded = book.uncross(price, SelfTrade::Decrement, [](const AuctionTrade&) {}).filled;
    });
    EXPECT_GT(traded, count);
    return steps;
  };
  EXPECT_LT(cost(10'000), 11 * cost(1'000));
}

}  // namespace
}  // namespace llmes::test
