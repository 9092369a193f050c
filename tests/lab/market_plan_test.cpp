// SPDX-License-Identifier: MIT
//
// The feed of a market of many books is the same each time, has the shares that it claims, names only orders that
// rest, and asks for no more orders, levels and pages than it takes.
#include "bench/streams/market_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "bench/streams/market_planner.hpp"
#include "llmes/book.hpp"
#include "tests/lab/share.hpp"

namespace llmes::test::market_plan_test {
namespace {

using bench::MarketBatch;
using bench::MarketCensus;
using bench::MarketPlan;
using bench::MarketRequest;
using bench::MarketSpec;

MarketSpec spec_of(std::size_t symbols, std::size_t standing) {
  MarketSpec spec;
  spec.workload = "many";
  spec.symbols = symbols;
  spec.standing = standing;
  spec.batches = 4;
  spec.batch = 20'000;
  spec.rewarm = 500;
  spec.warm_up = 30'000;
  return spec;
}

bool adds(const MarketRequest& request) {
  return request.type == CommandType::AddResting;
}

/// From few books to many.
class MarketPlanOf : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  std::size_t symbols = std::get<0>(GetParam());
  std::size_t standing = std::get<1>(GetParam());
  MarketPlan plan = bench::make_market_plan(spec_of(symbols, standing));
  MarketCensus census = census_of(plan);
};
INSTANTIATE_TEST_SUITE_P(Markets, MarketPlanOf,
                         ::testing::Values(std::tuple{10, 5'000}, std::tuple{300, 20'000},
                                           std::tuple{3'000, 20'000}));

TEST_P(MarketPlanOf, IsTheSameForTheSameSeed) {
  MarketSpec spec = spec_of(symbols, standing);
  const MarketPlan again = bench::make_market_plan(spec);
  ASSERT_EQ(plan.requests.size(), again.requests.size());
  for (std::size_t i = 0; i < plan.requests.size(); ++i) {
    const MarketRequest& request = plan.requests[i];
    ASSERT_EQ(request.book, again.requests[i].book) << i;
    ASSERT_TRUE(static_cast<const Request&>(request) == static_cast<const Request&>(again.requests[i])) << i;
  }
  EXPECT_EQ(plan.batches.back().expected, again.batches.back().expected);
  EXPECT_EQ(plan.final_queues, again.final_queues);
  spec.seed = 2;
  EXPECT_NE(bench::make_market_plan(spec).final_queues, plan.final_queues);
}

TEST_P(MarketPlanOf, HasTheBatchesAskedFor) {
  const MarketSpec spec = spec_of(symbols, standing);
  EXPECT_EQ(plan.requests.size(), bench::MarketPlanner::message_count(spec));
  ASSERT_EQ(plan.batches.size(), spec.batches);
  std::size_t at = standing + spec.warm_up;
  for (const MarketBatch& batch : plan.batches) {
    EXPECT_EQ(batch.rewarm_begin, at);
    EXPECT_EQ(batch.begin, at += spec.rewarm);
    EXPECT_EQ(batch.end, at += spec.batch);
    EXPECT_EQ(batch.expected.misses, 0U);
    EXPECT_EQ(batch.expected.fills, 0U);
  }
  EXPECT_EQ(plan.requests.size(), at);
}

TEST_P(MarketPlanOf, NamesOnlyOrdersThatRestInTheBookOfTheMessage) {
  std::map<OrderId, std::pair<std::uint32_t, Quantity>> resting;  // book and open lots
  std::vector<std::size_t> sizes;
  std::vector<std::uint64_t> messages(symbols);
  std::uint64_t taken_off = 0;
  for (std::size_t i = 0; i < plan.requests.size(); ++i) {
    const MarketRequest& request = plan.requests[i];
    ASSERT_LT(request.book, symbols);
    const bool timed = std::any_of(plan.batches.begin(), plan.batches.end(),
                                   [i](const MarketBatch& batch) { return i >= batch.begin && i < batch.end; });
    messages[request.book] += timed;
    if (!adds(request)) {
      const auto order = resting.find(request.id);
      ASSERT_TRUE(order != resting.end()) << i;
      ASSERT_EQ(order->second.first, request.book) << i;
      ASSERT_EQ(request.side, Side{}) << "a feed does not say it";
      if (request.type == CommandType::Reduce) {
        ASSERT_GE(request.quantity, 1U);
        ASSERT_LE(request.quantity, order->second.second);
        order->second.second -= request.quantity;
        taken_off += timed && order->second.second == 0;
        if (order->second.second == 0) resting.erase(order);
      } else {
        resting.erase(order);
      }
    }
    if (adds(request) || request.type == CommandType::ReplaceResting) {
      ASSERT_GE(request.quantity, 1U);
      resting[adds(request) ? request.id : request.new_id] = {request.book, request.quantity};
    } else {
      ASSERT_EQ(request.price, 0) << "a feed does not say it";
    }
    sizes.push_back(resting.size());
  }
  for (const MarketBatch& batch : plan.batches) EXPECT_EQ(batch.resting_end, sizes[batch.end - 1]);
  EXPECT_EQ(plan.capacity, *std::max_element(sizes.begin(), sizes.end()));
  EXPECT_EQ(census.taken_off, taken_off);

  std::sort(messages.begin(), messages.end());
  EXPECT_DOUBLE_EQ(plan.busiest, share(messages.back(), census.events));
  EXPECT_DOUBLE_EQ(plan.median, share(messages[symbols / 2], census.events));
  if (symbols >= 300) {
    EXPECT_GT(plan.busiest, 5 * plan.median);
  }
}

TEST_P(MarketPlanOf, HasReferencesThatGrowWithGapsAndOldOnesThatStay) {
  OrderId last = 0;
  std::uint64_t gaps = 0;
  std::set<OrderId> seeds;  // that rest
  for (std::size_t i = 0; i < plan.requests.size(); ++i) {
    const MarketRequest& request = plan.requests[i];
    if (!adds(request)) seeds.erase(request.id);
    if (!adds(request) && request.type != CommandType::ReplaceResting) continue;
    const OrderId id = adds(request) ? request.id : request.new_id;
    ASSERT_GT(id, last) << i;
    gaps += id - last > 1;
    last = id;
    if (i < standing) seeds.insert(id);
  }
  EXPECT_GT(gaps, plan.requests.size() / 3);
  EXPECT_GT(seeds.size(), standing / 20);
  EXPECT_LT(seeds.size(), standing * 19 / 20);
  EXPECT_GT(last, 40 * standing);
}

TEST_P(MarketPlanOf, HasTheSharesThatItClaims) {
  EXPECT_EQ(census.events, 80'000U);
  EXPECT_NEAR(share(census.adds, census.events), 0.44, 0.01);
  EXPECT_NEAR(share(census.cancels, census.events), 0.43, 0.01);
  EXPECT_NEAR(share(census.replaces, census.events), 0.085, 0.005);
  EXPECT_NEAR(share(census.reduces, census.events), 0.045, 0.005);
  EXPECT_NEAR(share(census.taken_off, census.events), 0.011, 0.003);
  EXPECT_EQ(census.adds + census.cancels + census.replaces + census.reduces, census.events);
  EXPECT_GT(share(census.near, census.near + census.far), 0.91);
  EXPECT_LT(share(census.near, census.near + census.far), 0.97);
  EXPECT_GT(census.crossed, 0U);
  EXPECT_LT(share(census.crossed, census.events), 0.1);
  EXPECT_NEAR(share(census.resting_sum, census.events), static_cast<double>(standing),
              0.02 * static_cast<double>(standing));
}

TEST_P(MarketPlanOf, HasPricesOnAScaleOfTheirOwnForEachSymbol) {
  std::vector<std::vector<Price>> prices(symbols);
  bool has_long_price = false;
  for (const MarketRequest& request : plan.requests) {
    if (!adds(request)) continue;
    prices[request.book].push_back(request.price);
    has_long_price |= request.price > std::numeric_limits<std::uint32_t>::max();
  }
  EXPECT_TRUE(has_long_price);
  Price lowest = std::numeric_limits<Price>::max();
  Price highest = 0;
  for (std::vector<Price>& of_book : prices) {
    if (of_book.empty()) continue;
    std::sort(of_book.begin(), of_book.end());
    lowest = std::min(lowest, of_book[of_book.size() / 2]);
    highest = std::max(highest, of_book[of_book.size() / 2]);
  }
  EXPECT_LT(lowest, symbols == 10 ? 10'000 : 32);
  EXPECT_GT(highest, symbols == 10 ? 50'000 : 300'000);
}

TEST(MarketPlan, OfATouchThatWanders) {
  const MarketPlan plan = bench::make_market_plan(spec_of(1, 200));
  const MarketCensus first = plan.batches.front().census;
  const MarketCensus all = census_of(plan);
  EXPECT_GT(all.touch_max - all.touch_min, 50);
  EXPECT_GT(all.touch_max - all.touch_min, first.touch_max - first.touch_min);
}

TEST(MarketPlan, IsRefusedWithNothingToPlan) {
  EXPECT_THROW((void)bench::make_market_plan(spec_of(0, 100)), std::invalid_argument);
  EXPECT_THROW((void)bench::make_market_plan(spec_of(65'537, 100)), std::invalid_argument);
  EXPECT_THROW((void)bench::make_market_plan(spec_of(10, 0)), std::invalid_argument);
  MarketSpec spec = spec_of(10, 100);
  spec.batch = 0;
  EXPECT_THROW((void)bench::make_market_plan(spec), std::invalid_argument);
}

TEST(MarketPlan, TakesAboutTheMemoryOfTheEstimate) {
  const MarketSpec spec = spec_of(1'000, 200'000);
  const bench::HeapPeak heap;
  (void)bench::make_market_plan(spec);
  const double estimate = bench::bytes_to_play(spec, 0);
  EXPECT_LT(static_cast<double>(heap.bytes()), 1.1 * estimate);
  EXPECT_GT(static_cast<double>(heap.bytes()), 0.5 * estimate);
}

}  // namespace
}  // namespace llmes::test::market_plan_test
