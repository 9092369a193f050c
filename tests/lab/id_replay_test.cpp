// SPDX-License-Identifier: MIT
//
// Rows by id do what rows by handle do, message by message: their reports are the same on every workload, with ids
// that are numbers and ids that are permuted. A book that does other work than planned is refused.
#include "bench/harness/id_replay.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/contenders/id_books.hpp"
#include "bench/contenders/reporting_books.hpp"
#include "bench/contenders/set_id_books.hpp"
#include "bench/contenders/tree_hash_book.hpp"
#include "bench/harness/replay.hpp"
#include "bench/harness/stamped_id_replay.hpp"
#include "bench/streams/plan.hpp"

namespace llmes::test::id_replay_test {
namespace {

using bench::Ids;
using bench::Plan;
using bench::PlanSpec;
using bench::Scenario;
using bench::Window;

PlanSpec small_spec(const std::string& workload, Ids ids, std::size_t wander = 1'500) {
  return {.workload = workload,
          .standing = 300,
          .batches = 3,
          .batch = 5'000,
          .rewarm = 500,
          .warm_up = 30'000,
          .ids = ids,
          .wander = wander};
}

class ReportsById : public ::testing::TestWithParam<std::tuple<const char*, Ids, std::size_t>> {
 protected:
  template <std::size_t N>
  void expect_the_same_reports() {
    bench::Replay<bench::CoreIdsLoopBook<N>> loop(plan);
    bench::Replay<bench::CoreIdsLoopSpanBook<N>> loop_span(plan);
    bench::IdReplay<bench::CoreIdsBook<N>> spans(plan);
    bench::IdReplay<bench::CoreIdsHashedBook<N>> spans_hashed(plan);
    bench::IdReplay<bench::CoreIdsSingleBook<N>> single(plan);
    bench::IdReplay<bench::CoreIdsSingleHashedBook<N>> single_hashed(plan);
    bench::IdReplay<bench::AnyIdsHashedBook<N>> any_spans(plan);
    bench::IdReplay<bench::AnyIdsSingleHashedBook<N>> any_single(plan);
    bench::IdReplay<bench::SetIdsBook<N>> set_spans(plan);
    bench::IdReplay<bench::SetIdsSingleBook<N>> set_single(plan);
    bench::IdReplay<bench::TreeHashById<N>> tree(plan);

    loop.start();
    const auto expect_reports = [&](bench::Runner& runner, const char* name, const auto& reports) {
      runner.start();
      for (std::size_t i = 0; i < plan.batches.size(); ++i) {
        const Window window = runner.run(i, nullptr);
        EXPECT_EQ(window.digest, plan.batches[i].expected) << name;
        EXPECT_EQ(window.allocations, 0U) << name;
      }
      EXPECT_TRUE(reports() == loop.book().reports().reports()) << name;
    };
    for (std::size_t i = 0; i < plan.batches.size(); ++i) (void)loop.run(i, nullptr);
    const auto of_book = [](auto& replay) { return [&] { return replay.book().reports().reports(); }; };
    const auto of_runner = [](auto& replay) { return [&] { return replay.reports().reports(); }; };
    expect_reports(loop_span, "core_ids_loop_span", of_book(loop_span));
    expect_reports(spans, "core_ids", of_runner(spans));
    expect_reports(spans_hashed, "core_ids_hashed", of_runner(spans_hashed));
    expect_reports(single, "core_ids_single", of_runner(single));
    expect_reports(single_hashed, "core_ids_single_hashed", of_runner(single_hashed));
    expect_reports(any_spans, "any_ids_hashed", of_runner(any_spans));
    expect_reports(any_single, "any_ids_single_hashed", of_runner(any_single));
    expect_reports(set_spans, "set_ids", of_runner(set_spans));
    expect_reports(set_single, "set_ids_single", of_runner(set_single));
    expect_reports(tree, "tree_hash", of_runner(tree));
  }

  Plan plan = make_plan(small_spec(std::get<0>(GetParam()), std::get<1>(GetParam()), std::get<2>(GetParam())));
};
INSTANTIATE_TEST_SUITE_P(
    Streams, ReportsById,
    ::testing::Values(std::tuple{"macro", Ids::Permuted, 0}, std::tuple{"macro", Ids::Numbers, 0},
                      std::tuple{"wide", Ids::Permuted, 0}, std::tuple{"classic", Ids::Permuted, 0},
                      std::tuple{"fleeting", Ids::Permuted, 1'500}, std::tuple{"fleeting", Ids::Permuted, 10'000},
                      std::tuple{"fleeting", Ids::Permuted, 38'000}));

TEST_P(ReportsById, AreTheSameOnEveryRow) {
  if (plan.price_levels == 4096) {
    expect_the_same_reports<4096>();
  } else {  // the plans of 16,384 prices too: a band more takes seconds to compile
    expect_the_same_reports<131'072>();
  }
}

/// Their reports are those of the engine, which say more.
template <class Row>
class PublishedRow : public ::testing::Test {};
using PublishedRows = ::testing::Types<bench::SetIdsPublishedBook<4096>, bench::SetIdsPublishedSingleBook<4096>>;
TYPED_TEST_SUITE(PublishedRow, PublishedRows);

TYPED_TEST(PublishedRow, DoesThePlannedWorkWithoutAllocations) {
  for (const char* workload : {"macro", "wide", "fleeting", "far"}) {
    const Plan plan = make_plan(small_spec(workload, Ids::Permuted));
    bench::IdReplay<TypeParam> runner(plan);
    runner.start();
    for (std::size_t i = 0; i < plan.batches.size(); ++i) {
      const Window window = runner.run(i, nullptr);
      EXPECT_EQ(window.digest, plan.batches[i].expected) << workload;
      EXPECT_EQ(window.allocations, 0U) << workload;
    }
  }
}

template <class Row>
class StampedRow : public ::testing::Test {};
using StampedRows = ::testing::Types<bench::TreeHashById<4096>, bench::AnyIdsSingleHashedBook<4096>,
                                     bench::SetIdsSingleBook<4096>, bench::SetIdsPublishedSingleBook<4096>>;
TYPED_TEST_SUITE(StampedRow, StampedRows);

TYPED_TEST(StampedRow, StampsEveryMessageAndDoesThePlannedWork) {
  const Plan plan = make_plan(small_spec("fleeting", Ids::Permuted));
  bench::StampedIdReplay<TypeParam> runner(plan);
  runner.start();
  const std::size_t events = plan.batches[0].end - plan.batches[0].begin;
  const std::vector<Scenario> scenarios(events, Scenario::AnyCall);
  std::vector<bench::CallTicks> ticks(events);
  const Window window = runner.time_calls(0, scenarios, bench::StampSource::SteadyClock, ticks);
  EXPECT_EQ(window.digest, plan.batches[0].expected);
  std::uint64_t sum = 0;
  for (const bench::CallTicks& pair : ticks) sum += pair.call;
  EXPECT_GT(sum, 0U);
}

/// A row by id that does other work than planned.
template <class Defect>
struct Broken : bench::CoreIdsSingleBook<4096> {
  using Sound = bench::CoreIdsSingleBook<4096>;

  static std::optional<Broken> create(const BookConfig& config, std::size_t id_count) {
    std::optional<Sound> book = Sound::create(config, id_count);
    if (!book) return std::nullopt;
    return Broken(*std::move(book));
  }

  template <class Sink>
  Result apply(Request request, Sink& sink) {
    Defect::spoil(request);
    return Sound::apply(request, sink);
  }

 private:
  explicit Broken(Sound&& book) : Sound(std::move(book)) {}
};

struct None {
  static void spoil(Request&) {}
};
struct TradesOneLotLess {
  static void spoil(Request& request) {
    if (request.type == CommandType::AddMarket && request.quantity > 1) --request.quantity;
  }
};
struct CancelsAnother {
  static void spoil(Request& request) {
    if (request.type == CommandType::Cancel) request.id ^= 1;
  }
};

template <class Defect>
void replay_first_batch(const Plan& plan) {
  bench::IdReplay<Broken<Defect>> runner(plan);
  runner.start();
  runner.run(0, nullptr);
}

TEST(IdReplay, OfOtherWorkThanPlannedIsRefused) {
  const Plan plan = make_plan(small_spec("macro", Ids::Permuted));
  EXPECT_NO_THROW(replay_first_batch<None>(plan));
  EXPECT_THROW(replay_first_batch<TradesOneLotLess>(plan), std::runtime_error);
  EXPECT_THROW(replay_first_batch<CancelsAnother>(plan), std::runtime_error);
}

}  // namespace
}  // namespace llmes::test::id_replay_test
