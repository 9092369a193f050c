// SPDX-License-Identifier: MIT
//
// The core over a band of some width: fed one command at a time, which also re-centres its band, and fed spans.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "bench/harness/runner.hpp"

namespace llmes::bench {

/// A runner that moves its band up by one price and back again after each batch.
class Recentring : public Runner {
 public:
  /// Microseconds that a call of `recenter` took, one figure a batch.
  [[nodiscard]] const std::vector<double>& microseconds() const { return microseconds_; }
  /// All the memory of the book.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;

 protected:
  std::vector<double> microseconds_;
};

/// The two ways to feed one book.
struct BandRunners {
  std::unique_ptr<Recentring> single;
  std::unique_ptr<Runner> spans;
};

/// The runners of a core of `PriceLevels`. The plan must outlive them. band.cpp defines it for the widths of
/// LLMES_BAND_WIDTHS.
template <std::size_t PriceLevels>
[[nodiscard]] BandRunners enter_band(const Plan& plan);

}  // namespace llmes::bench
