// SPDX-License-Identifier: MIT
//
// The median of a sample with an interval that assumes nothing about its distribution, and exact percentiles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace llmes::bench {

struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// The sample median, and two order statistics that enclose the true median with a probability of at least 95 %:
/// the number of values below it, out of n, is binomial (n, 1/2). With fewer than six values there are no such
/// two, and the interval is the whole range. See Hahn and Meeker, Statistical Intervals, 5.2.
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

/// Percentiles of complete records. A histogram would save memory at the price of rounding; sorting all values is
/// exact.
class Percentiles {
 public:
  explicit Percentiles(std::vector<float> values) : sorted_(std::move(values)) {
    if (sorted_.empty()) throw std::invalid_argument("no values to take a percentile of");
    std::sort(sorted_.begin(), sorted_.end());
  }

  /// The smallest value that at least `per_10000` of 10,000 values do not exceed; `per_10000` is 1 to 10,000.
  [[nodiscard]] float at(std::size_t per_10000) const { return sorted_[rank(per_10000) - 1]; }
  /// The mean of the fastest 99 % of the values, of at least one. A few interruptions, a thousand times as long as
  /// a call, would dominate the mean of all. Unlike a percentile, it resolves differences smaller than one step of
  /// a coarse clock.
  [[nodiscard]] double mean99() const {
    const std::size_t kept = rank(9'900);
    return std::accumulate(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(kept), 0.0) /
           static_cast<double>(kept);
  }
  [[nodiscard]] std::size_t count() const { return sorted_.size(); }
  /// All values, the least first.
  [[nodiscard]] const std::vector<float>& sorted() const { return sorted_; }

 private:
  /// From 1. In whole numbers, since 0.9999 has no exact double.
  [[nodiscard]] std::size_t rank(std::size_t per_10000) const {
    return (sorted_.size() * per_10000 + 9'999) / 10'000;
  }

  std::vector<float> sorted_;
};

}  // namespace llmes::bench
