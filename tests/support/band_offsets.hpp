// SPDX-License-Identifier: MIT
//
// Positions in a band of prices, in ticks from its first price.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "llmes/types/types.hpp"

namespace llmes::test {

/// The price `offset` ticks above `base`. Offsets outside the band are fine, and beyond the ends of the type they
/// wrap around.
constexpr Price price_at(Price base, std::int64_t offset) {
  return static_cast<Price>(static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(offset));
}

/// The offsets around which a tree of 64-bit words can go wrong: the ends of the band, and both sides of the first
/// and the last boundary between words and between words of words, seen from either end of the band.
inline std::vector<std::int64_t> boundary_offsets(std::size_t price_levels) {
  const auto count = static_cast<std::int64_t>(price_levels);
  std::set<std::int64_t> offsets;
  for (const std::int64_t edge :
       {std::int64_t{0}, std::int64_t{64}, std::int64_t{4096}, count - 4096, count - 64, count}) {
    for (const std::int64_t offset : {edge - 1, edge, edge + 1}) {
      if (offset >= 0 && offset < count) offsets.insert(offset);
    }
  }
  return {offsets.begin(), offsets.end()};
}

}  // namespace llmes::test
