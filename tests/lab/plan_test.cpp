// SPDX-License-Identifier: MIT
//
// The basis of the benchmarks: a plan is the same each time and has the properties that it claims, and a replay
// that does other work than planned is refused.
#include "bench/streams/plan.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/contenders/registry.hpp"
#include "bench/harness/replay.hpp"
#include "tests/lab/share.hpp"

namespace llmes::test {
namespace {

using bench::Batch;
using bench::Census;
using bench::Event;
using bench::Plan;
using bench::PlanSpec;
using bench::Runner;
using bench::Window;

PlanSpec small_spec(const std::string& workload, std::size_t standing) {
  PlanSpec spec;
  spec.workload = workload;
  spec.standing = standing;
  spec.batches = 3;
  spec.batch = 5'000;
  spec.rewarm = 500;
  spec.warm_up = 30'000;
  return spec;
}

double average_resting(const Census& census) {
  return share(census.resting_sum, census.events);
}

bool same(const Event& a, const Event& b) {
  return a.price == b.price && a.quantity == b.quantity && a.order == b.order && a.type == b.type &&
         a.side == b.side && a.time_in_force == b.time_in_force;
}

class PlanOfWorkload : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Workloads, PlanOfWorkload,
                         ::testing::Values("macro", "wide", "classic", "fleeting", "far", "gaps"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(PlanOfWorkload, IsTheSameForTheSameSpec) {
  const Plan plan = make_plan(small_spec(GetParam(), 1'000));
  const Plan again = make_plan(small_spec(GetParam(), 1'000));
  ASSERT_EQ(plan.events.size(), again.events.size());
  for (std::size_t i = 0; i < plan.events.size(); ++i) ASSERT_TRUE(same(plan.events[i], again.events[i])) << i;
  ASSERT_EQ(plan.batches.size(), again.batches.size());
  for (std::size_t i = 0; i < plan.batches.size(); ++i) {
    EXPECT_EQ(plan.batches[i].expected, again.batches[i].expected);
  }
}

TEST_P(PlanOfWorkload, IsAnotherForAnotherSeed) {
  PlanSpec spec = small_spec(GetParam(), 1'000);
  const Plan plan = make_plan(spec);
  spec.seed = 2;
  EXPECT_NE(make_plan(spec).batches[0].expected, plan.batches[0].expected);
}

TEST_P(PlanOfWorkload, HasTheBatchesAskedForEachWithTrades) {
  const Plan plan = make_plan(small_spec(GetParam(), 1'000));
  ASSERT_EQ(plan.batches.size(), 3u);
  for (const Batch& batch : plan.batches) {
    EXPECT_GE(batch.end - batch.begin, 5'000u);
    EXPECT_GT(batch.expected.fills, 0u);
    EXPECT_EQ(batch.census.fills, batch.expected.fills);
    EXPECT_EQ(batch.census.events, batch.end - batch.begin);
  }
}

TEST_P(PlanOfWorkload, HasNoMissesButThePlannedOnes) {
  const Plan plan = make_plan(small_spec(GetParam(), 1'000));
  for (const Batch& batch : plan.batches) EXPECT_EQ(batch.expected.misses, batch.census.misses);
}

TEST(PlanOfMacro, HoldsItsStanding) {
  for (const std::size_t standing : {std::size_t{1'000}, std::size_t{5'000}}) {
    const Census census = census_of(make_plan(small_spec("macro", standing)));
    EXPECT_NEAR(average_resting(census), static_cast<double>(standing), 0.15 * static_cast<double>(standing));
    EXPECT_EQ(census.misses, 0u);
  }
}

TEST(PlanOfWide, HoldsItsStandingAndHasTwoPercentOfMisses) {
  PlanSpec spec = small_spec("wide", 1'000);
  spec.batch = 20'000;
  const Census census = census_of(make_plan(spec));
  EXPECT_NEAR(average_resting(census), 1'000, 150);
  EXPECT_NEAR(share(census.misses, census.cancels + census.modifies), 0.02, 0.01);
  EXPECT_NEAR(share(census.immediate, census.adds), 0.15, 0.03);
}

TEST(PlanOfClassic, StandsAtAboutThreeOrders) {
  const Census census = census_of(make_plan(small_spec("classic", 1'000)));
  EXPECT_GT(average_resting(census), 1.5);
  EXPECT_LT(average_resting(census), 6.0);
  EXPECT_EQ(census.misses, 0u);
}

TEST(Plan, OfAnUnknownWorkloadOrAnEmptyBatchIsRefused) {
  EXPECT_THROW((void)make_plan(small_spec("no such workload", 1'000)), std::invalid_argument);
  PlanSpec spec = small_spec("macro", 1'000);
  spec.batch = 0;
  EXPECT_THROW((void)make_plan(spec), std::invalid_argument);
}

// ---- Replays.

class ReplayOfBook : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Books, ReplayOfBook,
                         ::testing::Values(std::pair{"core", "macro"}, std::pair{"core", "wide"},
                                           std::pair{"core", "classic"}, std::pair{"core_span", "macro"},
                                           std::pair{"core", "fleeting"}, std::pair{"core_wide", "macro"},
                                           std::pair{"core_any", "far"}, std::pair{"core_any_span", "far"},
                                           std::pair{"core_any", "gaps"}, std::pair{"core_any_span", "gaps"},
                                           std::pair{"set_ids_published", "gaps"}, std::pair{"tree_hash", "gaps"},
                                           std::pair{"core_wide", "wide"}, std::pair{"core_wide_span", "wide"},
                                           std::pair{"core_ids_loop", "fleeting"},
                                           std::pair{"core_ids_loop_span", "fleeting"},
                                           std::pair{"reference", "macro"}, std::pair{"reference", "wide"},
                                           std::pair{"reference", "fleeting"}),
                         [](const auto& info) { return std::string(info.param.first) + "_" + info.param.second; });

TEST_P(ReplayOfBook, DoesThePlannedWork) {
  const auto& [book, workload] = GetParam();
  PlanSpec spec = small_spec(workload, 300);
  spec.snapshots = true;
  const Plan plan = make_plan(spec);
  const bench::BookEntry* entry = bench::find_book(book);
  ASSERT_NE(entry, nullptr);
  const std::unique_ptr<Runner> runner = entry->enter(plan);
  for (int round = 0; round < 2; ++round) {
    runner->start();
    for (std::size_t i = 0; i < plan.batches.size(); ++i) {
      const Window window = runner->run(i, nullptr);
      EXPECT_EQ(window.digest, entry->scans ? plan.batches[i].expected_short : plan.batches[i].expected);
      EXPECT_GT(window.seconds, 0);
      EXPECT_TRUE(entry->scans || window.allocations == 0) << window.allocations << " allocations in the window";
    }
  }
}

TEST(Registry, KnowsEachBookByItsNameAlone) {
  for (const bench::BookEntry& entry : bench::all_books()) EXPECT_EQ(bench::find_book(entry.name), &entry);
  EXPECT_EQ(bench::find_book("no such book"), nullptr);
}

using Sound = OrderBook<131'072>;  // wide enough for every workload

/// Makes a book of `Defective` out of a sound one.
template <class Defective>
struct Broken : Sound {
  explicit Broken(Sound&& book) : Sound(std::move(book)) {}
  static std::optional<Defective> create(const BookConfig& config) {
    std::optional<Sound> book = Sound::create(config);
    if (!book) return std::nullopt;
    return Defective(std::move(*book));
  }
};

struct TradesOneLotLess : Broken<TradesOneLotLess> {
  using Broken::Broken;

  template <class Sink>
  Result apply(Command command, Sink& sink) {
    if (command.type == CommandType::AddMarket && command.quantity > 1) --command.quantity;
    return Sound::apply(command, sink);
  }
};

struct RejectsNothing : Broken<RejectsNothing> {
  using Broken::Broken;

  template <class Sink>
  Result apply(const Command& command, Sink& sink) {
    Result result = Sound::apply(command, sink);
    result.status = Status::Success;
    return result;
  }
};

struct ForgetsAnOrder : Broken<ForgetsAnOrder> {
  using Broken::Broken;

  [[nodiscard]] std::size_t size() const { return Sound::size() - 1; }
};

template <class Book>
void replay_first_batch(const Plan& plan) {
  bench::Replay<Book> runner(plan);
  runner.start();
  runner.run(0, nullptr);
}

TEST(Replay, OfOtherWorkThanPlannedIsRefused) {
  const Plan plan = make_plan(small_spec("macro", 300));
  EXPECT_NO_THROW(replay_first_batch<Sound>(plan));
  EXPECT_THROW(replay_first_batch<TradesOneLotLess>(plan), std::runtime_error);
  EXPECT_THROW(replay_first_batch<ForgetsAnOrder>(plan), std::runtime_error);
}

TEST(Replay, WithOtherMissesThanPlannedIsRefused) {
  const Plan plan = make_plan(small_spec("wide", 300));
  ASSERT_GT(plan.batches[0].expected.misses, 0u);
  EXPECT_NO_THROW(replay_first_batch<Sound>(plan));
  EXPECT_THROW(replay_first_batch<RejectsNothing>(plan), std::runtime_error);
}

}  // namespace
}  // namespace llmes::test
