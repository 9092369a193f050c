// SPDX-License-Identifier: MIT
//
// One side of a book of a set (see book_set.hpp), for any price. Prices near the touch are in a window, where
// arithmetic leads to a level. The levels behind it lie in a sorted tree. Beside these, the side holds one level,
// ahead of the window or behind it. Most orders that come outside of a window leave soon, so such an order, and
// its cancel, cost neither a move of the window nor a step in the tree. A book by itself has another side, which
// is faster but takes more cache lines (see any_price_side_book.hpp).
//
// Each cell of the window has an anchor at all times, so that a level comes and goes without a branch. A level
// that leaves the window takes the anchor of its cell along, and the cell gets a free one; a level that comes back
// brings its own. So levels keep their anchors, and orders their handles.
//
// The held level gives way to the next one outside of the window. If both are ahead, the window moves to the worse
// of the two; if both are behind, the older one goes into the tree. The window also moves to a level ahead that
// gets a second order, and if it runs empty. A move takes the levels that it uncovers into the tree, or those that
// it covers out of it: never more than the window has ranks.
//
// Invariants, after every call of the book:
//  I1  levels in use that the window covers are marked there, and their anchors are those of their cells, by rank
//      modulo N. One other level at most is held. All others are in the tree, and their ranks are above those of
//      the window. The anchor of a level in use says which one it is, by its rank;
//  I2  a side that is not empty has a level in the window. So the best level is there, or it is the held one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "llmes/book/far_levels.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/book/ranked_side.hpp"
#include "llmes/sets/level_pool.hpp"
#include "llmes/sets/rank_window.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// `BookPool` is the pool of a set, as one of its books sees it (see pool_view.hpp).
template <class BookPool>
class SetSide : public AnyPriceRanks {
 public:
  using Pool = BookPool;
  /// The side and the pool are those of a set.
  struct Shared {};
  static constexpr std::size_t window = RankWindow::size;

  /// The rank of a price, and the price of a rank.
  [[nodiscard]] static constexpr std::size_t rank_at(Side side, Price price) noexcept {
    return rank(side, static_cast<std::uint64_t>(price) - lowest_price);
  }
  [[nodiscard]] static constexpr Price price_at(Side side, std::size_t rank_of_price) noexcept {
    return static_cast<Price>(rank(side, rank_of_price) + lowest_price);
  }

  [[nodiscard, gnu::always_inline]] bool is_near(std::size_t rank) const noexcept { return window_.covers(rank); }

  [[nodiscard, gnu::always_inline]] std::size_t best() const noexcept {
    const std::uint64_t first = window_.first();
    return held_ < 0 ? held_rank() : first;
  }
  [[nodiscard]] std::size_t best_from(const Pool& pool, std::size_t rank) const noexcept {
    if (held_ < 0 && held_rank() >= rank) return held_rank();
    rank = std::max<std::uint64_t>(rank, window_.begin());
    if (window_.covers(rank)) {
      const std::uint64_t found = window_.first_from(rank);
      if (found != RankWindow::no_rank) return found;
    }
    const std::uint64_t far = pool.far().first_from(far_, rank).rank;
    return held_ > 0 && held_rank() >= rank ? std::min(far, held_rank()) : far;
  }
  [[nodiscard]] std::size_t worst(const Pool& pool) const noexcept {
    const std::uint64_t last = far_.height != 0 ? pool.far().last(far_).rank : window_.last();
    return held_ > 0 ? std::max(last, held_rank()) : last;
  }
  [[nodiscard]] bool occupied(const Pool& pool, std::size_t rank) const noexcept {
    if (window_.covers(rank)) [[likely]]
      return window_.contains(rank);
    return holds(rank) || pool.far().find(far_, rank).rank == rank;
  }

  [[nodiscard, gnu::always_inline]] SlotIndex anchor(const Pool& pool, Side side,
                                                     std::size_t rank) const noexcept {
    if (window_.covers(rank)) [[likely]]
      return pool.anchor_of(side, rank);
    return outside(pool, side, rank).anchor;
  }

  [[nodiscard, gnu::always_inline]] bool has_room(Pool& pool, Side side, std::size_t rank, Quantity quantity,
                                                  Quantity leaving = 0) const noexcept {
    if (window_.covers(rank)) [[likely]]
      return PriceLevel(pool, pool.anchor_of(side, rank)).has_room(quantity, leaving);
    const FarLevels::Level level = outside(pool, side, rank);
    return level.rank != rank || PriceLevel(pool, level.anchor).has_room(quantity, leaving);
  }

