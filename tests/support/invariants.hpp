// SPDX-License-Identifier: MIT
//
// What must hold in a book between any two calls, down to the last link and bit. The headers of the core state
// these invariants. A walk reads every slot and every word, so its cost grows with the size of the book: with its
// band or its windows, and its capacity.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "llmes/sets/book_set.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/far_walk.hpp"
#include "tests/support/print.hpp"

namespace llmes::test {

template <class Book>
class InvariantWalk {
 public:
  /// `books`: all that share a pool, or one that has its own.
  explicit InvariantWalk(std::span<const Book> books)
      : books_(books),
        book_(&books.front()),
        slot_count_(Inspector::slot_count(*book_)),
        seen_(slot_count_, false) {}

  /// The first broken invariant that was found.
  std::optional<std::string> broken() {
    if constexpr (Inspector::is_shared<Book>) {
      if (!all_windows_hold() || !free_anchors_hold()) return what_;
    } else if constexpr (has_cells) {
      if (!cells_hold()) return what_;
    } else {
      for (const Side side : {Side::Buy, Side::Sell}) {
        if (!levels_hold(side) || !tree_holds(side)) return what_;
      }
    }
    if (!free_slots_hold() || !every_slot_seen()) return what_;
    return {};
  }

 private:
  using Inspector = BookInspector;
  static constexpr std::size_t n = Book::price_levels;
  static constexpr bool pools_anchors = Inspector::pools_anchors<Book>;
  static constexpr bool has_cells = Inspector::has_cells<Book>;

  template <class... Parts>
  bool fail(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    what_ = out.str();
    return false;
  }
  template <class... Parts>
  bool fail_level(Side side, std::size_t rank, const Parts&... parts) {
    return fail("level ", side, ' ', Inspector::price_of(*book_, side, rank), ": ", parts...);
  }

  /// The anchors of one side and all orders that hang on them. Notes which ranks have any.
  bool levels_hold(Side side) {
    occupied_.assign(n / 64, 0);
    if (slot_count_ == 0) return true;  // moved from
    for (std::size_t rank = 0; rank < n; ++rank) {
      if constexpr (pools_anchors) {
        if (!Inspector::occupied(*book_, side, rank)) continue;  // without an anchor
        if (!anchor_holds(side, rank)) return false;
      }
      const SlotIndex anchor = Inspector::anchor(*book_, side, rank);
      if (!level_holds(side, rank, anchor)) return false;
      occupied_[rank / 64] |= std::uint64_t{Inspector::order_count(*book_, anchor) > 0} << (rank % 64);
    }
    if constexpr (pools_anchors) return free_anchors_hold(side);
    return true;
  }

  /// The anchor of a level in use: one of its side. As it knows its rank, it is that of no other level.
  bool anchor_holds(Side side, std::size_t rank) {
    const SlotIndex anchor = Inspector::anchor(*book_, side, rank);
    if (!is_anchor_of(side, anchor)) {
      return fail_level(side, rank, "slot ", anchor, " is no anchor of this side");
    }
    seen_[anchor] = true;
    return true;
  }

  /// The anchors that no level uses: all others of the side, each of them once.
  bool free_anchors_hold(Side side) {
    for (const SlotIndex anchor : Inspector::free_anchors(*book_, side)) {
      if (!is_anchor_of(side, anchor))
        return fail("free anchors ", side, ": slot ", anchor, " is none of this side");
      if (seen_[anchor]) return fail("free anchors ", side, ": slot ", anchor, " is in use, or in the list twice");
      seen_[anchor] = true;
      if (Inspector::generation(*book_, anchor) != 0) {
        return fail("free anchors ", side, ": slot ", anchor, " has the generation ",
                    Inspector::generation(*book_, anchor));
      }
    }
    return true;
  }
  [[nodiscard]] bool is_anchor_of(Side side, SlotIndex slot) const {
    return slot < Inspector::first_order_slot(*book_) && slot / Inspector::anchor_count(*book_) == SlotIndex(side);
  }

  // ---- The windows of a set, and what lies beyond them.

