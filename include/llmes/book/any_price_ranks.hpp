// SPDX-License-Identifier: MIT
//
// The ranks of a book without a band, alone or in a set: one for each price but the largest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

struct AnyPriceRanks {
  /// All prices but the largest, which no book holds.
  static constexpr std::size_t rank_count = std::numeric_limits<std::uint64_t>::max();
  static constexpr bool has_band = false;
  static constexpr bool has_cold_levels = false;

  /// The rank of the price `offset` ticks above the lowest. Bids count from the highest price, without a branch on
  /// the side. The function is its own inverse.
  [[nodiscard]] static constexpr std::size_t rank(Side side, std::size_t offset) noexcept {
    const std::size_t mask = static_cast<std::size_t>(side) - 1;
    return (offset ^ mask) + mask;
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE
