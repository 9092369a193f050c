// SPDX-License-Identifier: MIT
//
// How the times of single calls are sorted: the scenario of each call and what may explain its time, on streams
// whose answers are known; percentiles; and the file of records.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/contenders/registry.hpp"
#include "bench/harness/call_traits.hpp"
#include "bench/harness/stamped_replay.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/harness/temporary_folder.hpp"
#include "tests/support/random.hpp"

#if LLMES_HAS_JSON
#include <nlohmann/json.hpp>
#endif

namespace llmes::test {
namespace {

using bench::CallTicks;
using bench::CallTracer;
using bench::CallTraits;
using bench::Event;
using bench::never;
using bench::Percentiles;
using bench::Plan;
using bench::Scenario;
using bench::StampSource;
using bench::TreePath;

// ---- The words of the tree.

/// The words of a tree over `occupied`, layer by layer: in each, the places of the set bits.
std::vector<std::set<std::size_t>> layers(const std::set<std::size_t>& occupied, std::size_t price_levels) {
  std::vector<std::set<std::size_t>> result{occupied};
  for (std::size_t words = price_levels / 64; words > 1; words /= 64) {
    result.emplace_back();
    for (const std::size_t place : result[result.size() - 2]) result.back().insert(place / 64);
  }
  return result;
}

class TreeWordsOf : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Bands, TreeWordsOf, ::testing::Values(4096, 131'072, 262'144));

TEST_P(TreeWordsOf, ChangeAsFarUpAsTheWordsThemselves) {
  const std::size_t price_levels = GetParam();
  bench::TreeWords words(price_levels);
  std::set<std::size_t> occupied;
  std::set<TreePath> seen;
  Random random(1);
  for (int i = 0; i < 5'000; ++i) {
    // Close together for leaves, far apart for the words above.
    const std::size_t level = random.below(2) == 0 ? random.below(200) : random.below(64) * (price_levels / 64);
    const bool fill = random.below(10) < (i / 50 % 2 == 0 ? 7U : 2U);
    const auto before = layers(occupied, price_levels);
    if (fill) {
      occupied.insert(level);
    } else {
      occupied.erase(level);
    }
    const auto after = layers(occupied, price_levels);
    std::size_t changed = 0;
    while (changed < after.size() && before[changed] != after[changed]) ++changed;
    const TreePath expected = changed == 0              ? TreePath::None
                              : changed == after.size() ? TreePath::Root
                                                        : static_cast<TreePath>(changed);
    ASSERT_EQ(words.set(level, fill), expected) << i;
    seen.insert(expected);
  }
  EXPECT_EQ(seen.size(), price_levels == 4096 ? 3U : 4U);
}

// ---- Single calls.

/// Gives events to a tracer; orders are numbered from 0 in order of arrival.
class Tracing {
 public:
  Tracing() : tracer_(plan()) {}

  CallTraits add(Side side, Price price, Quantity quantity,
                 TimeInForce time_in_force = TimeInForce::GoodTillCancel) {
    return tracer_.play({price, quantity, next_++, CommandType::AddLimit, side, time_in_force});
  }
  CallTraits market(Side side, Quantity quantity) {
    return tracer_.play({0, quantity, next_++, CommandType::AddMarket, side, {}});
  }
  CallTraits cancel(bench::OrderNumber order) { return tracer_.play({0, 0, order, CommandType::Cancel, {}, {}}); }
  CallTraits modify(bench::OrderNumber order, Price price, Quantity quantity) {
    return tracer_.play({price, quantity, order, CommandType::Modify, {}, {}});
  }

 private:
  static Plan plan() {
    Plan plan;
    plan.base_price = 1000;
    plan.price_levels = 4096;
    plan.capacity = 10;
    plan.order_count = 100;
    return plan;
  }

