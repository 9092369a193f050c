// SPDX-License-Identifier: MIT
//
// A run that does not fit into memory is refused before it begins: the estimate is near what planning and learning
// really take, and the refusal names what would fit.
#include "bench/harness/memory.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/contenders/registry.hpp"
#include "bench/harness/allocation_counter.hpp"
#include "bench/streams/planner.hpp"

namespace llmes::test {
namespace {

using bench::PlanSpec;

std::string refusal(std::size_t count, double available) {
  try {
    bench::require_memory(
        "rounds", count, [](std::size_t rounds) { return 10e6 + 1e6 * static_cast<double>(rounds); }, available);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Memory, ARefusalNamesWhatFits) {
  EXPECT_EQ(refusal(90, 100e6), "");
  EXPECT_EQ(refusal(91, 100e6), "--rounds=91 needs about 96 MiB of memory, and 95 MiB are free; --rounds=90 fits");
  EXPECT_NE(refusal(91, 10e6).find("not even --rounds=1 fits"), std::string::npos);
  EXPECT_EQ(refusal(std::numeric_limits<std::size_t>::max(), std::numeric_limits<double>::infinity()), "");
}

TEST(Memory, TheMachineSaysWhatIsFree) {
  EXPECT_GT(bench::free_bytes(), 1 << 20);
  EXPECT_LT(bench::free_bytes(), 1e15);
}

class MemoryOfWorkload : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Workloads, MemoryOfWorkload,
                         ::testing::Values("macro", "wide", "classic", "fleeting", "far", "gaps"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(MemoryOfWorkload, ThePlanIsNoLargerThanWasReserved) {
  const PlanSpec spec{.workload = GetParam(), .batches = 2'000, .batch = 100, .rewarm = 10};
  const bench::Plan plan = make_plan(spec);
  EXPECT_LE(static_cast<double>(plan.events.size()), bench::Planner::event_count(spec));
  EXPECT_LE(static_cast<double>(plan.order_count), bench::Planner::order_count(spec));
}

TEST_P(MemoryOfWorkload, PlanningTakesAboutTheEstimate) {
  const PlanSpec spec{.workload = GetParam(), .batches = 10, .batch = 200'000, .warm_up = 100'000};
  const bench::HeapPeak heap;
  static_cast<void>(make_plan(spec));
  const double estimate = bench::bytes_to_play(spec, 0);
  EXPECT_LT(static_cast<double>(heap.bytes()), 1.1 * estimate);
  EXPECT_GT(static_cast<double>(heap.bytes()), 0.7 * estimate);
}

/// Bytes of the heap that are in use.
double heap_bytes() {
  const auto heap = mallinfo2();
  return static_cast<double>(heap.uordblks) + static_cast<double>(heap.hblkhd);
}

TEST_P(MemoryOfWorkload, BooksTakeAboutTheEstimate) {
  constexpr std::size_t books = 20;
  const PlanSpec spec{.workload = GetParam(), .batches = 10, .batch = 20'000, .warm_up = 100'000};
  const double before = heap_bytes();
  const bench::Plan plan = make_plan(spec);
  std::vector<std::unique_ptr<bench::Runner>> runners;
  while (runners.size() < books) runners.push_back(bench::find_book("null")->enter(plan));
  const double estimate = bench::bytes_to_play(spec, books);
  EXPECT_LT(heap_bytes() - before, 1.1 * estimate);
  EXPECT_GT(heap_bytes() - before, 0.7 * estimate);
}

}  // namespace
}  // namespace llmes::test
