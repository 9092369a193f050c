// SPDX-License-Identifier: MIT
//
// An order pool with anchors to acquire and release, and far levels of sides: what the books of a set share.
//
// Invariants:
//  I1  the `owner` of an anchor that is taken is twice the number of its book, with its side as the highest
//      bit: even, so that no handle names an anchor. It has a rank;
//  I2  the anchors that are not taken are a list, last in, first out, linked through `next_free`: as many as cells
//      and, beside these, one for each far level that there is room for. One given back has no `rank`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "llmes/book/far_levels.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/book/price_level.hpp"
#include "llmes/detail/reset_on_move.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// `Orders` is the kind of pool in which the orders live: `OrderPool` or `PlacedPool`.
template <class Orders>
class BasicLevelPool : public Orders {
 public:
  /// The largest capacity of a pool for so many cells of windows.
  [[nodiscard]] static constexpr std::size_t capacity_max(std::size_t cells) noexcept {
    return Orders::capacity_max(cells) / 2;
  }

  /// A pool with no slots.
  BasicLevelPool() noexcept = default;

  /// Allocates for `capacity` orders, `sides` sides, `cells` cells of windows and `far_levels` levels beyond
  /// these, and writes to all of it. The pool has no slots if there is too little memory.
  BasicLevelPool(std::size_t capacity, std::size_t sides, std::size_t cells, std::size_t far_levels) noexcept
      : Orders(cells + far_levels, capacity), far_(far_levels, sides), free_anchor_count_(cells + far_levels) {
    if (!far_.allocated()) *this = BasicLevelPool();
    const std::size_t anchors = this->slot_count() == 0 ? 0 : cells + far_levels;
    for (SlotIndex i = 0; i < anchors; ++i) (*this)[i].next_free() = i + 1;
  }

  [[nodiscard]] FarLevels& far() noexcept { return far_; }
  [[nodiscard]] const FarLevels& far() const noexcept { return far_; }

  /// The number of free anchors. Once all cells have theirs, it is the number of far levels that still fit.
  [[nodiscard]] std::size_t free_anchor_count() const noexcept { return free_anchor_count_; }

  /// Takes an anchor for the level of a rank, which is empty.
  [[nodiscard]] SlotIndex acquire_anchor(Side side, std::uint64_t rank, std::uint32_t book) noexcept {
    const SlotIndex anchor = free_anchor_;
    OrderSlot& slot = (*this)[anchor];
    free_anchor_ = slot.next_free();
    --free_anchor_count_;
    slot = OrderSlot::empty_anchor(anchor, rank, OrderSlot::owner_of(side, book));
    return anchor;
  }
  /// Gives back the anchor of an empty level.
  [[gnu::always_inline]] void release_anchor(SlotIndex anchor) noexcept {
    (*this)[anchor].next_free() = free_anchor_;
    (*this)[anchor].rank() = FarLevels::no_rank;
    free_anchor_ = anchor;
    ++free_anchor_count_;
  }

  /// How many anchors there are, in the first slots; orders live in the others.
  [[nodiscard]] SlotIndex anchor_count() const noexcept {
    const std::size_t slots = this->slot_count();
    return slots == 0 ? 0 : static_cast<SlotIndex>(slots - Orders::slots_for(0, this->capacity()));
  }

  /// The book in which the order in a slot rests.
  [[nodiscard]] std::uint32_t book_of_order(SlotIndex order) const noexcept {
    return (*this)[(*this)[order].level].book();
  }

  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t capacity, std::size_t sides,
                                                          std::size_t cells, std::size_t far_levels) noexcept {
    return Orders::memory_bytes(cells + far_levels, capacity) + FarLevels::bytes(far_levels, sides);
  }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept {
    Orders::visit_state(self, visit);
    visit(self.far_, self.free_anchor_, self.free_anchor_count_);
  }

 private:
  friend struct ImageCheck;
  friend struct BookInspector;

  FarLevels far_;
  detail::ResetOnMove<SlotIndex> free_anchor_;
  detail::ResetOnMove<std::size_t> free_anchor_count_;
};

using LevelPool = BasicLevelPool<OrderPool>;

}  // namespace llmes::inline LLMES_NAMESPACE
