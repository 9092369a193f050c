// SPDX-License-Identifier: MIT
//
// The pool of a set as one of its books sees it: orders and levels, and the anchors of the cells of its own two
// windows. The number of orders is the book's own; capacity is that of the set. A handle of another book is
// unknown, as the anchor of an order's level says its book.
//
// At first the cells of all books have the first anchors of the pool, in the order of books, sides and cells. A
// level that leaves a window takes its anchor along, so a table notes which anchor each cell has now. It is seldom
// read: most have their first one, whose address follows from the price. It is right if it has this rank, or
// another one of its cell and no orders, since the level of an anchor that has left its cell is never empty.
#pragma once

#include <cstddef>
#include <cstdint>

#include "llmes/book/order_pool.hpp"
#include "llmes/sets/level_pool.hpp"
#include "llmes/sets/rank_window.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// `Levels` is the pool of all books.
template <class Levels>
class BasicPoolView {
 public:
  /// How many prices the window of a side has.
  static constexpr std::size_t window = RankWindow::size;

  /// `cells` notes the anchors in both windows of book `number`, those of bids first. `held` notes the anchor of
  /// the level that each side holds outside of its window. `size` counts the orders of the book.
  BasicPoolView(Levels& levels, SlotIndex* cells, SlotIndex* held, std::uint32_t& size, BookNumber number) noexcept
      : levels_(&levels), cells_(cells), held_(held), size_(&size), number_(number) {}

  [[nodiscard]] BookNumber number() const noexcept { return number_; }
  /// The pool of all books.
  operator Levels&() noexcept { return *levels_; }  // NOLINT(google-explicit-constructor)

  [[nodiscard]] OrderSlot& operator[](SlotIndex index) noexcept { return (*levels_)[index]; }
  [[nodiscard]] const OrderSlot& operator[](SlotIndex index) const noexcept { return (*levels_)[index]; }

  [[nodiscard]] bool full() const noexcept { return levels_->full(); }
  [[nodiscard]] std::size_t live_count() const noexcept { return *size_; }
  [[nodiscard]] std::size_t slot_count() const noexcept { return levels_->slot_count(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return levels_->capacity(); }

  SlotIndex acquire(OrderId id) noexcept {
    ++*size_;
    return levels_->acquire(id);
  }
  void release(SlotIndex index) noexcept {
    --*size_;
    levels_->release(index);
  }
  [[nodiscard]] OrderHandle handle(SlotIndex index) const noexcept { return levels_->handle(index); }
  [[nodiscard, gnu::always_inline]] bool contains(OrderHandle handle) const noexcept {
    return levels_->contains(handle) && levels_->book_of_order(handle.index) == number_;
  }

  [[nodiscard]] FarLevels& far() noexcept { return levels_->far(); }
  [[nodiscard]] const FarLevels& far() const noexcept { return levels_->far(); }
  [[nodiscard]] std::size_t free_anchor_count() const noexcept { return levels_->free_anchor_count(); }
  [[nodiscard]] SlotIndex acquire_anchor(Side side, std::uint64_t rank) noexcept {
    return levels_->acquire_anchor(side, rank, number_);
  }
  void release_anchor(SlotIndex anchor) noexcept { levels_->release_anchor(anchor); }

  /// Where the anchor of the level is noted that a side holds outside of its window, if it holds one.
  [[nodiscard]] SlotIndex& held_anchor(Side side) noexcept { return held_[static_cast<std::size_t>(side)]; }
  [[nodiscard]] SlotIndex held_anchor(Side side) const noexcept { return held_[static_cast<std::size_t>(side)]; }

  /// Where the table notes the anchor of the cell of a rank.
  [[nodiscard]] SlotIndex& cell(Side side, std::size_t rank) noexcept {
    return cells_[static_cast<std::size_t>(side) * window + rank % window];
  }
  /// The anchor of a rank that the window has.
  [[nodiscard, gnu::always_inline]] SlotIndex anchor_of(Side side, std::size_t rank) const noexcept {
    const SlotIndex first = first_anchor(number_, side, rank);
    const OrderSlot& anchor = (*levels_)[first];
    const bool same_place = anchor.rank() % window == rank % window;
    if (anchor.owner() == OrderSlot::owner_of(side, number_) &&
        (anchor.rank() == rank || (same_place && anchor.oldest() == first))) [[likely]]
      return first;
    return cells_[static_cast<std::size_t>(side) * window + rank % window];
  }
  /// The anchor that the cell of a rank had at first.
  [[nodiscard]] static SlotIndex first_anchor(BookNumber book, Side side, std::size_t rank) noexcept {
    return static_cast<SlotIndex>((2 * book + static_cast<std::size_t>(side)) * window + rank % window);
  }

  [[gnu::always_inline]] void prefetch(SlotIndex slot) const noexcept { levels_->prefetch(slot); }
  [[gnu::always_inline]] void prefetch_neighbours(SlotIndex slot) const noexcept {
    levels_->prefetch_neighbours(slot);
  }
  [[nodiscard, gnu::always_inline]] std::uint32_t seems_live(OrderHandle handle) const noexcept {
    return levels_->seems_live(handle);
  }

 private:
  friend struct BookInspector;

  Levels* levels_;
  SlotIndex* cells_;
  SlotIndex* held_;
  std::uint32_t* size_;
  BookNumber number_;
};

using PoolView = BasicPoolView<LevelPool>;

}  // namespace llmes::inline LLMES_NAMESPACE
