// SPDX-License-Identifier: MIT
//
// Percentiles of complete records. A histogram of high dynamic range would be there to save memory, at the price
// of rounding; with every value kept, sorting them is exact.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace llmes::bench {

class Percentiles {
 public:
  explicit Percentiles(std::vector<float> values) : sorted_(std::move(values)) {
    if (sorted_.empty()) throw std::invalid_argument("no values to take a percentile of");
    std::sort(sorted_.begin(), sorted_.end());
  }

  /// The least value that `per_10000` of 10,000 values do not exceed; `per_10000` is 1 to 10,000.
  [[nodiscard]] float at(std::size_t per_10000) const { return sorted_[rank(per_10000) - 1]; }
  /// The mean of the fastest 99 % of times, at least one: a few interruptions, a thousand times as long as a call,
  /// would make the mean of all worthless. Unlike a percentile it tells apart what lies within one step of a
  /// coarse clock.
  [[nodiscard]] double mean99() const {
    const std::size_t kept = rank(9'900);
    return std::accumulate(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(kept), 0.0) /
           static_cast<double>(kept);
  }
  [[nodiscard]] std::size_t count() const { return sorted_.size(); }

 private:
  /// From 1; in whole numbers, since 0.9999 has no exact double.
  [[nodiscard]] std::size_t rank(std::size_t per_10000) const {
    return (sorted_.size() * per_10000 + 9'999) / 10'000;
  }

  std::vector<float> sorted_;
};

}  // namespace llmes::bench
