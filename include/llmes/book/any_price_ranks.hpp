// SPDX-License-Identifier: MIT
//
// What a side without a band has, alone or in a set: ranks, one for each price but the largest, and levels whose
// anchors say their side and rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/book/order_pool.hpp"
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

  [[nodiscard]] static Side side_of(const auto& pool, SlotIndex anchor) noexcept { return pool[anchor].side(); }
  [[nodiscard]] static std::size_t rank_of(const auto& pool, SlotIndex anchor) noexcept {
    return pool[anchor].rank();
  }

 protected:
  /// Where a window of `size` ranks begins so that a quarter of it comes before `rank`, or less near an end.
  [[nodiscard]] static constexpr std::uint64_t begin_for(std::uint64_t rank, std::uint64_t size) noexcept {
    return std::min(rank - std::min(rank, size / 4), 0 - size);
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE
