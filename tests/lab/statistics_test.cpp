// SPDX-License-Identifier: MIT
//
// The interval of the median has the ranks of the published tables for 95 % (Conover, Practical Nonparametric
// Statistics): with the values 1 to n, the bounds are the ranks themselves.
#include "bench/harness/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

using bench::median_interval;
using bench::MedianInterval;

std::vector<double> one_to(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

void expect_interval(const MedianInterval& interval, double low, double median, double high) {
  EXPECT_DOUBLE_EQ(interval.low, low);
  EXPECT_DOUBLE_EQ(interval.median, median);
  EXPECT_DOUBLE_EQ(interval.high, high);
}

TEST(MedianInterval, HasTheRanksOfTheTables) {
  expect_interval(median_interval(one_to(6)), 1, 3.5, 6);
  expect_interval(median_interval(one_to(9)), 2, 5, 8);
  expect_interval(median_interval(one_to(10)), 2, 5.5, 9);
  expect_interval(median_interval(one_to(15)), 4, 8, 12);
  expect_interval(median_interval(one_to(20)), 6, 10.5, 15);
  expect_interval(median_interval(one_to(25)), 8, 13, 18);
  expect_interval(median_interval(one_to(100)), 40, 50.5, 61);
}

TEST(MedianInterval, OfFewValuesIsTheWholeRange) {
  expect_interval(median_interval({7}), 7, 7, 7);
  expect_interval(median_interval({7, 9}), 7, 8, 9);
  for (std::size_t n = 3; n < 6; ++n) {
    const auto last = static_cast<double>(n);
    expect_interval(median_interval(one_to(n)), 1, (1 + last) / 2, last);
  }
}

TEST(MedianInterval, DoesNotMindTheOrderOfTheValues) {
  std::vector<double> values = one_to(20);
  std::reverse(values.begin(), values.end());
  std::swap(values[3], values[11]);
  expect_interval(median_interval(values), 6, 10.5, 15);
}

TEST(MedianInterval, OfNoValuesIsRefused) {
  EXPECT_THROW((void)median_interval({}), std::invalid_argument);
}

/// The promise itself, on samples whose true median is known.
TEST(MedianInterval, EnclosesTheTrueMedianInNineteenOfTwentySamples) {
  Random random(1);
  int enclosed = 0;
  constexpr int samples = 4'000;
  for (int i = 0; i < samples; ++i) {
    std::vector<double> values(20);
    for (double& value : values) value = static_cast<double>(random.below(1'000'001));
    const MedianInterval interval = median_interval(values);
    enclosed += interval.low <= 500'000 && 500'000 <= interval.high;
  }
  EXPECT_GE(enclosed, samples * 95 / 100);
  EXPECT_LE(enclosed, samples * 97 / 100);
}

}  // namespace
}  // namespace llmes::test
