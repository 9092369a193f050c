// SPDX-License-Identifier: MIT
//
// One side of the book: price -> level by index arithmetic, and the tree that knows the best of them.
//
// Prices are counted from the side's aggressive end, and that count is the *rank*: rank 0 is the highest price
// of the band for bids and the lowest for asks. The best price is then the lowest rank on either side, so one
// code path, with the side as a plain index, serves both; random flow would mispredict a branch on the side
// half the time. An order of rank r crosses every opposite level of rank N-1-r or lower, on either side.
//
// Invariant: a rank is in the tree exactly if an order rests on its level, after every public call of the book.
#pragma once

#include <cstddef>
#include <cstdint>

#include "llmes/occupancy_tree.hpp"
#include "llmes/order_pool.hpp"
#include "llmes/price_level.hpp"
#include "llmes/types.hpp"

namespace llmes {

/// N: how many prices the band has.
template <std::size_t N>
class ArraySideBook {
 public:
  /// `side` decides where this side's anchors lie in the pool: bids in slots [0, N), asks in [N, 2N).
  explicit constexpr ArraySideBook(Side side) noexcept : first_anchor_(side == Side::Buy ? 0 : N) {}

  /// How far a price is from the side's aggressive end; `offset` (below N) is its distance from the base price.
  /// Its own inverse.
  [[nodiscard]] static constexpr std::size_t rank(Side side, std::size_t offset) noexcept {
    return side == Side::Buy ? N - 1 - offset : offset;
  }
  /// The side and the rank of a level, from its anchor.
  [[nodiscard]] static constexpr Side side_of(SlotIndex anchor) noexcept {
    return anchor < N ? Side::Buy : Side::Sell;
  }
  [[nodiscard]] static constexpr std::size_t rank_of(SlotIndex anchor) noexcept { return anchor % N; }

  /// The best occupied rank, or N if the side is empty.
  [[nodiscard]] constexpr std::size_t best() const noexcept { return occupied_.first(); }
  /// The best occupied rank that is not better than `rank` (at most N), or N if there is none.
  [[nodiscard]] constexpr std::size_t best_from(std::size_t rank) const noexcept {
    return occupied_.first_from(rank);
  }
  [[nodiscard]] constexpr bool occupied(std::size_t rank) const noexcept { return occupied_.contains(rank); }

  [[nodiscard]] constexpr SlotIndex anchor(std::size_t rank) const noexcept {
    return first_anchor_ + static_cast<SlotIndex>(rank);
  }
  [[nodiscard]] PriceLevel level(OrderPool& pool, std::size_t rank) const noexcept { return {pool, anchor(rank)}; }

  /// Appends the order in slot `index` to the level at `rank`.
  void push_back(OrderPool& pool, std::size_t rank, SlotIndex index) noexcept {
    level(pool, rank).push_back(index);
    occupied_.insert(rank);
  }

  /// Takes the order in slot `index` off the level at `rank`, where it rests.
  void erase(OrderPool& pool, std::size_t rank, SlotIndex index) noexcept {
    PriceLevel at = level(pool, rank);
    at.erase(index);
    if (at.empty()) occupied_.erase(rank);
  }

  /// Notes that the last order of the level at `rank` has been taken off through the level itself.
  void retire(std::size_t rank) noexcept { occupied_.erase(rank); }

 private:
  OccupancyTree<N> occupied_;
  SlotIndex first_anchor_;
};

}  // namespace llmes
