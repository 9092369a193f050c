// SPDX-License-Identifier: MIT
//
// The median of a sample and an interval for it that assumes nothing about its distribution.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace llmes::bench {

struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// The sample median between two order statistics that enclose the true median with a probability of at least
/// 95 %: how many of n values lie below it is binomial (n, 1/2). With fewer than six values no two do, and the
/// interval is the whole range. See Hahn and Meeker, Statistical Intervals, 5.2.
[[nodiscard]] inline MedianInterval median_interval(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("no values to take a median of");
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const double median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;

  // The largest k with P(fewer than k of n below the median) <= 2.5 %.
  const auto count = static_cast<double>(n);
  double tail = 0;
  std::size_t k = 0;
  for (; k < n / 2; ++k) {
    const auto below = static_cast<double>(k);
    tail += std::exp(std::lgamma(count + 1) - std::lgamma(below + 1) - std::lgamma(count - below + 1) -
                     count * std::numbers::ln2);
    if (tail > 0.025) break;
  }
  const std::size_t rank = k == 0 ? 0 : k - 1;
  return {median, values[rank], values[n - 1 - rank]};
}

}  // namespace llmes::bench
