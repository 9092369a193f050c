// SPDX-License-Identifier: MIT
//
// A plan is the same with every compiler, so every build of the tests plans it, with the benchmarks or without
// them.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/streams/itch_day.hpp"
#include "bench/streams/market_plan.hpp"
#include "bench/streams/plan.hpp"

namespace llmes::test {
namespace {

using bench::Batch;
using bench::Event;
using bench::Ids;
using bench::Plan;
using bench::PlanSpec;

PlanSpec small_spec(const std::string& workload) {
  return {.workload = workload,
          .standing = workload == "classic" ? std::size_t{0} : std::size_t{1000},
          .batches = 3,
          .batch = 5'000,
          .rewarm = 500,
          .warm_up = 30'000};
}

/// A checksum of all commands of a plan and of what they must lead to.
std::uint64_t checksum_of(const Plan& plan) {
  std::uint64_t sum = 0;
  const auto mix = [&sum](std::uint64_t word) { sum = (sum ^ word) * 0x9e3779b97f4a7c15u; };
  for (const Event& event : plan.events) {
    mix(static_cast<std::uint64_t>(event.price));
    mix(event.quantity);
    mix(event.order);
    mix(static_cast<std::uint64_t>(event.type) * 64 + static_cast<std::uint64_t>(event.side) * 8 +
        static_cast<std::uint64_t>(event.time_in_force));
  }
  for (const Batch& batch : plan.batches) mix(batch.expected.checksum);
  return sum;
}

// Results of different compilers and machines can only be compared if the plans are the same. Compilers differ in
// the order in which they evaluate the arguments of a call, so two draws must never stand in one expression.
TEST(PlanChecksum, IsTheSameWithEveryCompiler) {
  EXPECT_EQ(checksum_of(make_plan(small_spec("macro"))), 3404874098162440870u);
  EXPECT_EQ(checksum_of(make_plan(small_spec("wide"))), 9504641903844311756u);
  EXPECT_EQ(checksum_of(make_plan(small_spec("classic"))), 6657015205399291573u);
  EXPECT_EQ(checksum_of(make_plan(small_spec("fleeting"))), 4121134571155989080u);
  EXPECT_EQ(checksum_of(make_plan(small_spec("far"))), 18373966860794360340u);
  EXPECT_EQ(checksum_of(make_plan(small_spec("gaps"))), 16147031761550298158u);
  PlanSpec permuted = small_spec("macro");
  permuted.ids = Ids::Permuted;
  EXPECT_EQ(checksum_of(make_plan(permuted)), 14634881660124626861u);
}

std::uint64_t checksum_of(const bench::MarketPlan& plan) {
  std::uint64_t sum = 0;
  const auto mix = [&sum](std::uint64_t word) { sum = (sum ^ word) * 0x9e3779b97f4a7c15u; };
  for (const bench::MarketRequest& request : plan.requests) {
    mix(request.id);
    mix(request.new_id);
    mix(static_cast<std::uint64_t>(request.price));
    mix(request.quantity);
    mix(request.book);
    mix(static_cast<std::uint64_t>(request.type) * 8 + static_cast<std::uint64_t>(request.side));
  }
  for (const bench::MarketBatch& batch : plan.batches) mix(batch.expected.checksum);
  mix(plan.final_queues);
  return sum;
}

TEST(PlanChecksum, OfAMarketIsTheSameWithEveryCompiler) {
  EXPECT_EQ(checksum_of(bench::make_market_plan({small_spec("many"), 100})), 13474759849427115350u);
}

TEST(PlanChecksum, OfADayIsTheSameWithEveryCompiler) {
  const bench::ItchDay day = bench::make_itch_day({.messages = 50'000, .symbols = 500});
  std::uint64_t sum = 0;
  for (const std::byte byte : day.tape) sum = (sum ^ std::to_integer<std::uint64_t>(byte)) * 0x9e3779b97f4a7c15u;
  EXPECT_EQ(sum, 4665244091886696015u);
  EXPECT_EQ(day.checkpoints.back().best.checksum, 5256476517967329534u);
  EXPECT_EQ(day.final_queues, 5892384965239525209u);
}

}  // namespace
}  // namespace llmes::test
