// SPDX-License-Identifier: MIT
//
// A small integer generator (SplitMix64), so that a seed means the same stream on every compiler and library.
#pragma once

#include <cstdint>

namespace llmes::test {

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t next() noexcept {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// A number below `bound`, which is not 0. Slightly uneven for huge bounds, which no test minds.
  constexpr std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

  constexpr bool chance(unsigned percent) noexcept { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace llmes::test
