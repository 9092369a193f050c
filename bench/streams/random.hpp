// SPDX-License-Identifier: MIT
//
// The random draws of the workloads, in integer arithmetic only. A plan must be the same on every platform; the
// standard distributions and the mathematical library may not be.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <random>

#include "llmes/types/types.hpp"

namespace llmes::bench {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }

  /// A number in [0, bound), nearly uniform for the small bounds used here.
  std::uint64_t below(std::uint64_t bound) { return bits() % bound; }

  /// A number in [first, last].
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(last - first) + 1));
  }

  /// True with probability `per_mille` / 1000.
  bool chance(std::uint64_t per_mille) { return below(1000) < per_mille; }

  Side side() { return bits() % 2 == 0 ? Side::Buy : Side::Sell; }

  /// The number of successes before the first failure, each with probability `per_mille` / 1000; at most `limit`.
  std::uint64_t geometric(std::uint64_t per_mille, std::uint64_t limit) {
    std::uint64_t run = 0;
    while (run < limit && chance(per_mille)) ++run;
    return run;
  }

  /// A power law: k, from 1 to `limit`, with a probability that falls like 1/k^2.
  std::uint64_t power_law(std::uint64_t limit) {
    for (;;) {
      const std::uint64_t k = (std::uint64_t{1} << 32) / (1 + (bits() >> 32));
      if (k >= 1 && k <= limit) return k;
    }
  }

  /// A distance far from the touch: a power law in steps of 8, up to 8 * `limit`, uniform within a step.
  std::uint64_t far(std::uint64_t limit) {
    const std::uint64_t steps = power_law(limit);
    return 8 * steps + below(8);
  }

  /// `distance` up or down.
  std::int64_t either_way(std::int64_t distance) { return chance(500) ? distance : -distance; }

  /// A waiting time with the given half-life: exponential across octaves, uniform within one.
  std::uint64_t waiting_time(std::uint64_t half_life) {
    const auto octave = static_cast<std::uint64_t>(std::countl_zero(bits() | 1));
    return octave * half_life + below(half_life);
  }

  /// The lots of one order: mostly a few, sometimes a hundred (the published design's table).
  Quantity quantity() {
    static constexpr std::array<Quantity, 32> table{1, 1, 1, 2, 2, 2, 3, 3, 3,  4,  4,  4,  5,  5,  5,  5,
                                                    5, 6, 6, 6, 7, 7, 8, 9, 10, 12, 15, 20, 30, 50, 75, 100};
    return table[below(table.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace llmes::bench