  /// Whether there is room among the far levels for what an order at `rank` may take there. One that `moves`
  /// leaves another level of this side first: the window may then follow the levels that stay, and return.
  [[nodiscard]] bool has_level(const Pool& pool, std::size_t rank, bool moves) const noexcept {
    const bool covered = window_.covers(rank);
    const std::size_t left = pool.free_anchor_count();
    if (covered && (!moves || left > 0)) [[likely]]
      return true;
    if (window_.empty()) return true;
    if (!covered && rank > window_.begin()) return left > 0 || occupied(pool, rank);
    if (held_ < 0 && (covered || holds(rank)))
      return true;  // a window that runs empty frees the anchor of that level
    if (!covered && !moves && held_ >= 0 && left > 0 && within_reach(rank)) return true;
    return left >= beyond(begin_for(second_ahead(rank)));
  }

  [[gnu::always_inline]] void push_back(Pool& pool, Side side, std::size_t rank, SlotIndex index) noexcept {
    if (!window_.covers(rank)) [[unlikely]]
      return push_back_outside(pool, side, rank, index);
    push_back_inside(pool, side, rank, index);
  }

  [[gnu::always_inline]] void retire_if_empty(Pool& pool, PriceLevel level) noexcept {
    const std::size_t rank = rank_of(pool, level.anchor());
    if (!window_.covers(rank)) [[unlikely]]
      return retire_outside(pool, level);
    window_.erase_if(rank, level.empty());
    if (window_.none_among_first(window * 3 / 4)) [[unlikely]]
      follow_back(pool, side_of(pool, level.anchor()));
  }

  [[gnu::always_inline]] std::size_t pop_best(Pool& pool, std::size_t rank, PriceLevel level) noexcept {
    const std::size_t next = best_from(pool, rank + 1);
    level.clear();
    retire_if_empty(pool, level);
    return next;
  }

  [[gnu::always_inline]] void prefetch(const Pool& pool, Side side, std::size_t rank) const noexcept {
    pool.prefetch(pool.anchor_of(side, rank));
  }