  CallTracer tracer_;
  bench::OrderNumber next_ = 0;
};

void expect_traits(const CallTraits& traits, const CallTraits& expected) {
  EXPECT_EQ(traits.scenario, expected.scenario);
  EXPECT_EQ(traits.path, expected.path);
  EXPECT_EQ(traits.level_age, expected.level_age);
  EXPECT_EQ(traits.slot_age, expected.slot_age);
  EXPECT_EQ(traits.distance, expected.distance);
  EXPECT_EQ(traits.queue, expected.queue);
}

TEST(CallTraits, OfAddsTellNewLevelsFromOldOnes) {
  for (const Side side : {Side::Buy, Side::Sell}) {
    const Price away = side == Side::Buy ? -1 : 1;
    Tracing trace;
    expect_traits(trace.add(side, 3000, 5), {Scenario::AddNewLevel, TreePath::Root, never, never, 0, 0});
    expect_traits(trace.add(side, 3000, 5), {Scenario::AddToLevel, TreePath::None, 1, never, 0, 1});
    expect_traits(trace.add(side, 3000 + 2 * away, 5),
                  {Scenario::AddNewLevel, TreePath::Leaf, never, never, 2, 0});
    expect_traits(trace.add(side, 3000 - 3 * away, 5),
                  {Scenario::AddNewLevel, TreePath::Leaf, never, never, -3, 0});
    expect_traits(trace.add(side, 3000, 5), {Scenario::AddToLevel, TreePath::None, 3, never, 3, 2});
    expect_traits(trace.add(side, 3000 + 500 * away, 5),
                  {Scenario::AddNewLevel, TreePath::Root, never, never, 503, 0});
  }
}

TEST(CallTraits, OfCancelsTellTheLastOfALevel) {
  for (const Side side : {Side::Buy, Side::Sell}) {
    Tracing trace;
    trace.add(side, 3000, 5);
    trace.add(side, 3001, 5);
    trace.add(side, 3001, 5);
    expect_traits(trace.cancel(1), {Scenario::Cancel, TreePath::None, 1, 2, side == Side::Buy ? 0 : 1, 2});
    expect_traits(trace.cancel(2), {Scenario::Cancel, TreePath::Leaf, 1, 2, side == Side::Buy ? 0 : 1, 1});
    EXPECT_EQ(trace.cancel(2).scenario, Scenario::Untimed) << "the order is gone";
    expect_traits(trace.cancel(0), {Scenario::Cancel, TreePath::Root, 6, 6, 0, 1});
    // The slots come back in the opposite order: the last one to be left first.
    expect_traits(trace.add(side, 3001, 5), {Scenario::AddNewLevel, TreePath::Root, 3, 1, 0, 0});
    expect_traits(trace.add(side, 3001, 5), {Scenario::AddToLevel, TreePath::None, 1, 4, 0, 1});
  }
}

TEST(CallTraits, OfOtherCallsAreUntimedButWhatTheyTouchCounts) {
  Tracing trace;
  trace.add(Side::Sell, 3000, 5);                                     // order 0, event 1
  trace.add(Side::Sell, 3001, 5);                                     // order 1, event 2
  EXPECT_EQ(trace.market(Side::Buy, 1).scenario, Scenario::Untimed);  // trades with order 0 at event 3
  expect_traits(trace.add(Side::Sell, 3000, 5), {Scenario::AddToLevel, TreePath::None, 1, never, 0, 1});
  EXPECT_EQ(trace.add(Side::Buy, 3000, 4).scenario, Scenario::Untimed);  // takes order 0 at event 5
  EXPECT_EQ(trace.modify(1, 3002, 5).scenario, Scenario::Untimed);       // moves order 1 at event 6
  expect_traits(trace.add(Side::Sell, 3001, 5), {Scenario::AddNewLevel, TreePath::Leaf, 1, 2, 1, 0});
  expect_traits(trace.cancel(1), {Scenario::Cancel, TreePath::Leaf, 2, 2, 2, 1});
  EXPECT_EQ(trace.add(Side::Buy, 2000, 1, TimeInForce::ImmediateOrCancel).scenario, Scenario::Untimed);
  EXPECT_EQ(trace.add(Side::Buy, 3000, 1, TimeInForce::PostOnly).scenario, Scenario::Untimed);
  EXPECT_EQ(trace.add(Side::Buy, 3000, 7).scenario, Scenario::Untimed) << "it trades before it rests";
  expect_traits(trace.add(Side::Buy, 3000, 1), {Scenario::AddToLevel, TreePath::None, 1, 4, 0, 1});
}

TEST(CallTraits, OfRejectedCallsTouchNothing) {
  Tracing trace;
  trace.add(Side::Buy, 3000, 5);
  EXPECT_EQ(trace.modify(0, 3000, 0).scenario, Scenario::Untimed);
  expect_traits(trace.cancel(0), {Scenario::Cancel, TreePath::Root, 2, 2, 0, 1});
}

Plan small_plan(const std::string& workload) {
  return bench::make_plan(
      {.workload = workload, .standing = 300, .batches = 2, .batch = 5'000, .rewarm = 500, .warm_up = 10'000});
}

TEST(CallTraits, OfAWholeStreamAgreeWithEachOtherAndTheCensus) {
  for (const char* workload : {"macro", "wide", "classic"}) {
    const Plan plan = small_plan(workload);
    const std::vector<CallTraits> traits = bench::trace_calls(plan);
    ASSERT_EQ(traits.size(), plan.events.size());
    for (const bench::Batch& batch : plan.batches) {
      std::uint64_t adds = 0, cancels = 0;
      for (std::size_t i = batch.begin; i < batch.end; ++i) {
        const bool changes = traits[i].path != TreePath::None;
        const Scenario scenario = traits[i].scenario;
        if (scenario == Scenario::Untimed) continue;
        ++(scenario == Scenario::Cancel ? cancels : adds);
        const bool expected =
            scenario == Scenario::AddNewLevel || (scenario == Scenario::Cancel && traits[i].queue == 1);
        EXPECT_EQ(changes, expected) << i;
      }
      EXPECT_GT(adds, 0U);
      EXPECT_LE(adds, batch.census.rested);
      EXPECT_GE(adds + batch.census.fills, batch.census.rested) << "the others have traded";
      EXPECT_GE(cancels + batch.census.misses, batch.census.cancels);
      EXPECT_LE(cancels, batch.census.cancels);
    }
  }
}

// ---- Stamped replays.

TEST(StampedReplay, StampsTheCallsThatHaveAScenarioAndNoOther) {
  const Plan plan = small_plan("macro");
  const std::vector<CallTraits> traits = bench::trace_calls(plan);
  for (const StampSource source : {StampSource::Tsc, StampSource::SteadyClock}) {
    const auto runner = bench::find_stamped_book("core")(plan);
    runner->start();
    for (std::size_t index = 0; index < plan.batches.size(); ++index) {
      const bench::Batch& batch = plan.batches[index];
      std::vector<Scenario> scenarios;
      for (std::size_t i = batch.begin; i < batch.end; ++i) scenarios.push_back(traits[i].scenario);
      std::vector<CallTicks> ticks(scenarios.size(), {.call = 0, .probe = 7'777'777});
      const bench::Window window = runner->time_calls(index, scenarios, source, ticks);
      EXPECT_EQ(window.digest, batch.expected);
      EXPECT_GT(window.seconds, 0);
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        EXPECT_EQ(ticks[i].probe == 7'777'777, scenarios[i] == Scenario::Untimed) << i;
        sum += ticks[i].call;
      }
      EXPECT_GT(sum, 0U);
    }
  }
}

