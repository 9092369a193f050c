// SPDX-License-Identifier: MIT
//
// One side of a book for any price. Orders and their anchors never move when prices jump.
//
//  - Bits mark which levels are in use in a *window* of up to N ranks around the best one. Levels before or behind
//    the window are *far*: a sorted tree has their ranks.
//  - The anchor of a level is its *cell*, the rank modulo the number of cells. If the cell is taken or the level
//    is far, the level is *displaced* (see any_price_pool.hpp): it takes the anchor freed last, which is still in
//    the caches. It keeps its anchor while orders rest on it.
//
// The window moves only without a mark. A call passes at most `levels_at_once` levels between window and tree:
//  - When the last mark goes, the window advances to the best far level and takes in the levels there.
//  - `misses` orders near the best level have missed the window. It takes in levels that it could not before, if
//    the best level lies well inside. Otherwise it gives its levels to the tree, worst first, and advances once
//    empty.
// So the window ends before the first far level behind it.
//
// Invariants, after every call of the book:
//  I1  the anchor of a level in use has its rank; that of an empty cell has a rank of this cell, or `no_rank`. If
//      a cell has a rank, the level of this rank is not displaced;
//  I2  a level in use is marked if the window covers it, and in the tree if not;
//  I3  the window has a mark, unless the side is empty. `ahead_` is the best far level before the window, if any.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "llmes/book/any_price_pool.hpp"
#include "llmes/book/far_levels.hpp"
#include "llmes/book/occupancy_tree.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/book/ranked_side.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// N: how many ranks the window has, a power of two from 64 to 262,144.
template <std::size_t N>
class AnyPriceSideBook : public AnyPriceRanks {
 public:
  using Pool = AnyPricePool;

  static constexpr std::size_t cells_max = 16'384;
  static constexpr std::size_t capacity_max = OrderPool::capacity_max(2 * cells_max) / 2;
  /// Cells of a side: four for each order, so few levels are displaced and few cache lines in use, but no more
  /// than the caches hold.
  [[nodiscard]] static constexpr std::size_t cell_count(std::size_t capacity) noexcept {
    return std::bit_ceil(std::clamp(4 * std::min(capacity, cells_max), std::size_t{64}, cells_max));
  }

