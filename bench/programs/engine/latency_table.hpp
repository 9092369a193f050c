// SPDX-License-Identifier: MIT
//
// Latencies as the world of HDR histograms tells them: few percentiles for a table, and the text of a percentile
// distribution (.hgrm), which the usual plotters read. All values are kept, so nothing is rounded into buckets.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "bench/harness/statistics.hpp"

namespace llmes::bench {

struct LatencyPercentile {
  std::string_view name;
  std::size_t per_10000;
};
inline constexpr std::array<LatencyPercentile, 6> latency_percentiles{
    {{"p50", 5'000}, {"p90", 9'000}, {"p99", 9'900}, {"p99.9", 9'990}, {"p99.99", 9'999}, {"worst", 10'000}}};

/// A value, and how many are not above it.
struct CurvePoint {
  float value;
  std::size_t count;
};

/// The points of a percentile distribution: five from each percentile to the one that halves what is above it, and
/// the worst.
[[nodiscard]] inline std::vector<CurvePoint> curve_of(const Percentiles& percentiles) {
  constexpr int steps = 5;
  const std::vector<float>& values = percentiles.sorted();
  std::vector<CurvePoint> points;
  for (double above = 1; above * static_cast<double>(values.size()) >= 1; above /= 2) {
    for (int step = 0; step < steps; ++step) {
      const double share = 1 - above * (1 - 0.5 * step / steps);
      const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
      const std::size_t count = std::max<std::size_t>(1, rank);
      if (points.empty() || count > points.back().count) points.push_back({values[count - 1], count});
    }
  }
  if (points.back().count < values.size()) points.push_back({values.back(), values.size()});
  return points;
}

/// Writes the distribution, in nanoseconds, in the format of HdrHistogram's plotters.
inline void write_hgrm(std::ostream& out, const Percentiles& percentiles) {
  const std::vector<float>& values = percentiles.sorted();
  const auto total = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const double mean = sum / total;
  const double deviation = std::sqrt(std::max(0.0, squares / total - mean * mean));
  out << absl::StrFormat("%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
  for (const auto& [value, count] : curve_of(percentiles)) {
    const double share = static_cast<double>(count) / total;
    out << absl::StrFormat("%12.3f %2.12f %10d", value, share, count);
    out << (count < values.size() ? absl::StrFormat(" %14.2f\n", 1 / (1 - share)) : "\n");
  }
  out << absl::StrFormat("#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean, deviation);
  out << absl::StrFormat("#[Max     = %12.3f, Total count    = %12d]\n", values.back(), values.size());
  out << "#[Buckets = 0, SubBuckets = 0]\n";
}

}  // namespace llmes::bench