using Sound = OrderBook<4096>;

struct CancelsNothing : Sound {
  explicit CancelsNothing(Sound&& book) : Sound(std::move(book)) {}
  static std::optional<CancelsNothing> create(const BookConfig& config) {
    std::optional<Sound> book = Sound::create(config);
    if (!book) return std::nullopt;
    return CancelsNothing(std::move(*book));
  }
  Status cancel_order(OrderHandle) { return Status::Success; }
};

TEST(StampedReplay, OfOtherWorkThanPlannedIsRefused) {
  const Plan plan = small_plan("macro");
  const bench::Batch& batch = plan.batches[0];
  const std::vector<CallTraits> traits = bench::trace_calls(plan);
  std::vector<Scenario> scenarios;
  for (std::size_t i = batch.begin; i < batch.end; ++i) scenarios.push_back(traits[i].scenario);
  std::vector<CallTicks> ticks(scenarios.size());
  bench::StampedReplay<Sound> sound(plan);
  sound.start();
  EXPECT_NO_THROW((void)sound.time_calls(0, scenarios, StampSource::SteadyClock, ticks));
  bench::StampedReplay<CancelsNothing> broken(plan);
  broken.start();
  EXPECT_THROW((void)broken.time_calls(0, scenarios, StampSource::SteadyClock, ticks), std::runtime_error);
}

