// SPDX-License-Identifier: MIT
//
// The stream that spreads its orders over the band: every price is equally likely, nothing crosses, the book holds
// its number of orders, and books over a band of any width play it as planned.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "bench/harness/race.hpp"
#include "bench/programs/growth/band.hpp"
#include "bench/streams/spread.hpp"
#include "llmes/book.hpp"
#include "tests/lab/share.hpp"

namespace llmes::test::spread_plan_test {
namespace {

using bench::Batch;
using bench::Census;
using bench::Event;
using bench::Plan;
using bench::PlanSpec;
using bench::Window;

PlanSpec small_spec(std::size_t orders) {
  return {.standing = orders, .batches = 3, .batch = 5'000, .rewarm = 500, .warm_up = 20'000};
}

TEST(SpreadPlan, HoldsItsOrders) {
  // The smallest book has one order or two; the number in the largest changes slowly.
  for (const auto& [orders, margin, tolerance] :
       {std::tuple{1u, 1u, 0.1}, {100u, 3u, 0.5}, {5'000u, 101u, 101.0}}) {
    const Plan plan = bench::spread_plan(small_spec(orders), 512);
    const Census census = bench::census_of(plan);
    EXPECT_NEAR(share(census.resting_sum, census.events), orders, tolerance);
    EXPECT_EQ(plan.capacity, orders + margin);
    EXPECT_LE(census.resting_peak, plan.capacity);
  }
}

TEST(SpreadPlan, IsAddsAndCancelsWithoutATradeOrAMiss) {
  const Plan plan = bench::spread_plan(small_spec(1'000), 512);
  const Census census = bench::census_of(plan);
  EXPECT_EQ(census.events, 15'000);
  EXPECT_EQ(census.adds + census.cancels, census.events);
  EXPECT_NEAR(share(census.adds, census.events), 0.5, 0.02);
  EXPECT_EQ(census.immediate, 0);
  ASSERT_EQ(plan.batches.size(), 3);
  std::size_t end = 1'000 + 20'000;
  for (const Batch& batch : plan.batches) {
    EXPECT_EQ(batch.expected, bench::Digest{});
    EXPECT_EQ(batch.rewarm_begin, end);
    EXPECT_EQ(batch.begin, end + 500);
    EXPECT_EQ(batch.end, batch.begin + 5'000);
    end = batch.end;
  }
  EXPECT_EQ(plan.events.size(), end);
}

TEST(SpreadPlan, VisitsTheMiddleHalfOfTheBandEvenly) {
  constexpr std::size_t price_levels = 128;
  const Plan plan = bench::spread_plan(small_spec(1'000), price_levels);
  std::vector<std::size_t> adds(price_levels);
  std::size_t all = 0;
  for (const Event& event : plan.events) {
    if (event.type != CommandType::AddLimit) continue;
    EXPECT_EQ(event.side, event.price < 64 ? Side::Buy : Side::Sell);
    ++adds.at(static_cast<std::size_t>(event.price - plan.base_price));
    ++all;
  }
  for (std::size_t price = 0; price < price_levels; ++price) {
    const double expected = price < 32 || price >= 96 ? 0 : static_cast<double>(all) / 64;
    EXPECT_NEAR(static_cast<double>(adds[price]), expected, expected * 0.4) << price;
  }
}

// Each of a thousand orders is equally likely to be cancelled, so lifetimes are exponential. Half of the events
// are cancels, so a lifetime is 2,000 events on average, and one in ten is shorter than 200.
TEST(SpreadPlan, CancelsOldOrdersAsOftenAsYoungOnes) {
  PlanSpec spec = small_spec(1'000);
  spec.batch = 20'000;
  const Plan plan = bench::spread_plan(spec, 512);
  std::vector<std::size_t> born(plan.order_count);
  std::uint64_t cancels = 0;
  std::uint64_t young = 0;
  std::uint64_t old = 0;
  for (std::size_t i = 0; i < plan.events.size(); ++i) {
    const Event& event = plan.events[i];
    if (event.type == CommandType::AddLimit) {
      born[event.order] = i;
    } else if (i >= 20'000) {
      ++cancels;
      young += i - born[event.order] < 200;
      old += i - born[event.order] > 4'000;
    }
  }
  EXPECT_NEAR(share(young, cancels), 1 - std::exp(-0.1), 0.015);
  EXPECT_NEAR(share(old, cancels), std::exp(-2), 0.02);
}

TEST(SpreadPlan, IsTheSameForTheSameSeedAlone) {
  PlanSpec spec = small_spec(100);
  const Plan plan = bench::spread_plan(spec, 512);
  const auto same_prices = [&plan](const Plan& other) {
    return std::equal(plan.events.begin(), plan.events.end(), other.events.begin(), other.events.end(),
                      [](const Event& a, const Event& b) { return a.price == b.price && a.order == b.order; });
  };
  EXPECT_TRUE(same_prices(bench::spread_plan(spec, 512)));
  spec.seed = 2;
  EXPECT_FALSE(same_prices(bench::spread_plan(spec, 512)));
}

TEST(SpreadPlan, OfNothingIsRefused) {
  EXPECT_THROW((void)bench::spread_plan(small_spec(0), 512), std::invalid_argument);
  EXPECT_THROW((void)bench::spread_plan(small_spec(10), 2), std::invalid_argument);
  EXPECT_THROW((void)bench::spread_plan(small_spec(10), 1 << 20), std::invalid_argument);
  PlanSpec spec = small_spec(10);
  spec.batch = 0;
  EXPECT_THROW((void)bench::spread_plan(spec, 512), std::invalid_argument);
}

template <std::size_t PriceLevels>
void expect_played_as_planned() {
  const Plan plan = bench::spread_plan(small_spec(1'000), PriceLevels);
  const auto [single, spans] = bench::enter_band<PriceLevels>(plan);
  for (bench::Runner* runner : {static_cast<bench::Runner*>(single.get()), spans.get()}) {
    runner->start();
    for (std::size_t i = 0; i < plan.batches.size(); ++i) {  // checks the fills, misses and resting orders
      const Window window = runner->run(i, nullptr);
      EXPECT_EQ(window.digest, bench::Digest{});
      EXPECT_EQ(window.allocations, 0);
    }
  }
  EXPECT_EQ(single->microseconds().size(), plan.batches.size());
  for (const double microseconds : single->microseconds()) EXPECT_GT(microseconds, 0);
  EXPECT_EQ(single->memory_bytes(), OrderBook<PriceLevels>::memory_bytes(plan.capacity));
}

TEST(SpreadPlan, IsPlayedByBooksOfAnyWidth) {
  expect_played_as_planned<128>();
  expect_played_as_planned<4'096>();
  expect_played_as_planned<262'144>();
}

TEST(RecentringReplay, RefusesABandThatCannotMove) {
  Plan plan = bench::spread_plan(small_spec(1), 512);
  // As if the band began where its lowest order rests.
  plan.events = {{0, 1, 0, CommandType::AddLimit, Side::Buy, {}}};
  plan.order_count = 1;
  plan.batches = {Batch{}};
  plan.batches[0].end = 1;
  plan.batches[0].resting_end = 1;
  const auto single = bench::enter_band<512>(plan).single;
  single->start();
  EXPECT_THROW(single->run(0, nullptr), std::runtime_error);
}

}  // namespace
}  // namespace llmes::test::spread_plan_test
