// SPDX-License-Identifier: MIT
//
// The description of a clock, for made-up clocks whose properties are known.
#include "bench/harness/clock.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "bench/harness/artifact.hpp"

namespace llmes::test {
namespace {

using bench::calibrate;
using bench::ClockFacts;
using bench::examine_clock;
using bench::TscFacts;

TEST(ExamineClock, MeasuresAFineClock) {
  std::int64_t time = 0;
  const ClockFacts facts = examine_clock([&] { return time += 7; });
  EXPECT_EQ(facts.resolution_ns, 7);
  EXPECT_DOUBLE_EQ(facts.overhead_ns, 7);
  EXPECT_EQ(facts.steps_back, 0U);
  EXPECT_GT(facts.readings, 10'000U);
}

TEST(ExamineClock, SeesTheStepsOfACoarseClock) {
  std::int64_t time = 0;
  const ClockFacts facts = examine_clock([&] { return (time += 25) / 1000 * 1000; });
  EXPECT_EQ(facts.resolution_ns, 1000);
  EXPECT_NEAR(facts.overhead_ns, 25, 10);
}

TEST(ExamineClock, IsNotMisledByInterruptionsNorByLuck) {
  std::int64_t time = 0;
  std::size_t calls = 0;
  const ClockFacts facts = examine_clock([&] {
    ++calls;
    return time += calls < 1000 ? 10 : calls % 500 == 0 ? 1'000'000 : 20;
  });
  EXPECT_EQ(facts.resolution_ns, 10);
  EXPECT_DOUBLE_EQ(facts.overhead_ns, 20);
}

TEST(ExamineClock, CountsStepsBack) {
  std::int64_t time = 0;
  std::size_t calls = 0;
  const ClockFacts facts = examine_clock([&] { return time += ++calls % 5000 == 0 ? -3 : 20; });
  EXPECT_EQ(facts.steps_back, 4U);
  EXPECT_EQ(facts.resolution_ns, 20);
}

TEST(ExamineClock, SaysThatAClockStandsStill) {
  const ClockFacts facts = examine_clock([] { return std::int64_t{5}; });
  EXPECT_EQ(facts.resolution_ns, 0);
  EXPECT_EQ(facts.overhead_ns, 0);
}

TEST(Calibrate, FindsTheRate) {
  std::int64_t time = 0;  // every reading takes 10 ns
  const TscFacts facts =
      calibrate([&] { return static_cast<std::uint64_t>(time += 10) * 3; }, [&] { return time += 10; });
  EXPECT_NEAR(facts.ghz, 3, 1e-5);
  EXPECT_LT(facts.spread, 1e-5);
}

TEST(Calibrate, IsNotMisledByInterruptions) {
  std::int64_t time = 0;
  std::size_t calls = 0;
  const auto ticks = [&] {
    time += ++calls % 4 == 0 ? 100'000 : 10;  // between the two readings of every other try
    return static_cast<std::uint64_t>(time) * 3;
  };
  const TscFacts facts = calibrate(ticks, [&] { return time += 10; });
  EXPECT_NEAR(facts.ghz, 3, 1e-5);
  EXPECT_LT(facts.spread, 1e-5);
}

TEST(Calibrate, ShowsARateThatChanges) {
  std::int64_t time = 0;
  const auto ticks = [&] {
    time += 10;
    return static_cast<std::uint64_t>(time < 10'000'000 ? 3 * time : 30'000'000 + 2 * (time - 10'000'000));
  };
  const TscFacts facts = calibrate(ticks, [&] { return time += 10; });
  EXPECT_NEAR(facts.ghz, 2.5, 0.01);
  EXPECT_NEAR(facts.spread, 1 / 2.5, 0.01);
}

TEST(DescribeClock, IsWhatTheFingerprintSays) {
  const ClockFacts clock{.resolution_ns = 20, .overhead_ns = 24.5, .steps_back = 1, .readings = 300};
  const auto unknown = describe_clock(clock, std::nullopt);
  EXPECT_EQ(unknown.at("clock"), "steady_clock: steps of 20 ns, 24.5 ns a call, 1 steps back in 300 readings");
  EXPECT_EQ(unknown.at("tsc"), "none that is invariant");
  const auto invariant = describe_clock(clock, TscFacts{.ghz = 2.45, .spread = 3e-6});
  EXPECT_EQ(invariant.at("tsc"), "invariant, 2.450000 GHz by steady_clock (spread 3.0 ppm)");
}

TEST(Fingerprint, HoldsTheFactsOfThisClock) {
  const auto facts = bench::clock_facts();
  const auto fingerprint = bench::fingerprint();
  EXPECT_EQ(fingerprint.at("clock"), facts.at("clock"));
  EXPECT_EQ(fingerprint.at("tsc"), facts.at("tsc"));
  EXPECT_NE(facts.at("clock").find(" 0 steps back"), std::string::npos) << facts.at("clock");
  EXPECT_EQ(facts.at("clock").find("steps of 0 ns"), std::string::npos) << facts.at("clock");
}

}  // namespace
}  // namespace llmes::test
