// SPDX-License-Identifier: MIT
//
// Most orders of the stream `far` rest where no band would reach, as it claims, while most of its events are near
// a touch that wanders. Books without a band play it, and `gaps`; all others refuse both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bench/contenders/registry.hpp"
#include "bench/harness/call_traits.hpp"
#include "bench/harness/passive.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/runner.hpp"
#include "bench/streams/plan.hpp"
#include "llmes/book.hpp"
#include "tests/lab/share.hpp"

namespace llmes::test::far_plan_test {
namespace {

using bench::BookEntry;
using bench::Census;
using bench::Event;
using bench::Plan;
using bench::PlanSpec;
using bench::Runner;

PlanSpec spec_of(std::size_t standing) {
  return {
      .workload = "far", .standing = standing, .batches = 16, .batch = 20'000, .rewarm = 500, .warm_up = 100'000};
}

class FarPlan : public ::testing::TestWithParam<std::size_t> {
 protected:
  std::size_t standing = GetParam();
  Plan plan = make_plan(spec_of(standing));
  Census census = census_of(plan);
};
INSTANTIATE_TEST_SUITE_P(Standing, FarPlan, ::testing::Values(1'000, 5'000, 50'000),
                         ::testing::PrintToStringParamName());

TEST_P(FarPlan, HasMostOfItsOrdersFarFromTheTouch) {
  EXPECT_NEAR(share(census.outside_4096, census.located), 0.93, 0.025);
  EXPECT_NEAR(share(census.outside_65536, census.located), 0.61, 0.02);
  EXPECT_NEAR(share(census.resting_sum, census.events), static_cast<double>(standing),
              0.05 * static_cast<double>(standing) + 200);
}

/// The same as the census says, counted by a book that plays the plan.
TEST_P(FarPlan, CountsTheOrdersThatAreFar) {
  AnyPriceBook<> book = *AnyPriceBook<>::create({.capacity = plan.capacity});
  std::vector<OrderHandle> handles(plan.order_count);
  std::size_t at = 0;
  for (const bench::Batch& batch : plan.batches) {
    for (; at < batch.begin; ++at) {
      const Event& event = plan.events[at];
      const Result result = book.apply({event.order, handles[event.order], event.price, event.quantity, event.type,
                                        event.side, event.time_in_force},
                                       DiscardTrades{});
      if (result.handle != OrderHandle{}) handles[event.order] = result.handle;
    }
    const Price mid = (*book.best_bid() + *book.best_ask()) / 2;
    std::uint64_t outside_4096 = 0;
    std::uint64_t outside_65536 = 0;
    for (const Side side : {Side::Buy, Side::Sell}) {
      book.visit_orders(side, [&](const RestingOrder& order) {
        outside_4096 += std::abs(order.price - mid) > 2'048;
        outside_65536 += std::abs(order.price - mid) > 32'768;
      });
    }
    EXPECT_EQ(batch.census.located, book.size());
    EXPECT_EQ(batch.census.outside_4096, outside_4096);
    EXPECT_EQ(batch.census.outside_65536, outside_65536);
  }
}

TEST_P(FarPlan, IsMostlyNearTheTouch) {
  EXPECT_NEAR(share(census.adds, census.events), 0.49, 0.02);
  EXPECT_NEAR(share(census.cancels, census.events), 0.45, 0.02);
  EXPECT_NEAR(share(census.modifies, census.events), 0.043, 0.01);
  EXPECT_NEAR(share(census.markets, census.events), 0.018, 0.005);
  EXPECT_NEAR(share(census.fills, census.events), 0.05, 0.02);
  EXPECT_EQ(census.misses, 0U);

  std::uint64_t adds = 0;
  std::uint64_t far_adds = 0;
  for (const bench::Batch& batch : plan.batches) {
    const Price mid = (batch.census.touch_min + batch.census.touch_max) / 2;
    const Price near = 2'500 + (batch.census.touch_max - batch.census.touch_min) / 2;
    for (std::size_t i = batch.begin; i < batch.end; ++i) {
      if (plan.events[i].type != CommandType::AddLimit) continue;
      ++adds;
      far_adds += std::abs(plan.events[i].price - mid) > near;
    }
  }
  EXPECT_NEAR(share(far_adds, adds), 0.075, 0.02);
}

TEST_P(FarPlan, WandersBySomeThousandTicks) {
  EXPECT_GT(census.touch_min, 9'990'000);
  EXPECT_LT(census.touch_max, 10'010'000);
  EXPECT_GT(census.touch_max - census.touch_min, 1'000);
  const auto [first, last] =
      std::minmax_element(plan.batches.begin(), plan.batches.end(),
                          [](const auto& a, const auto& b) { return a.census.touch_min < b.census.touch_min; });
  EXPECT_GT(last->census.touch_min - first->census.touch_min, 500);
}

TEST(FarPlan, NeedsAnyPrice) {
  const Plan plan = make_plan(spec_of(1'000));
  EXPECT_EQ(plan.price_levels, 0U);
  EXPECT_THROW((void)passive_image(plan), std::invalid_argument);
  EXPECT_THROW(bench::CallTracer{plan}, std::invalid_argument);
}

/// Why the book refuses the plan before the first round; empty if it has done the planned work.
std::string refusal(const BookEntry& entry, const Plan& plan) {
  std::unique_ptr<Runner> runner;
  try {
    runner = entry.enter(plan);
    runner->start();
  } catch (const bench::CannotHold& refused) {
    return refused.what();
  }
  for (std::size_t i = 0; i < plan.batches.size(); ++i) static_cast<void>(runner->run(i, nullptr));
  return "";
}

/// Books for any price, and trees of prices.
bool has_no_band(std::string_view name) {
  for (const std::string_view family :
       {"core_any", "any_ids", "set_ids", "venue", "tree_hash", "standard_maps", "map_lists"}) {
    if (name.starts_with(family)) return true;
  }
  return false;
}

class PlanWithoutABand : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Workloads, PlanWithoutABand, ::testing::Values("far", "gaps"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(PlanWithoutABand, IsPlayedByBooksWithoutABandAndRefusedByAllOthers) {
  PlanSpec spec = spec_of(300);
  spec.workload = GetParam();
  spec.batches = 1;
  spec.snapshots = true;
  const Plan plan = make_plan(spec);
  std::size_t played = 0;
  for (const BookEntry& entry : bench::all_books()) {
    if (!entry.can_trade()) continue;
    const std::string reason = refusal(entry, plan);
    if (entry.name == "null" || has_no_band(entry.name)) {
      EXPECT_EQ(reason, "") << entry.name;
      ++played;
    } else if (entry.name == "core_silent") {  // nobody can ask it what it holds
      EXPECT_EQ(reason, "has no place for all of its prices");
    } else {
      EXPECT_EQ(reason, "has a band, and no band holds its prices") << entry.name;
    }
  }
  EXPECT_GE(played, 5U);  // with all books, 12 and one of the past
}

}  // namespace
}  // namespace llmes::test::far_plan_test
