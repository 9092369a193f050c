// SPDX-License-Identifier: MIT
//
// One side of the book: index arithmetic leads from a price to its level, and a tree knows the best level.
//
// The *rank* of a price counts from the side's aggressive end: rank 0 is the highest price of the band for
// bids and the lowest for asks. The best price has the lowest rank on either side, so one code path serves
// both, with the side as a plain index; random flow would mispredict a branch on the side half the time. An
// order of rank r crosses every opposite level of rank N-1-r or lower.
//
// Invariant: after every public call of the book, a rank is in the tree exactly if an order rests on its level.
#pragma once

#include <cstddef>
#include <cstdint>

#include "llmes/occupancy_tree.hpp"
#include "llmes/order_pool.hpp"
#include "llmes/price_level.hpp"
#include "llmes/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// N: how many prices the band has.
template <std::size_t N>
class ArraySideBook {
 public:
  /// The rank of the price `offset` (below N) ticks above the base price. The function is its own inverse. N
  /// is a power of two, so N-1 - offset flips bits, without a branch on the side.
  [[nodiscard]] static constexpr std::size_t rank(Side side, std::size_t offset) noexcept {
    return offset ^ ((N - 1) & (static_cast<std::size_t>(side) - 1));
  }

  /// The anchor of a level: bids lie in slots [0, N) of the pool, asks in [N, 2N).
  [[nodiscard]] static constexpr SlotIndex anchor(Side side, std::size_t rank) noexcept {
    return static_cast<SlotIndex>(static_cast<std::size_t>(side) * N + rank);
  }
  [[nodiscard]] static constexpr Side side_of(SlotIndex anchor) noexcept { return static_cast<Side>(anchor / N); }
  [[nodiscard]] static constexpr std::size_t rank_of(SlotIndex anchor) noexcept { return anchor % N; }

  /// The best occupied rank, or N if the side is empty.
  [[nodiscard, gnu::always_inline]] constexpr std::size_t best() const noexcept { return occupied_.first(); }
  /// The best occupied rank that is not better than `rank` (at most N), or N if there is none.
  [[nodiscard]] constexpr std::size_t best_from(std::size_t rank) const noexcept {
    return occupied_.first_from(rank);
  }
  [[nodiscard]] constexpr bool occupied(std::size_t rank) const noexcept { return occupied_.contains(rank); }

  /// Appends the order in slot `index` to `level`, a level of this side.
  [[gnu::always_inline]] void push_back(PriceLevel level, SlotIndex index) noexcept {
    level.push_back(index);
    occupied_.insert(rank_of(level.anchor()));
  }

  /// Takes the order in slot `index` off `level`, where it rests.
  [[gnu::always_inline]] void erase(PriceLevel level, SlotIndex index) noexcept {
    level.erase(index);
    retire_if_empty(level);
  }

  /// The worst occupied rank; the side must have one. Linear in the band.
  [[nodiscard]] constexpr std::size_t worst() const noexcept {
    std::size_t rank = N - 1;
    while (!occupied_.contains(rank)) --rank;
    return rank;
  }

  /// Adds `shift`, modulo 2^64, to the rank of every level; all of them must stay in the band. Linear in the
  /// band and the orders.
  void shift_ranks(OrderPool& pool, Side side, std::size_t shift) noexcept {
    const bool up = shift < N;
    for (std::size_t i = 0; i < N; ++i) {
      const std::size_t rank = up ? N - 1 - i : i;  // the level that a level moves to has already moved away
      if (!occupied_.contains(rank)) continue;
      PriceLevel(pool, anchor(side, rank)).move_to(anchor(side, rank + shift));
      occupied_.clear_if(rank, true);
      occupied_.insert(rank + shift);
    }
  }

  /// Clears the mark of `level` if it has run empty. For callers that take orders off the level itself.
  [[gnu::always_inline]] void retire_if_empty(PriceLevel level) noexcept {
    occupied_.clear_if(rank_of(level.anchor()), level.empty());
  }

 private:
  friend struct BookInspector;

  OccupancyTree<N> occupied_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
