// SPDX-License-Identifier: MIT
//
// What the streams of a market draw alike: the symbol of a message and the lots of an order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/workloads/random.hpp"
#include "llmes/types.hpp"

namespace llmes::bench {

/// Numbers from 0 on that are drawn by their weights.
class Weights {
 public:
  void add(std::uint64_t weight) { sums_.push_back((sums_.empty() ? 0 : sums_.back()) + weight); }
  std::size_t draw(Random& random) const {
    const std::uint64_t at = random.below(sums_.back());
    return static_cast<std::size_t>(std::upper_bound(sums_.begin(), sums_.end(), at) - sums_.begin());
  }

 private:
  std::vector<std::uint64_t> sums_;
};

[[nodiscard]] inline std::uint64_t square_root(std::uint64_t square) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= square) root += bit;
  }
  return root;
}

/// As a rule whole hundreds.
[[nodiscard]] inline Quantity shares(Random& random) {
  const Quantity hundreds = random.quantity();
  return random.chance(850) ? 100 * hundreds : 1 + random.below(99);
}

}  // namespace llmes::bench