  /// The marked ranks of each window, the level that is held beside it, and those of the tree behind it.
  bool all_windows_hold() {
    FarWalk far_walk(Inspector::far(*book_));
    for (const Book& book : books_) {
      book_ = &book;
      const std::size_t before = live_;
      if (!windows_hold(far_walk)) return false;
      if (Inspector::size(book) != live_ - before) {
        return fail("the book says it has ", Inspector::size(book), " orders, its levels have ", live_ - before);
      }
    }
    far_walk.free_nodes();
    return far_walk.broken().empty() || fail(far_walk.broken());
  }

  bool windows_hold(FarWalk& far_walk) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      const auto far_levels = far_walk.tree(Inspector::far_tree(*book_, side));
      if (!far_walk.broken().empty()) return fail(side, ' ', far_walk.broken());
      std::optional<std::uint64_t> held;
      if (!held_level_holds(side, held)) return false;
      if (!window_holds(side, !far_levels.empty() || held)) return false;
      for (const auto& [rank, anchor] : far_levels) {
        const std::uint64_t begin = Inspector::window_begin(*book_, side);
        if (rank < begin || rank - begin < Inspector::window_anchors(*book_, side).size()) {
          return fail_level(side, rank, "is in the tree, and not behind the window");
        }
        if (rank == held) return fail_level(side, rank, "is held, and in the tree");
        if (!level_in_use_holds(side, rank, anchor)) return false;
      }
    }
    return true;
  }

  /// The level that a side holds outside of its window, if it does. Notes its rank.
  bool held_level_holds(Side side, std::optional<std::uint64_t>& held) {
    const std::int64_t distance = Inspector::held_distance(*book_, side);
    if (distance == 0) return true;
    const std::uint64_t begin = Inspector::window_begin(*book_, side);
    held = begin + static_cast<std::uint64_t>(distance);
    if ((distance < 0) != (*held < begin)) return fail("held level ", side, ": at the other end of all prices");
    if (distance > 0 && *held - begin < PoolView::window) {
      return fail_level(side, *held, "is held, and the window has it");
    }
    return level_in_use_holds(side, *held, Inspector::held_anchor(*book_, side));
  }

  bool window_holds(Side side, bool has_other_levels) {
    const std::uint64_t begin = Inspector::window_begin(*book_, side);
    const std::uint64_t marks = Inspector::window_marks(*book_, side);
    const auto anchors = Inspector::window_anchors(*book_, side);
    if (begin > 0 - anchors.size()) return fail("window ", side, ": it begins at ", begin);
    if (marks == 0 && has_other_levels) return fail("window ", side, ": empty, and other levels are in use");
    for (std::size_t at = 0; at < anchors.size(); ++at) {
      const std::uint64_t rank = begin + at;
      const SlotIndex anchor = anchors[rank % anchors.size()];
      if ((marks >> at & 1) == 0) {
        if (!empty_cell_holds(side, rank, anchor)) return false;
      } else if (!level_in_use_holds(side, rank, anchor)) {
        return false;
      }
    }
    return true;
  }

  /// The anchor of a cell where no order rests. Its id is a rank of the same cell.
  bool empty_cell_holds(Side side, std::uint64_t rank, SlotIndex anchor) {
    if (!takes_anchor(side, rank, anchor)) return false;
    if (Inspector::generation(*book_, anchor) != anchor_generation(side)) {
      return fail_level(side, rank, "the anchor of its cell is of another side");
    }
    if (Inspector::id(*book_, anchor) % Inspector::window_anchors(*book_, side).size() !=
        rank % Inspector::window_anchors(*book_, side).size()) {
      return fail_level(side, rank, "the anchor of its cell has a rank of another one");
    }
    const bool empty = Inspector::next(*book_, anchor) == anchor &&
                       Inspector::previous(*book_, anchor) == anchor && Inspector::quantity(*book_, anchor) == 0 &&
                       Inspector::order_count(*book_, anchor) == 0;
    return empty || fail_level(side, rank, "has orders, and no mark");
  }

  bool level_in_use_holds(Side side, std::uint64_t rank, SlotIndex anchor) {
    if (rank == n) return fail("level ", side, ": of the largest price");
    if (!takes_anchor(side, rank, anchor)) return false;
    if (!level_holds(side, rank, anchor)) return false;
    return Inspector::order_count(*book_, anchor) > 0 || fail_level(side, rank, "in use, without an order");
  }

  /// Notes that an anchor is taken.
  bool takes_anchor(Side side, std::uint64_t rank, SlotIndex anchor) {
    if (anchor >= Inspector::first_order_slot(*book_)) {
      return fail_level(side, rank, "slot ", anchor, " is no anchor");
    }
    if (seen_[anchor]) return fail_level(side, rank, "slot ", anchor, " is that of another level");
    seen_[anchor] = true;
    ++anchors_taken_;
    return true;
  }

  /// The anchors that nobody has taken: all others of the book, each of them once.
  bool free_anchors_hold() {
    SlotIndex slot = Inspector::first_free_anchor(*book_);
    if (Inspector::free_anchor_count(*book_) != Inspector::first_order_slot(*book_) - anchors_taken_) {
      return fail("free anchors: the pool counts ", Inspector::free_anchor_count(*book_));
    }
    for (SlotIndex left = Inspector::first_order_slot(*book_) - anchors_taken_; left > 0; --left) {
      if (slot >= Inspector::first_order_slot(*book_)) return fail("free anchors: slot ", slot, " is none");
      if (seen_[slot]) return fail("free anchors: slot ", slot, " is in use, or in the list twice");
      seen_[slot] = true;
      if (Inspector::generation(*book_, slot) % 2 != 0) {
        return fail("free anchors: slot ", slot, " has the odd generation of a live order");
      }
      if (slot < first_anchors() && Inspector::id(*book_, slot) != FarLevels::no_rank) {
        return fail("free anchors: slot ", slot, " could be taken for that of a cell");
      }
      slot = Inspector::next(*book_, slot);
    }
    return true;
  }

  /// How many anchors the cells of all windows of a set had at first, where they are looked for before others.
  [[nodiscard]] std::size_t first_anchors() const {
    return static_cast<SlotIndex>(books_.size() * 2 * PoolView::window);
  }

  // ---- Cells, displaced levels, and what lies beyond the window of a side.

  bool cells_hold() {
    FarWalk far_walk(Inspector::far(*book_));
    std::size_t displaced = 0;
    for (const Side side : {Side::Buy, Side::Sell}) {
      far_levels_ = 0;
      in_window_ = 0;
      occupied_.assign(Inspector::tree(*book_, side)[0].size() - (Inspector::tree(*book_, side).size() > 1), 0);
      const std::uint64_t begin = Inspector::window_begin(*book_, side);
      const std::uint64_t window = occupied_.size() * 64;
      if (begin > 0 - window) return fail("window ", side, ": it begins at ", begin);
      if (Inspector::window_size(*book_, side) > window) return fail("window ", side, ": it is too large");
      if (slot_count_ != 0 && !anchors_hold(side, displaced)) return false;
      if (in_window_ == 0 && far_levels_ != 0) return fail("window ", side, ": empty, and levels are in the tree");
      if (!tree_holds(side) || !far_levels_hold(side, far_walk)) return false;
    }
    far_walk.free_nodes();
    if (!far_walk.broken().empty()) return fail(far_walk.broken());
    if (slot_count_ == 0) return true;  // moved from
    const std::size_t used = Inspector::displaced_count(*book_);
    if (used != displaced) return fail("the table has ", used, " levels, displaced are ", displaced);
    return free_displaced_anchors_hold(displaced);
  }

  /// The anchors of a side, and the orders on them.
  bool anchors_hold(Side side, std::size_t& displaced) {
    const SlotIndex cells = Inspector::cell_count(*book_);
    const SlotIndex first = side == Side::Buy ? 0 : cells;
    for (SlotIndex anchor = first; anchor < first + cells; ++anchor) {
      const std::uint64_t rank = Inspector::id(*book_, anchor);
      if (rank != FarLevels::no_rank && rank % cells != anchor % cells)
        return fail_level(side, rank, "is in another cell");
      if (Inspector::generation(*book_, anchor) != anchor_generation(side))
        return fail_level(side, rank, "the anchor has the generation ", Inspector::generation(*book_, anchor));
      if (Inspector::next(*book_, anchor) != anchor) {
        if (!in_use_holds(side, rank, anchor)) return false;
      } else if (Inspector::previous(*book_, anchor) != anchor) {
        return fail("cell ", anchor, ": does not link back to itself");
      } else if (Inspector::quantity(*book_, anchor) != 0 || Inspector::order_count(*book_, anchor) != 0) {
        return fail("cell ", anchor, ": has no orders, and is not empty");
      }
    }
    for (SlotIndex anchor = 2 * cells; anchor < Inspector::first_order_slot(*book_); ++anchor) {
      const std::uint64_t rank = Inspector::id(*book_, anchor);
      if (rank == FarLevels::no_rank || Inspector::generation(*book_, anchor) != anchor_generation(side)) continue;
      ++displaced;
      seen_[anchor] = true;
      if (Inspector::anchor(*book_, side, rank) != anchor)
        return fail_level(side, rank, "is displaced to slot ", anchor, ", and not found there");
      if (!in_use_holds(side, rank, anchor)) return false;
      if (Inspector::order_count(*book_, anchor) == 0)
        return fail_level(side, rank, "displaced, without an order");
    }
    return true;
  }
  /// A level in use: as it should be, found from its price, and counted where its mark must be.
  bool in_use_holds(Side side, std::uint64_t rank, SlotIndex anchor) {
    if (rank == n) return fail("level ", side, ": of the largest price");
    if (!level_holds(side, rank, anchor)) return false;
    const std::uint64_t at = rank - Inspector::window_begin(*book_, side);
    if (at >= Inspector::window_size(*book_, side)) {
      ++far_levels_;
    } else {
      ++in_window_;
      occupied_[at / 64] |= std::uint64_t{1} << at % 64;
    }
    return true;
  }
  bool far_levels_hold(Side side, FarWalk& far_walk) {
    const auto levels = far_walk.tree(Inspector::far_tree(*book_, side));
    if (!far_walk.broken().empty()) return fail(side, ' ', far_walk.broken());
    const std::uint64_t begin = Inspector::window_begin(*book_, side);
    for (const auto& [rank, anchor] : levels) {
      if (rank - begin < Inspector::window_size(*book_, side))
        return fail_level(side, rank, "is in the tree, and not beyond the window");
      if (anchor >= Inspector::first_order_slot(*book_) || Inspector::anchor(*book_, side, rank) != anchor)
        return fail_level(side, rank, "is in the tree with another anchor");
      if (Inspector::order_count(*book_, anchor) == 0)
        return fail_level(side, rank, "in the tree, without an order");
    }
    if (levels.size() != far_levels_)
      return fail("tree ", side, ": it has ", levels.size(), " levels, beyond the window are ", far_levels_);
    const bool is_ahead = !levels.empty() && levels[0].rank < begin;
    if (Inspector::ahead(*book_, side) != (is_ahead ? levels[0].rank : FarLevels::no_rank))
      return fail("window ", side, ": the best level ahead of it is another one");
    return true;
  }
  /// The anchors that no displaced level has: all others, each of them once.
  bool free_displaced_anchors_hold(std::size_t displaced) {
    const SlotIndex end = Inspector::first_order_slot(*book_);
    SlotIndex slot = Inspector::first_free_anchor(*book_);
    for (std::size_t left = end - 2 * Inspector::cell_count(*book_) - displaced; left > 0; --left) {
      if (slot < 2 * Inspector::cell_count(*book_) || slot >= end)
        return fail("free anchors: slot ", slot, " is none");
      if (seen_[slot]) return fail("free anchors: slot ", slot, " is in use, or in the list twice");
      seen_[slot] = true;
      if (Inspector::id(*book_, slot) != FarLevels::no_rank)
        return fail("free anchors: slot ", slot, " has a rank");
      if (Inspector::generation(*book_, slot) % 2 != 0)
        return fail("free anchors: slot ", slot, " has the odd generation of a live order");
      slot = Inspector::next(*book_, slot);
    }
    return true;
  }

  // ---- Levels and slots of any book.

  /// What the anchor of a level has for an id, and for a generation.
  [[nodiscard]] static OrderId name_of(Side side, std::size_t rank) {
    if constexpr (!Book::has_band) return rank;
    return pools_anchors ? static_cast<std::size_t>(side) * n + rank : 0;
  }
  [[nodiscard]] std::uint32_t anchor_generation(Side side) const {
    return Book::has_band ? 0 : static_cast<std::uint32_t>(side) << 31 | Inspector::number(*book_) << 1;
  }

  bool level_holds(Side side, std::size_t rank, SlotIndex anchor) {
    Quantity total = 0;
    std::size_t count = 0;
    SlotIndex last = anchor;
    for (SlotIndex order = Inspector::next(*book_, anchor); order != anchor;
         order = Inspector::next(*book_, order)) {
      if (!is_order_slot(order))
        return fail_level(side, rank, "slot ", last, " links to slot ", order, ", no order");
      if (seen_[order]) return fail_level(side, rank, "slot ", order, " is linked twice");
      seen_[order] = true;
      if (Inspector::previous(*book_, order) != last) {
        return fail_level(side, rank, "slot ", order, " does not link back to slot ", last);
      }
      if (Inspector::level_of(*book_, order) != anchor) {
        return fail_level(side, rank, "slot ", order, " says that it rests on another level");
      }
      if (Inspector::generation(*book_, order) % 2 == 0) {
        return fail_level(side, rank, "slot ", order, " has the even generation of a free one");
      }
      const Quantity quantity = Inspector::quantity(*book_, order);
      if (quantity == 0 && !Inspector::is_hidden(*book_, order)) {
        return fail_level(side, rank, "slot ", order, " has no open lots");
      }
      if (quantity > std::numeric_limits<Quantity>::max() - total) {
        return fail_level(side, rank, "the sum of its orders wraps");
      }
      total += quantity;
      ++count;
      last = order;
    }
    if (Inspector::previous(*book_, anchor) != last) {
      return fail_level(side, rank, "the anchor does not link back to slot ", last);
    }
    if (Inspector::quantity(*book_, anchor) != total) {
      return fail_level(side, rank, "the total is ", Inspector::quantity(*book_, anchor), ", its orders have ",
                        total);
    }
    if (Inspector::order_count(*book_, anchor) != count) {
      return fail_level(side, rank, "the count is ", Inspector::order_count(*book_, anchor), ", it has ", count);
    }
    // The upper half of the id of a pooled anchor leads on in its chain, or nowhere.
    const OrderId id = pools_anchors ? Inspector::name(*book_, anchor) : Inspector::id(*book_, anchor);
    if (id != name_of(side, rank)) {
      return fail_level(side, rank, "the anchor has the id ", Inspector::id(*book_, anchor));
    }
    if (Inspector::generation(*book_, anchor) != anchor_generation(side)) {
      return fail_level(side, rank, "the anchor has the generation ", Inspector::generation(*book_, anchor));
    }
    live_ += count;
    return true;
  }

  /// Each word of a tree against the words below it, and the leaves against the levels.
  bool tree_holds(Side side) {
    const auto tree = Inspector::tree(*book_, side);
    if constexpr (tree.size() > 1) occupied_.push_back(1);  // the stopper
    if (!words_hold(side, 0, tree[0])) return false;
    for (std::size_t height = 1; height < tree.size(); ++height) {
      const auto below = tree[height - 1];
      const bool root = height + 1 == tree.size();
      occupied_.assign(root ? 1 : below.size() / 64, 0);
      for (std::size_t i = 0; i / 64 < occupied_.size() && i < below.size(); ++i) {
        occupied_[i / 64] |= std::uint64_t{below[i] != 0} << (i % 64);
      }
      if (!root) occupied_.push_back(1);
      if (!words_hold(side, height, tree[height])) return false;
    }
    return true;
  }

  bool words_hold(Side side, std::size_t height, std::span<const std::uint64_t> words) {
    if (words.size() != occupied_.size()) return fail("tree ", side, ": wrong number of words at height ", height);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == occupied_[i]) continue;
      return fail("tree ", side, ": word ", i, " at height ", height, std::hex, " is ", words[i], ", should be ",
                  occupied_[i]);
    }
    return true;
  }

  bool free_slots_hold() {
    if constexpr (Inspector::is_placed<Book>) {
      return placement_holds();
    } else {
      return free_list_holds();
    }
  }

  /// Each order has its tag where it lives, and counts as a pass in each bucket from its first one up to that one.
  bool placement_holds() {
    const auto tags = Inspector::tags(*book_);
    constexpr std::size_t slots = Inspector::bucket_slots;
    std::vector<std::size_t> passes(tags.size());
    for (SlotIndex slot = Inspector::first_order_slot(*book_); slot < slot_count_; ++slot) {
      const std::size_t order = slot - Inspector::first_order_slot(*book_);
      const std::uint64_t tag = tags[order / slots] >> 8 * (order % slots) & 0xff;
      if (!seen_[slot]) {
        if (Inspector::generation(*book_, slot) % 2 != 0)
          return fail("slot ", slot, " is on no level, and has the odd generation of a live one");
        if (tag != 0) return fail("slot ", slot, " is free, and has the tag ", tag);
        seen_[slot] = true;
        continue;
      }
      const auto [first, expected] = Inspector::key_of(*book_, Inspector::id(*book_, slot));
      if (tag != expected) return fail("slot ", slot, " has the tag ", tag, ", its id ", expected);
      for (std::size_t at = first; at != order / slots; at = (at + 1) % tags.size()) ++passes[at];
    }
    for (std::size_t at = 0; at < tags.size(); ++at) {
      const std::uint64_t counted = tags[at] >> 8 * slots;
      if (counted != passes[at] && counted != 255)
        return fail("bucket ", at, " counts ", counted, " passes, and has ", passes[at]);
    }
    return true;
  }

  bool free_list_holds() {
    for (SlotIndex slot = Inspector::first_free(*book_); slot != Inspector::no_slot;
         slot = Inspector::next(*book_, slot)) {
      if (!is_order_slot(slot)) return fail("free list: slot ", slot, " is none for orders");
      if (seen_[slot]) return fail("free list: slot ", slot, " is on a level, or in the list twice");
      seen_[slot] = true;
      if (Inspector::generation(*book_, slot) % 2 != 0) {
        return fail("free list: slot ", slot, " has the odd generation of a live one");
      }
    }
    return true;
  }

  bool every_slot_seen() {
    for (SlotIndex slot = Inspector::first_order_slot(*book_); slot < slot_count_; ++slot) {
      if (!seen_[slot]) return fail("slot ", slot, " is lost: neither on a level nor free");
    }
    if (Inspector::live_count(*book_) != live_) {
      return fail("the book counts ", Inspector::live_count(*book_), " orders, its levels have ", live_);
    }
    return true;
  }

  [[nodiscard]] bool is_order_slot(SlotIndex slot) const {
    return slot >= Inspector::first_order_slot(*book_) && slot < slot_count_;
  }

  const std::span<const Book> books_;
  const Book* book_;  ///< the one that the walk is in
  const SlotIndex slot_count_;
  std::vector<bool> seen_;
  std::vector<std::uint64_t> occupied_;  ///< what the words of one height of a tree should be
  SlotIndex anchors_taken_ = 0;          ///< of books of a set
  std::size_t in_window_ = 0;            ///< levels of a side with cells
  std::size_t far_levels_ = 0;
  std::size_t live_ = 0;
  std::string what_;
};

/// The first broken invariant of `book`, if any.
template <std::size_t N, template <std::size_t> class SideBookOf, class Rules>
std::optional<std::string> broken_invariant(const OrderBook<N, SideBookOf, Rules>& book) {
  return InvariantWalk<OrderBook<N, SideBookOf, Rules>>(std::span(&book, 1)).broken();
}

/// The same of a set.
template <class Orders, class Rules>
std::optional<std::string> broken_invariant(const BasicBookSet<Orders, Rules>& set) {
  using Book = typename BasicBookSet<Orders, Rules>::Book;
  const std::vector<Book> books = BookInspector::books(set);
  if (books.empty()) return {};  // moved from
  return InvariantWalk<Book>(books).broken();
}

}  // namespace llmes::test