  [[nodiscard]] static AnyPricePool pool(std::size_t capacity) noexcept {
    return {capacity, 2 * cell_count(capacity)};
  }
  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t capacity) noexcept {
    return AnyPricePool::memory_bytes(capacity, 2 * cell_count(capacity));
  }
  [[nodiscard]] static constexpr std::size_t slots_for(std::size_t capacity) noexcept {
    return 2 * cell_count(capacity) + 2 * capacity;  // cells, anchors of displaced levels, and orders
  }
  [[nodiscard]] bool prepare(const AnyPricePool&, Side, std::size_t capacity) noexcept {
    cell_mask_ = cell_count(capacity) - 1;
    return true;
  }

  AnyPriceSideBook() noexcept = default;
  AnyPriceSideBook(const AnyPriceSideBook&) noexcept = default;
  AnyPriceSideBook& operator=(const AnyPriceSideBook&) noexcept = default;
  /// A moved-from side is empty.
  AnyPriceSideBook(AnyPriceSideBook&& other) noexcept { *this = std::move(other); }
  AnyPriceSideBook& operator=(AnyPriceSideBook&& other) noexcept {
    *this = std::as_const(other);
    const AnyPriceSideBook empty;
    if (&other != this) other = empty;
    return *this;
  }

  /// Whether an order at `rank` meets neither a far level nor a window that must move.
  [[nodiscard, gnu::always_inline]] bool is_near(std::size_t rank) const noexcept { return covers(rank); }

  [[nodiscard, gnu::always_inline]] std::size_t best() const noexcept {
    const std::size_t found = marks_.first();
    return std::min<std::uint64_t>(ahead_, found == N ? rank_count : begin_ + found);
  }
  [[nodiscard]] std::size_t best_from(const AnyPricePool& pool, std::size_t rank) const noexcept {
    if (rank < begin_) {
      if (ahead_ != rank_count) {
        const std::uint64_t ahead = pool.far().first_from(far_, rank).rank;
        if (ahead < begin_) return ahead;
      }
      rank = begin_;
    }
    if (covers(rank)) {
      const std::size_t found = marks_.first_from(rank - begin_);
      if (found != N) return begin_ + found;
    }
    return pool.far().first_from(far_, rank).rank;
  }
  [[nodiscard]] std::size_t worst(const AnyPricePool& pool) const noexcept {
    const std::uint64_t in_window = begin_ + marks_.last();
    return far_.height == 0 ? in_window : std::max(in_window, pool.far().last(far_).rank);
  }
  [[nodiscard]] bool occupied(const AnyPricePool& pool, std::size_t rank) const noexcept {
    return covers(rank) ? marks_.contains(rank - begin_) : pool.far().find(far_, rank).rank == rank;
  }

  /// The anchor of a level in use. For another rank, the anchor of its cell, or `no_anchor`.
  [[nodiscard, gnu::always_inline]] SlotIndex anchor(const AnyPricePool& pool, Side side,
                                                     std::size_t rank) const noexcept {
    const SlotIndex at = cell_of(side, rank);
    if (pool[at].rank() == rank) [[likely]]
      return at;
    return pool.find_displaced(side, rank);
  }

  [[nodiscard, gnu::always_inline]] SlotIndex cell_of(Side side, std::uint64_t rank) const noexcept {
    return static_cast<SlotIndex>((side == Side::Buy ? 0 : cell_mask_ + 1) + (rank & cell_mask_));
  }
  /// Whether the level of `rank` needs no more than a mark to be used at `at`, which is its cell.
  [[nodiscard, gnu::always_inline]] bool is_at_hand(const AnyPricePool& pool, SlotIndex at,
                                                    std::uint64_t rank) const noexcept {
    if (pool[at].rank() == rank) [[likely]]
      return covers(rank);
    return covers(rank) && pool[at].oldest() == at && !marks_.contains(rank - begin_);
  }
  /// Appends the order in slot `index` to a level at hand.
  [[gnu::always_inline]] void push_back_at(AnyPricePool& pool, SlotIndex at, std::uint64_t rank,
                                           SlotIndex index) noexcept {
    pool[at].rank() = rank;
    PriceLevel(pool, at).push_back(index);
    marks_.insert(rank - begin_);
  }

  [[nodiscard, gnu::always_inline]] bool has_room(AnyPricePool& pool, Side side, std::size_t rank,
                                                  Quantity quantity, Quantity leaving = 0) const noexcept {
    const SlotIndex at = cell_of(side, rank);
    if (is_at_hand(pool, at, rank)) [[likely]]
      return PriceLevel(pool, at).has_room(quantity, leaving);
    return has_room_elsewhere(pool, side, rank, quantity, leaving);
  }
  [[gnu::always_inline]] void push_back(AnyPricePool& pool, Side side, std::size_t rank,
                                        SlotIndex index) noexcept {
    const SlotIndex at = cell_of(side, rank);
    if (!is_at_hand(pool, at, rank)) [[unlikely]]
      return push_back_elsewhere(pool, side, rank, index);
    push_back_at(pool, at, rank, index);
  }
  [[gnu::always_inline]] void retire_if_empty(AnyPricePool& pool, PriceLevel level) noexcept {
    const std::size_t rank = rank_of(pool, level.anchor());
    if (!covers(rank) || !pool.is_cell(level.anchor())) [[unlikely]]
      return retire_elsewhere(pool, level);
    unmark_if(pool, rank, level.empty());
  }
  [[gnu::always_inline]] std::size_t pop_best(AnyPricePool& pool, std::size_t rank, PriceLevel level) noexcept {
    const std::size_t next = best_from(pool, rank + 1);
    level.clear();
    retire_if_empty(pool, level);
    return next;
  }

  [[gnu::always_inline]] void prefetch(const AnyPricePool& pool, Side side, std::size_t rank) const noexcept {
    pool.prefetch(cell_of(side, rank));
  }

 private:
  friend struct BookInspector;

  static constexpr std::size_t misses = 64;
  static constexpr std::size_t levels_at_once = 64;
  /// A best level in this first part of the window lies well inside.
  static constexpr std::uint64_t well_inside = N / 4 * 3;

  [[nodiscard, gnu::always_inline]] bool covers(std::uint64_t rank) const noexcept {
    return rank - begin_ < size_;
  }
  [[nodiscard]] bool no_marks() const noexcept { return marks_.first() == N; }
  [[nodiscard, gnu::noinline]] bool has_room_elsewhere(AnyPricePool& pool, Side side, std::uint64_t rank,
                                                       Quantity quantity, Quantity leaving) const noexcept {
    const SlotIndex level = anchor(pool, side, rank);
    return level == AnyPricePool::no_anchor || PriceLevel(pool, level).has_room(quantity, leaving);
  }
  [[gnu::noinline]] void push_back_elsewhere(AnyPricePool& pool, Side side, std::uint64_t rank,
                                             SlotIndex index) noexcept {
    SlotIndex level = anchor(pool, side, rank);
    const bool is_new = level == AnyPricePool::no_anchor || pool[level].oldest() == level;
    if (is_new) {
      if (no_marks()) {  // the side is empty
        begin_ = begin_for(rank, N);
        size_ = N;
      }
      level = cell_of(side, rank);
      if (covers(rank) && pool[level].oldest() == level) {
        pool[level].rank() = rank;
      } else {
        if (pool[level].rank() == rank) pool[level].rank() = FarLevels::no_rank;
        level = pool.displace(side, rank);
      }
    }
    PriceLevel(pool, level).push_back(index);
    if (is_new) mark(pool, rank, level);
    if (!covers(rank)) count_miss(pool, side, rank);
  }
  [[gnu::noinline]] void retire_elsewhere(AnyPricePool& pool, PriceLevel level) noexcept {
    if (!level.empty()) return;
    const std::uint64_t rank = rank_of(pool, level.anchor());
    if (!pool.is_cell(level.anchor())) pool.release_anchor(level.anchor());
    if (!covers(rank)) {
      pool.far().erase(far_, rank);
      if (rank == ahead_) find_ahead(pool);
      return;
    }
    unmark_if(pool, rank, true);
  }

  /// Clears the mark of a rank in the window if its level has become empty, without a branch on that.
  [[gnu::always_inline]] void unmark_if(AnyPricePool& pool, std::uint64_t rank, bool empty) noexcept {
    marks_.clear_if(rank - begin_, empty);
    if (far_.height != 0 && no_marks()) [[unlikely]]
      advance_window(pool);
  }
  /// Records a level that has just come into use.
  void mark(AnyPricePool& pool, std::uint64_t rank, SlotIndex level) noexcept {
    if (covers(rank)) {
      marks_.insert(rank - begin_);
    } else {
      pool.far().insert(far_, rank, level);
      if (rank < begin_) ahead_ = std::min(ahead_, rank);
    }
  }

  // ---- How the window moves.

  /// Counts an order that came to `rank`, which is far.
  void count_miss(AnyPricePool& pool, Side side, std::uint64_t rank) noexcept {
    const std::uint64_t first = best();
    if (rank - first >= well_inside || ++missed_ < misses) return;
    missed_ = 0;
    if (first - begin_ < well_inside) {
      extend_window(pool);
    } else {
      shrink_window(pool, side);
    }
  }
  /// Advances to the best far level; the window must be empty.
  [[gnu::noinline]] void advance_window(AnyPricePool& pool) noexcept {
    begin_ = begin_for(pool.far().first(far_).rank, N);
    ahead_ = rank_count;
    extend_window(pool);
  }
  /// Takes in far levels behind its own, best first.
  void extend_window(AnyPricePool& pool) noexcept {
    std::uint64_t rank = pool.far().first_from(far_, begin_).rank;
    for (std::size_t i = 0; i < levels_at_once && rank != rank_count && rank - begin_ < N; ++i) {
      pool.far().erase(far_, rank);
      marks_.insert(rank - begin_);
      rank = pool.far().first_from(far_, begin_).rank;
    }
    size_ = std::min<std::uint64_t>(rank - begin_, N);
  }
  /// Gives its worst levels to the tree, and advances if these were all.
  void shrink_window(AnyPricePool& pool, Side side) noexcept {
    for (std::size_t i = 0; i < levels_at_once && !no_marks(); ++i) {
      size_ = marks_.last();
      pool.far().insert(far_, begin_ + size_, anchor(pool, side, begin_ + size_));
      marks_.clear_if(size_, true);
    }
    if (no_marks()) advance_window(pool);
  }
  void find_ahead(const AnyPricePool& pool) noexcept {
    const std::uint64_t first = pool.far().first(far_).rank;
    ahead_ = first < begin_ ? first : rank_count;
  }

  std::uint64_t begin_ = 0;
  std::uint64_t size_ = N;
  std::uint64_t ahead_ = rank_count;
  std::uint64_t cell_mask_ = 0;
  FarLevels::Tree far_;
  std::size_t missed_ = 0;
  OccupancyTree<N> marks_;  // last: its root, and what comes before it, are read at each call
};

}  // namespace llmes::inline LLMES_NAMESPACE
