// SPDX-License-Identifier: MIT
//
// Rows of a race with runners whose times are known: who runs when, what a row reports, and how rows are named.
#include "bench/harness/race.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace llmes::test {
namespace {

using bench::Row;
using bench::Runner;
using bench::Window;

using Log = std::vector<std::pair<std::string, std::size_t>>;  // who played which batch

/// Takes `seconds` for the first batch, twice as long for the second, and so on.
class KnownRunner final : public Runner {
 public:
  KnownRunner(std::string name, double seconds, Log& log) : name_(std::move(name)), seconds_(seconds), log_(log) {}

  void start() override {}
  Window run(std::size_t index, bench::CounterSource*) override {
    if (seconds_ == 0) throw std::runtime_error("it is broken");
    log_.emplace_back(name_, index);
    const auto nth = static_cast<double>(index + 1);
    return {.seconds = nth * seconds_, .events = 1000, .digest = {index + 1, 2, 1}, .allocations = 3};
  }
  [[nodiscard]] std::size_t peak_bytes() const override { return 0; }

 private:
  std::string name_;
  double seconds_;
  Log& log_;
};

std::vector<Row> rows_of(const std::vector<std::pair<std::string, double>>& runners, Log& log) {
  std::vector<Row> rows;
  for (const auto& [name, seconds] : runners) {
    rows.push_back({name, std::make_unique<KnownRunner>(name, seconds, log)});
  }
  return rows;
}

TEST(RowNames, TellABookApartThatIsNamedAgain) {
  EXPECT_EQ(bench::row_names({"core", "null", "core", "core", "null"}),
            (std::vector<std::string>{"core", "null", "core#2", "core#3", "null#2"}));
  EXPECT_EQ(bench::row_names({}), std::vector<std::string>{});
}

TEST(Race, PlaysEachBatchOnceOnEachRow) {
  Log log;
  std::vector<Row> rows = rows_of({{"a", 1}, {"b", 1}, {"c", 1}}, log);
  bench::race(rows, 20, 1, nullptr);
  ASSERT_EQ(log.size(), 60U);
  std::set<std::vector<std::string>> orders;
  for (std::size_t round = 0; round < 20; ++round) {
    std::vector<std::string> order;
    for (std::size_t turn = 0; turn < 3; ++turn) {
      EXPECT_EQ(log[3 * round + turn].second, round);
      order.push_back(log[3 * round + turn].first);
    }
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), 3U);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 3U);  // of the six there are
}

TEST(Race, GivesTimesAndRatiosOfTheSameRound) {
  Log log;
  std::vector<Row> rows = rows_of({{"slow", 3e-6}, {"base", 2e-6}}, log);
  bench::race(rows, 3, 1, nullptr);
  const std::vector<double> times = rows[0].times();
  const std::vector<double> ratios = rows[0].ratios_over(rows[1]);
  ASSERT_EQ(times.size(), 3U);
  ASSERT_EQ(ratios.size(), 3U);
  for (std::size_t round = 0; round < 3; ++round) {
    EXPECT_DOUBLE_EQ(times[round], 3 * static_cast<double>(round + 1));
    EXPECT_DOUBLE_EQ(ratios[round], 1.5);
  }
}

TEST(Race, SumsUpTheWindowsOfARow) {
  Log log;
  std::vector<Row> rows = rows_of({{"a", 1}}, log);
  bench::race(rows, 3, 1, nullptr);
  const Window total = rows[0].total();
  EXPECT_DOUBLE_EQ(total.seconds, 6);
  EXPECT_EQ(total.events, 3000U);
  EXPECT_EQ(total.allocations, 9U);
  EXPECT_EQ(total.digest, (bench::Digest{(1 * 31 + 2) * 31 + 3, 6, 3}));
}

TEST(Race, SaysWhichRowFailedAndWhen) {
  Log log;
  std::vector<Row> rows = rows_of({{"broken", 0}}, log);
  try {
    bench::race(rows, 3, 1, nullptr);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "broken, round 1: it is broken");
  }
}

}  // namespace
}  // namespace llmes::test
