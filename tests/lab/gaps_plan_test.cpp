// SPDX-License-Identifier: MIT
//
// The best prices of the stream `gaps` jump, as it claims, over a range that no band holds, while a few hundred
// orders rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "bench/harness/race.hpp"
#include "bench/streams/gaps.hpp"
#include "bench/streams/plan.hpp"
#include "llmes/book.hpp"
#include "tests/lab/share.hpp"

namespace llmes::test::gaps_plan_test {
namespace {

using bench::Batch;
using bench::Census;
using bench::Event;
using bench::GapsFlow;
using bench::Plan;
using bench::PlanSpec;

PlanSpec spec_of(std::size_t standing, std::uint64_t seed = 1) {
  return {.workload = "gaps",
          .standing = standing,
          .seed = seed,
          .batches = 5,
          .batch = 20'000,
          .rewarm = 500,
          .warm_up = 30'000};
}

class GapsPlan : public ::testing::TestWithParam<std::size_t> {
 protected:
  std::size_t standing = GetParam();
  Plan plan = make_plan(spec_of(standing));
  Census census = census_of(plan);
};
INSTANTIATE_TEST_SUITE_P(Standing, GapsPlan, ::testing::Values(200, 300, 1'000),
                         ::testing::PrintToStringParamName());

TEST_P(GapsPlan, IsAddsAndCancelsWithSomeModifiesAndTakers) {
  EXPECT_NEAR(share(census.adds, census.events), 0.49, 0.01);
  EXPECT_NEAR(share(census.cancels, census.events), 0.44, 0.01);
  EXPECT_NEAR(share(census.modifies, census.events), 0.05, 0.005);
  EXPECT_NEAR(share(census.markets, census.events), 0.02, 0.005);
  EXPECT_NEAR(share(census.fills, census.events), 0.05, 0.01);
  EXPECT_EQ(census.misses, 0U);
  EXPECT_EQ(census.one_sided, 0U);
}

TEST_P(GapsPlan, HoldsItsStandingWithHardlyTwoOrdersOnALevel) {
  EXPECT_NEAR(share(census.resting_sum, census.events), static_cast<double>(standing), 2);
  EXPECT_LE(census.resting_peak, standing + 40);
  EXPECT_GT(share(census.bid_levels_sum + census.ask_levels_sum, census.resting_sum), 0.95);
}

TEST_P(GapsPlan, HasNoBandAndStaysInItsRange) {
  EXPECT_EQ(plan.price_levels, 0U);
  EXPECT_EQ(plan.spec.ids, bench::Ids::Permuted);
  for (const Event& event : plan.events) {
    if (event.type != CommandType::AddLimit && event.type != CommandType::Modify) continue;
    ASSERT_GE(event.price, 0);
    ASSERT_LT(event.price, GapsFlow::range);
  }
  EXPECT_GT(census.touch_max - census.touch_min, 8 * GapsFlow::longest_step);
  EXPECT_GT(share(census.outside_65536, census.located), 0.98);
}

TEST_P(GapsPlan, MovesItsBestPricesByUpToAMillionTicks) {
  EXPECT_GT(share(census.jumps_64, census.events), 0.4);
  EXPECT_GT(share(census.jumps_4096, census.events), 0.25);
  EXPECT_GT(census.jump_max, GapsFlow::longest_step / 2);
}

/// The same as the census says, counted by a book that plays the plan.
TEST_P(GapsPlan, CountsTheJumps) {
  AnyPriceBook<> book = *AnyPriceBook<>::create({.capacity = plan.capacity});
  std::vector<OrderHandle> handles(plan.order_count);
  std::size_t at = 0;
  const auto play = [&] {
    const Event& event = plan.events[at++];
    const Result result = book.apply({event.order, handles[event.order], event.price, event.quantity, event.type,
                                      event.side, event.time_in_force},
                                     DiscardTrades{});
    if (result.handle != OrderHandle{}) handles[event.order] = result.handle;
  };
  for (const Batch& batch : plan.batches) {
    while (at < batch.begin) play();
    std::uint64_t jumps_64 = 0;
    std::uint64_t jumps_4096 = 0;
    std::uint64_t beyond = 0;  // the longest step: only where a side has hardly an order near the touch
    Price jump_max = 0;
    while (at < batch.end) {
      const std::array before{*book.best_bid(), *book.best_ask()};
      play();
      for (const Price jump : {std::abs(*book.best_bid() - before[0]), std::abs(*book.best_ask() - before[1])}) {
        jumps_64 += jump > 64;
        jumps_4096 += jump > 4096;
        beyond += jump > GapsFlow::longest_step;
        jump_max = std::max(jump_max, jump);
      }
    }
    EXPECT_EQ(batch.census.jumps_64, jumps_64);
    EXPECT_EQ(batch.census.jumps_4096, jumps_4096);
    EXPECT_EQ(batch.census.jump_max, jump_max);
    EXPECT_LT(share(beyond, batch.census.events), 0.01);
  }
}

}  // namespace
}  // namespace llmes::test::gaps_plan_test