TEST(StampedBooks, AreKnownByTheNamesOfAllBooks) {
  try {
    (void)bench::find_stamped_book("no such book");
    FAIL();
  } catch (const std::invalid_argument& error) {
    std::istringstream names(std::string(error.what()).substr(std::string(error.what()).rfind(':') + 1));
    std::size_t count = 0;
    for (std::string name; names >> name; ++count) {
      EXPECT_NE(bench::find_book(name), nullptr) << name;
      EXPECT_NE(bench::find_stamped_book(name), nullptr) << name;
    }
    EXPECT_GT(count, 1U);
  }
}

// ---- Percentiles.

std::vector<float> one_to(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.rbegin(), values.rend(), 1.0F);  // descending, so that they have to be sorted
  return values;
}

TEST(Percentiles, AreValuesOfTheSampleByNearestRank) {
  EXPECT_EQ(Percentiles({7}).at(5'000), 7);
  EXPECT_EQ(Percentiles({7}).at(9'999), 7);
  const Percentiles four(one_to(4));
  EXPECT_EQ(four.at(5'000), 2);
  EXPECT_EQ(four.at(5'001), 3);
  EXPECT_EQ(four.at(9'000), 4);
  const Percentiles hundred(one_to(100));
  EXPECT_EQ(hundred.at(9'900), 99);
  EXPECT_EQ(hundred.at(9'990), 100);
  const Percentiles many(one_to(10'000));
  EXPECT_EQ(many.at(5'000), 5'000);
  EXPECT_EQ(many.at(9'999), 9'999);
  EXPECT_EQ(many.at(10'000), 10'000);
  EXPECT_EQ(many.count(), 10'000U);
}

TEST(Percentiles, HaveAMeanOfTheFastest99Percent) {
  EXPECT_DOUBLE_EQ(Percentiles({7}).mean99(), 7);
  EXPECT_DOUBLE_EQ(Percentiles(one_to(4)).mean99(), 2.5);
  std::vector<float> interrupted = one_to(200);
  interrupted[0] = interrupted[1] = 1e9F;
  EXPECT_DOUBLE_EQ(Percentiles(interrupted).mean99(), 99.5);
}

TEST(Percentiles, OfNoValuesAreRefused) {
  EXPECT_THROW(Percentiles({}), std::invalid_argument);
}

// ---- Records.

#if LLMES_HAS_JSON
class Records : public ::testing::Test {
 protected:
  const bench::TemporaryFolder temporary{::testing::TempDir(), "llmes_records"};
  const std::filesystem::path folder = temporary.path();
  const std::vector<bench::CallRecord> records = std::vector<bench::CallRecord>(3);
};

TEST_F(Records, AreALineOfJsonAndThenThemselves) {
  const std::string path = folder / "records";
  bench::write_records(path, {{"book", "core"}}, records);
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::getline(file, line);
  const auto header = nlohmann::json::parse(line);
  EXPECT_EQ(header.at("book"), "core");
  EXPECT_EQ(header.at("records"), 3);
  std::size_t bytes = 0;
  for (const auto& type : header.at("fields"))
    bytes += static_cast<std::size_t>(type.get<std::string>().back() - '0');
  EXPECT_EQ(bytes, sizeof(bench::CallRecord));
  EXPECT_EQ(std::filesystem::file_size(path), line.size() + 1 + 3 * sizeof(bench::CallRecord));
}

TEST_F(Records, ThatCannotBeWrittenLeaveNothing) {
  EXPECT_THROW(bench::write_records(folder / "no such folder" / "records", {}, records), std::runtime_error);
  if (std::filesystem::exists("/dev/full")) {
    std::filesystem::create_symlink("/dev/full", folder / "records.unfinished");
    EXPECT_THROW(bench::write_records(folder / "records", {}, records), std::runtime_error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}
#endif

}  // namespace
}  // namespace llmes::test
