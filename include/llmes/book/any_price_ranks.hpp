// SPDX-License-Identifier: MIT
//
// The ranks of a book without a band: one for each price but the largest. Both sides for any price have them, that
// of a book by itself and that of a book of a set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A base of such a side.
struct AnyPriceRanks {
  /// All prices but the largest one, which no band holds.
  static constexpr std::size_t rank_count = std::numeric_limits<std::uint64_t>::max();
  static constexpr bool has_band = false;
  /// Whether a price level is met cold as a rule, so that it gains to fetch it ahead.
  static constexpr bool has_cold_levels = false;

  /// The rank of the price `offset` ticks above the lowest: counted from the highest price for bids, without a
  /// branch on the side. The function is its own inverse.
  [[nodiscard]] static constexpr std::size_t rank(Side side, std::size_t offset) noexcept {
    const std::size_t mask = static_cast<std::size_t>(side) - 1;
    return (offset ^ mask) + mask;
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE
