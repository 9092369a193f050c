// SPDX-License-Identifier: MIT
//
// One side of a book of a set (see book_set.hpp), for any price. The prices near the touch are in a window, where
// index arithmetic leads to a level; all others are worse and lie in a sorted tree. The window follows the touch:
// it is moved ahead when an order beats it, and back when a level of it runs empty and the best level lies in its
// last quarter. A move takes the levels that it uncovers into the tree, or those that it covers out of it: never
// more than the window has ranks. A level keeps its anchor, so orders keep their handles and their places wherever
// it goes. A book by itself has another side, which is faster but takes more lines of a cache (see
// place_side_book.hpp).
//
// Each place of the window has an anchor at all times, so that a level comes alive and goes without a branch. A
// level that leaves the window takes the anchor of its place along, and the place gets a free one; a level that
// comes back brings its own.
//
// Invariants, after every call of the book:
//  I1  levels in use that the window covers are marked there, and their anchors are those of their places, by rank
//      modulo N; all others are in the tree, and their ranks are above those of the window. The anchor of a level
//      in use says which one it is: its `id` is the rank;
//  I2  a side that is not empty has its best level in the window.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "llmes/book/far_levels.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/book/rank_window.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// `BookPool` is the pool that the books share, as one of them sees it (see shared_pool.hpp).
template <class BookPool>
class WindowSide {
 public:
  using Pool = BookPool;
  struct Shared {};
  static constexpr std::size_t window = RankWindow::size;

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

  /// Whether an order that comes to `rank` meets neither a far level nor a window that has to move.
  [[nodiscard, gnu::always_inline]] bool is_near(std::size_t rank) const noexcept { return window_.covers(rank); }

  /// The best occupied rank, or `rank_count` if the side is empty.
  [[nodiscard, gnu::always_inline]] std::size_t best() const noexcept { return window_.first(); }
  /// The best occupied rank that is not better than `rank`, or `rank_count` if there is none.
  [[nodiscard]] std::size_t best_from(const Pool& pool, std::size_t rank) const noexcept {
    rank = std::max<std::uint64_t>(rank, window_.begin());
    if (window_.covers(rank)) {
      const std::uint64_t found = window_.first_from(rank);
      if (found != RankWindow::no_rank) return found;
    }
    return pool.far().first_from(far_, rank).rank;
  }
  /// The worst occupied rank; the side must have one.
  [[nodiscard]] std::size_t worst(const Pool& pool) const noexcept {
    return far_.height != 0 ? pool.far().last(far_).rank : window_.last();
  }
  [[nodiscard]] bool occupied(const Pool& pool, std::size_t rank) const noexcept {
    if (window_.covers(rank)) [[likely]]
      return window_.contains(rank);
    return pool.far().find(far_, rank).rank == rank;
  }

  /// The anchor of a level on which orders rest.
  [[nodiscard, gnu::always_inline]] SlotIndex anchor(const Pool& pool, Side side,
                                                     std::size_t rank) const noexcept {
    if (window_.covers(rank)) [[likely]]
      return pool.anchor_of(side, rank);
    return pool.far().find(far_, rank).anchor;
  }
  [[nodiscard]] static Side side_of(const Pool& pool, SlotIndex anchor) noexcept { return pool.side_of(anchor); }
  [[nodiscard]] static std::size_t rank_of(const Pool& pool, SlotIndex anchor) noexcept { return pool[anchor].id; }

  /// Whether the total of a level can grow by `quantity` once `leaving` lots of it are gone.
  [[nodiscard, gnu::always_inline]] bool has_room(Pool& pool, Side side, std::size_t rank, Quantity quantity,
                                                  Quantity leaving = 0) const noexcept {
    if (window_.covers(rank)) [[likely]]
      return PriceLevel(pool, pool.anchor_of(side, rank)).has_room(quantity, leaving);
    const FarLevels::Level level = pool.far().find(far_, rank);
    return level.rank != rank || PriceLevel(pool, level.anchor).has_room(quantity, leaving);
  }

  /// Whether there is room among the far levels for what an order that comes to `rank` may take there. One that
  /// `moves` leaves another level of this side first: then the window may follow the levels that stay, and come
  /// back to `rank` without some that it had.
  [[nodiscard]] bool has_level(const Pool& pool, std::size_t rank, bool moves) const noexcept {
    const bool covered = window_.covers(rank);
    if (covered && (!moves || pool.free_anchor_count() >= window)) [[likely]]
      return true;
    if (window_.empty()) return true;
    if (!covered && rank > window_.begin()) return pool.free_anchor_count() > 0 || occupied(pool, rank);
    return pool.free_anchor_count() >= beyond(begin_for(rank));
  }

  /// Appends the order in slot `index` to the level of `rank`.
  [[gnu::always_inline]] void push_back(Pool& pool, Side side, std::size_t rank, SlotIndex index) noexcept {
    if (!window_.covers(rank)) [[unlikely]]
      return push_back_outside(pool, side, rank, index);
    push_back_inside(pool, side, rank, index);
  }

  /// Takes `level`, whose orders may have left, out of those in use if it has run empty.
  [[gnu::always_inline]] void retire_if_empty(Pool& pool, PriceLevel level) noexcept {
    const std::size_t rank = rank_of(pool, level.anchor());
    if (!window_.covers(rank)) [[unlikely]]
      return retire_outside(pool, level);
    window_.erase_if(rank, level.empty());
    if (window_.none_among_first(window * 3 / 4)) [[unlikely]]
      follow_back(pool, side_of(pool, level.anchor()));
  }

  /// Lets go of all orders of `level`, that of the best rank. They stay linked, up to its anchor.
  /// @return the next best rank, or `rank_count` if there is none.
  [[gnu::always_inline]] std::size_t pop_best(Pool& pool, std::size_t rank, PriceLevel level) noexcept {
    const std::size_t next = best_from(pool, rank + 1);
    level.clear();
    retire_if_empty(pool, level);
    return next;
  }

  [[gnu::always_inline]] void prefetch(const Pool& pool, Side side, std::size_t rank) const noexcept {
    pool.prefetch(pool.anchor_of(side, rank));
  }

  /// The same for what says where a far level of this rank is, if it is none of the window.
  [[gnu::always_inline]] void prefetch_if_far(const FarLevels& far, std::size_t rank) const noexcept {
    if (!window_.covers(rank)) [[unlikely]]
      far.prefetch(far_, rank);
  }

  /// Its state, part by part, for an image (see engine/image.hpp). Its places are the set's.
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.window_, self.far_);
  }

 private:
  friend struct ImageCheck;
  friend struct BookInspector;

  [[gnu::always_inline]] void push_back_inside(Pool& pool, Side side, std::size_t rank, SlotIndex index) noexcept {
    const SlotIndex anchor = pool.anchor_of(side, rank);
    pool[anchor].id = rank;
    PriceLevel(pool, anchor).push_back(index);
    window_.insert(rank);
  }

  [[gnu::noinline]] void push_back_outside(Pool& pool, Side side, std::size_t rank, SlotIndex index) noexcept {
    if (rank < window_.begin() || window_.empty()) {
      move_to(pool, side, rank);
      return push_back_inside(pool, side, rank, index);
    }
    FarLevels::Level level = pool.far().find(far_, rank);
    if (level.rank != rank) {
      level.anchor = pool.acquire_anchor(side, rank);
      pool.far().insert(far_, rank, level.anchor);
    }
    PriceLevel(pool, level.anchor).push_back(index);
  }
  [[gnu::noinline]] void retire_outside(Pool& pool, PriceLevel level) noexcept {
    if (!level.empty()) return;
    pool.far().erase(far_, rank_of(pool, level.anchor()));
    pool.release_anchor(level.anchor());
  }

  /// How many of its levels the window leaves behind if it begins at `begin`: none unless that is before its begin
  /// now.
  [[nodiscard]] std::size_t beyond(std::uint64_t begin) const noexcept {
    return begin < window_.begin() ? window_.count_from(std::max(begin + window, window_.begin())) : 0;
  }
  /// Moves the window so that `rank`, which is better than all of its ranks or than all ranks in use, begins its
  /// second quarter.
  void move_to(Pool& pool, Side side, std::uint64_t rank) noexcept {
    const std::uint64_t begin = begin_for(rank);
    while (!window_.empty() && window_.last() - begin >= window) {
      const std::uint64_t uncovered = window_.last();
      const SlotIndex anchor = pool.acquire_anchor(side, uncovered);
      pool.far().insert(far_, uncovered, std::exchange(pool.place(side, uncovered), anchor));
      window_.erase_if(uncovered, true);
    }
    window_.slide_to(begin);
  }

  /// Moves the window back to where the best level is now, if there is one.
  [[gnu::noinline]] void follow_back(Pool& pool, Side side) noexcept {
    const std::uint64_t best = std::min(window_.first(), pool.far().first(far_).rank);
    if (best == rank_count) return;
    window_.slide_to(begin_for(best));
    for (FarLevels::Level level = pool.far().first(far_); level.rank != rank_count && window_.covers(level.rank);
         level = pool.far().first(far_)) {
      pool.far().erase(far_, level.rank);
      pool.release_anchor(std::exchange(pool.place(side, level.rank), level.anchor));
      window_.insert(level.rank);
    }
  }

  /// Where the window begins so that `rank` begins its second quarter, or nearer to an end of all ranks.
  [[nodiscard]] static std::uint64_t begin_for(std::uint64_t rank) noexcept {
    const std::uint64_t begin = rank - std::min<std::uint64_t>(rank, window / 4);
    return std::min(begin, 0 - std::uint64_t{window});
  }

  RankWindow window_;
  FarLevels::Tree far_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
