// SPDX-License-Identifier: MIT
//
// The prices of one side of a book with a band as ranks, and which of them are occupied.
//
// The *rank* of a price counts from the side's aggressive end: rank 0 is the highest price of the band for bids
// and the lowest for asks. So the best price has the lowest rank on either side. One code path serves both, with
// the side as an index: a branch on the side would mispredict half the time in random flow. An order of rank r
// crosses every opposite level of rank N-1-r or lower.
//
// Invariant: after every public call of the book, a rank is in the tree exactly if an order rests on its level.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/book/occupancy_tree.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// N: how many prices the band has.
template <std::size_t N>
class RankedSide {
 public:
  using Pool = OrderPool;

  static constexpr std::size_t rank_count = N;
  static constexpr std::size_t capacity_max = OrderPool::capacity_max(2 * N);
  static constexpr bool has_band = true;

  /// The rank of the price `offset` (below N) ticks above the base price. The function is its own inverse. N is a
  /// power of two, so N-1 - offset flips bits, without a branch on the side.
  [[nodiscard]] static constexpr std::size_t rank(Side side, std::size_t offset) noexcept {
    return offset ^ ((N - 1) & (static_cast<std::size_t>(side) - 1));
  }

  /// The best occupied rank, or N if the side is empty.
  [[nodiscard, gnu::always_inline]] constexpr std::size_t best() const noexcept { return occupied_.first(); }
  /// The best occupied rank that is not better than `rank` (at most N), or N if there is none.
  [[nodiscard]] constexpr std::size_t best_from(const OrderPool&, std::size_t rank) const noexcept {
    return occupied_.first_from(rank);
  }
  /// The worst occupied rank; the side must have one.
  [[nodiscard]] constexpr std::size_t worst(const OrderPool&) const noexcept { return occupied_.last(); }
  [[nodiscard]] constexpr bool occupied(const OrderPool&, std::size_t rank) const noexcept {
    return occupied_.contains(rank);
  }

 protected:
  /// Adds `shift`, modulo 2^64, to every occupied rank, calling `move(from, to)`. All must stay in the band.
  /// Linear in N.
  template <class Move>
  void shift_occupied(std::size_t shift, Move move) noexcept {
    const bool up = shift < N;
    for (std::size_t i = 0; i < N; ++i) {
      const std::size_t from = up ? N - 1 - i : i;  // the level that a level moves to has already moved away
      if (!occupied_.contains(from)) continue;
      move(from, from + shift);
      occupied_.clear_if(from, true);
      occupied_.insert(from + shift);
    }
  }

  friend struct BookInspector;

  OccupancyTree<N> occupied_;
};

/// What a side without a band has, alone or in a set: a rank for each price but the largest, and levels whose
/// anchors say their side and rank.
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