  /// Hint: starts loading what leads to a level outside of the window. `held_anchor` is the note of the held
  /// level's.
  [[gnu::always_inline]] void prefetch_if_outside(const FarLevels& far, const SlotIndex& held_anchor,
                                                  std::size_t rank) const noexcept {
    if (window_.covers(rank)) [[likely]]
      return;
    __builtin_prefetch(&held_anchor, 1);
    far.prefetch(far_, rank);
  }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.window_, self.far_, self.held_, self.order_count);
  }

 private:
  friend struct ImageCheck;
  friend struct BookInspector;

  static constexpr auto lowest_price = static_cast<std::uint64_t>(std::numeric_limits<Price>::min());

  [[gnu::always_inline]] void push_back_inside(Pool& pool, Side side, std::size_t rank, SlotIndex index) noexcept {
    const SlotIndex anchor = pool.anchor_of(side, rank);
    pool[anchor].rank() = rank;
    PriceLevel(pool, anchor).push_back(index);
    window_.insert(rank);
  }

  [[gnu::noinline]] void push_back_outside(Pool& pool, Side side, std::size_t rank, SlotIndex index) noexcept {
    if (window_.empty()) {
      window_.slide_to(begin_for(rank));
      return push_back_inside(pool, side, rank, index);
    }
    const FarLevels::Level level = rank < window_.begin() && !holds(rank)
                                       ? FarLevels::Level{FarLevels::no_rank, {}}
                                       : outside(pool, side, rank);
    if (level.rank == rank) {
      PriceLevel(pool, level.anchor).push_back(index);
      if (rank < window_.begin() && pool.free_anchor_count() >= beyond(begin_for(rank))) move_to(pool, side, rank);
      return;
    }
    if (rank < window_.begin()) {
      if (held_ < 0) move_to(pool, side, second_ahead(rank));
      if (!window_.covers(rank) && !can_hold_ahead(pool, rank)) move_to(pool, side, rank);
      if (window_.covers(rank)) return push_back_inside(pool, side, rank, index);
    }
    const SlotIndex anchor = pool.acquire_anchor(side, rank);
    PriceLevel(pool, anchor).push_back(index);
    hold(pool, side, rank, anchor);
  }
  [[gnu::noinline]] void retire_outside(Pool& pool, PriceLevel level) noexcept {
    if (!level.empty()) return;
    const std::size_t rank = rank_of(pool, level.anchor());
    if (holds(rank)) {
      held_ = 0;
    } else {
      pool.far().erase(far_, rank);
    }
    pool.release_anchor(level.anchor());
  }

  // ---- The level that is held.

  /// Its rank, if there is one.
  [[nodiscard, gnu::always_inline]] std::uint64_t held_rank() const noexcept {
    return window_.begin() + static_cast<std::uint64_t>(std::int64_t{held_});
  }
  [[nodiscard]] bool holds(std::uint64_t rank) const noexcept { return held_ != 0 && held_rank() == rank; }
  /// Whether a rank is near enough to the window to be noted as a distance.
  [[nodiscard]] bool within_reach(std::uint64_t rank) const noexcept {
    const std::uint64_t begin = window_.begin();
    return (rank < begin ? begin - rank : rank - begin) <= std::uint64_t{std::numeric_limits<std::int32_t>::max()};
  }
  /// Whether to hold a level ahead, with no other one ahead: not if the window can move to it and lose no level.
  [[nodiscard]] bool can_hold_ahead(const Pool& pool, std::uint64_t rank) const noexcept {
    return pool.free_anchor_count() > 0 && within_reach(rank) && beyond(begin_for(rank)) > 0;
  }
  /// Where the window moves for an order ahead at `rank`: to the worse of that and a held level ahead.
  [[nodiscard]] std::uint64_t second_ahead(std::uint64_t rank) const noexcept {
    return held_ < 0 && within_reach(rank) ? std::max(rank, held_rank()) : rank;
  }
  /// A level outside of the window that is in use, of this rank. It is `held` or in the tree, if it is there.
  [[nodiscard]] FarLevels::Level outside(const Pool& pool, Side side, std::uint64_t rank) const noexcept {
    return holds(rank) ? FarLevels::Level{rank, pool.held_anchor(side)} : pool.far().find(far_, rank);
  }
  /// Takes a level outside of the window: holds it, within reach and alone ahead, or puts it into the tree.
  void hold(Pool& pool, Side side, std::uint64_t rank, SlotIndex anchor) noexcept {
    if (held_ < 0 || !within_reach(rank)) return pool.far().insert(far_, rank, anchor);
    if (held_ > 0) pool.far().insert(far_, held_rank(), pool.held_anchor(side));
    held_ = static_cast<std::int32_t>(rank - window_.begin());
    pool.held_anchor(side) = anchor;
  }

  // ---- Moves of the window.

  /// How many of its levels the window leaves behind if it begins at `begin`: none unless it moves ahead.
  [[nodiscard]] std::size_t beyond(std::uint64_t begin) const noexcept {
    return begin < window_.begin() ? window_.count_from(std::max(begin + window, window_.begin())) : 0;
  }
  /// Slides the window, and takes in the held level if it covers that. It must lose no level.
  void slide_to(Pool& pool, Side side, std::uint64_t begin) noexcept {
    const std::uint64_t rank = held_rank();
    const bool is_held = std::exchange(held_, 0) != 0;
    window_.slide_to(begin);
    if (!is_held) return;
    if (window_.covers(rank)) {
      add_to_window(pool, side, {rank, pool.held_anchor(side)});
    } else {
      hold(pool, side, rank, pool.held_anchor(side));
    }
  }
  /// Takes a level into the window, which covers it.
  void add_to_window(Pool& pool, Side side, FarLevels::Level level) noexcept {
    pool.release_anchor(std::exchange(pool.cell(side, level.rank), level.anchor));
    window_.insert(level.rank);
  }

  /// Moves the window so that `rank`, which is ahead of it, begins the second quarter.
  void move_to(Pool& pool, Side side, std::uint64_t rank) noexcept {
    const std::uint64_t begin = begin_for(rank);
    while (!window_.empty() && window_.last() - begin >= window) {
      const std::uint64_t uncovered = window_.last();
      const SlotIndex anchor = pool.acquire_anchor(side, uncovered);
      pool.far().insert(far_, uncovered, std::exchange(pool.cell(side, uncovered), anchor));
      window_.erase_if(uncovered, true);
    }
    slide_to(pool, side, begin);
  }

  /// Moves the window back to where the best level is now, if any, unless one is held ahead of its levels.
  [[gnu::noinline]] void follow_back(Pool& pool, Side side) noexcept {
    if (held_ < 0 && !window_.empty()) return;
    std::uint64_t best = std::min(window_.first(), pool.far().first(far_).rank);
    if (held_ != 0) best = std::min(best, held_rank());
    if (best == rank_count) return;
    slide_to(pool, side, begin_for(best));
    for (FarLevels::Level level = pool.far().first(far_); level.rank != rank_count && window_.covers(level.rank);
         level = pool.far().first(far_)) {
      pool.far().erase(far_, level.rank);
      add_to_window(pool, side, level);
    }
  }

  [[nodiscard]] static std::uint64_t begin_for(std::uint64_t rank) noexcept {
    return AnyPriceRanks::begin_for(rank, window);
  }

  RankWindow window_;
  FarLevels::Tree far_;
  std::int32_t held_ = 0;  ///< how far behind the begin of the window the level that is held is; 0 if none is

 public:
  /// How many orders rest in the book, in its side of bids: there is room for it in the one line of a book.
  std::uint32_t order_count = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
