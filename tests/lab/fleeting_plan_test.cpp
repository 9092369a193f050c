// SPDX-License-Identifier: MIT
//
// The stream of orders that live for one to four messages has the shares that it claims, holds its resting orders,
// and wanders over its range; and its orders have ids of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "bench/harness/race.hpp"
#include "bench/streams/order_ids.hpp"
#include "bench/streams/plan.hpp"
#include "llmes/book.hpp"
#include "tests/lab/share.hpp"

namespace llmes::test::fleeting_plan_test {
namespace {

using bench::Census;
using bench::Event;
using bench::Ids;
using bench::OrderIds;
using bench::OrderNumber;
using bench::Plan;
using bench::PlanSpec;

PlanSpec spec_of(std::size_t standing, std::size_t wander) {
  return {.workload = "fleeting",
          .standing = standing,
          .batches = 5,
          .batch = 20'000,
          .rewarm = 500,
          .warm_up = 30'000,
          .wander = wander};
}

/// From a few orders to many, over a narrow range and a wide one.
class FleetingPlan : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  std::size_t standing = std::get<0>(GetParam());
  std::size_t wander = std::get<1>(GetParam());
  Plan plan = make_plan(spec_of(standing, wander));
  Census census = census_of(plan);
};
INSTANTIATE_TEST_SUITE_P(Streams, FleetingPlan,
                         ::testing::Values(std::tuple{250, 1'500}, std::tuple{20'000, 1'500},
                                           std::tuple{250, 38'000}, std::tuple{20'000, 38'000}));

TEST_P(FleetingPlan, FollowsAnAddAtOnceOrWithinFourMessages) {
  std::vector<std::size_t> added(plan.order_count);
  std::uint64_t follow_ups = 0;
  std::uint64_t at_once = 0;
  for (std::size_t i = 0; i < plan.events.size(); ++i) {
    const Event& event = plan.events[i];
    if (event.type == CommandType::AddLimit) added[event.order] = i;
    if (event.type != CommandType::Cancel && event.type != CommandType::Modify) continue;
    ASSERT_LE(i - added[event.order], 4U);
    ++follow_ups;
    at_once += i - added[event.order] == 1;
  }
  EXPECT_NEAR(share(at_once, follow_ups), 0.82, 0.01);
  EXPECT_NEAR(share(census.at_once, census.cancels + census.modifies), 0.82, 0.01);
  EXPECT_EQ(census.within_four, census.cancels + census.modifies);
}

TEST_P(FleetingPlan, IsAddsAndCancelsWithSomeModifiesAndTakers) {
  EXPECT_NEAR(share(census.adds, census.events), 0.48, 0.01);
  EXPECT_NEAR(share(census.cancels, census.events), 0.45, 0.01);
  EXPECT_NEAR(share(census.modifies, census.events), 0.045, 0.005);
  EXPECT_NEAR(share(census.markets, census.events), 0.029, 0.005);
  EXPECT_NEAR(share(census.fills, census.events), 0.055, 0.01);
  EXPECT_LT(share(census.misses, census.events), 0.001);  // cancels of orders that traded meanwhile
}

TEST_P(FleetingPlan, HoldsItsStanding) {
  EXPECT_NEAR(share(census.resting_sum, census.events), static_cast<double>(standing), 2);
  EXPECT_LE(census.resting_peak, standing + 4);
}

TEST_P(FleetingPlan, StaysInItsRangeAndVisitsIt) {
  EXPECT_EQ(plan.price_levels, wander <= 4096 ? 4096U : 131'072U);
  const auto range = static_cast<Price>(wander);
  const Price lowest = plan.base_price + (static_cast<Price>(plan.price_levels) - range) / 2;
  for (const Event& event : plan.events) {
    if (event.type != CommandType::AddLimit && event.type != CommandType::Modify) continue;
    ASSERT_GE(event.price, lowest);
    ASSERT_LT(event.price, lowest + range);
  }
  // The more orders rest, the more trades a tick takes.
  const Price visited = census.touch_max - census.touch_min;
  EXPECT_GT(visited, standing < 1'000 ? range * 8 / 10 : range / 50);
}

TEST_P(FleetingPlan, JumpsFurtherOverAWiderRange) {
  Price jumps = 0;
  std::int64_t adds = 0;
  Price last = 0;
  for (std::size_t i = plan.batches[0].begin; i < plan.events.size(); ++i) {
    if (plan.events[i].type != CommandType::AddLimit) continue;
    if (adds++ > 0) jumps += std::abs(plan.events[i].price - last);
    last = plan.events[i].price;
  }
  const double ticks = static_cast<double>(jumps) / static_cast<double>(adds);
  EXPECT_GT(ticks, wander > 4096 ? 1'500 : 50);
  EXPECT_LT(ticks, wander > 4096 ? 2'500 : 100);
}

TEST(FleetingPlan, OfARangeThatIsTooNarrowOrTooWideIsRefused) {
  EXPECT_THROW((void)make_plan(spec_of(250, 63)), std::invalid_argument);
  EXPECT_THROW((void)make_plan(spec_of(250, 131'073)), std::invalid_argument);
  EXPECT_EQ(make_plan(spec_of(250, 4'096)).price_levels, 4096U);
  EXPECT_EQ(make_plan(spec_of(250, 4'097)).price_levels, 16'384U);
  EXPECT_EQ(make_plan(spec_of(250, 16'384)).price_levels, 16'384U);
  EXPECT_EQ(make_plan(spec_of(250, 16'385)).price_levels, 131'072U);
}

// ---- Ids.

TEST(OrderIds, ArePermutedSoThatEachIsThereOnce) {
  for (const std::size_t count : {1, 2, 3, 64, 1'000, 100'000}) {
    const OrderIds ids(Ids::Permuted, count, 1);
    EXPECT_GE(ids.size(), count);
    EXPECT_LT(ids.size(), 2 * count);
    std::vector<bool> seen(ids.size());
    for (OrderNumber number = 0; number < ids.size(); ++number) {
      const OrderId id = ids.id_of(number);
      ASSERT_LT(id, ids.size());
      EXPECT_FALSE(seen[id]) << number << " of " << count;
      seen[id] = true;
    }
  }
}

TEST(OrderIds, ArePermutedLikeAtRandom) {
  const OrderIds ids(Ids::Permuted, 1 << 20, 1);
  const OrderIds others(Ids::Permuted, 1 << 20, 2);
  std::set<OrderId> lines;  // of 64 bytes, with 4 bytes an id
  std::size_t same = 0;
  std::size_t rises = 0;
  for (OrderNumber number = 0; number < 1'000; ++number) {
    lines.insert(ids.id_of(number) / 16);
    same += ids.id_of(number) == others.id_of(number);
    rises += ids.id_of(number) < ids.id_of(number + 1);
  }
  EXPECT_GT(lines.size(), 980U);  // 992 on average
  EXPECT_LT(same, 5U);
  EXPECT_NEAR(static_cast<double>(rises), 500, 60);
}

TEST(OrderIds, AreNumbersOrPermutedAsTheSpecSays) {
  for (const char* workload : {"macro", "fleeting"}) {
    PlanSpec spec = spec_of(250, 1'500);
    spec.workload = workload;
    const bool permuted = spec.workload == "fleeting";
    const Plan plan = make_plan(spec);
    EXPECT_EQ(plan.ids.id_of(7) == 7, !permuted);
    EXPECT_LE(plan.order_count, plan.ids.size());

    spec.ids = permuted ? Ids::Numbers : Ids::Permuted;
    const Plan other = make_plan(spec);
    EXPECT_EQ(other.ids.id_of(7) == 7, permuted);

    // The same events; trades tell the ids.
    ASSERT_EQ(plan.events.size(), other.events.size());
    EXPECT_TRUE(
        std::equal(plan.events.begin(), plan.events.end(), other.events.begin(),
                   [](const Event& a, const Event& b) { return a.order == b.order && a.price == b.price; }));
    EXPECT_EQ(plan.batches[0].expected.fills, other.batches[0].expected.fills);
    EXPECT_NE(plan.batches[0].expected.checksum, other.batches[0].expected.checksum);
  }
}

}  // namespace
}  // namespace llmes::test::fleeting_plan_test
