// SPDX-License-Identifier: MIT
//
// An order pool whose anchors are taken and given back, and which also stores the far levels of its sides. All
// that the sides of a book for any price have in common.
//
// Invariants:
//  I1  the `generation` of an anchor that is taken is twice its side: even, so that no handle names an anchor;
//  I2  the anchors that are not taken are a list, last in, first out, linked through `next`. It never runs out: a
//      level in use has an order of its own, and beside the places of the windows there are as many anchors as
//      orders. Nor does the storage of far levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "llmes/far_levels.hpp"
#include "llmes/order_pool.hpp"
#include "llmes/price_level.hpp"
#include "llmes/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

class LevelPool : public OrderPool {
 public:
  /// The largest capacity of a pool for so many places of windows.
  [[nodiscard]] static constexpr std::size_t capacity_max(std::size_t places) noexcept {
    return OrderPool::capacity_max(places) / 2;
  }

  /// A pool with no slots.
  LevelPool() noexcept = default;

  /// Allocates all that `capacity` orders on `sides` sides may need, whose windows have `places` places together,
  /// and writes to all of it. The pool has no slots if there is too little memory.
  LevelPool(std::size_t capacity, std::size_t sides, std::size_t places) noexcept
      : OrderPool(places + capacity, capacity), far_(capacity, sides) {
    if (!far_.allocated()) *this = LevelPool();
    const auto first_order = static_cast<SlotIndex>(slot_count() - this->capacity());
    for (SlotIndex i = 0; i < first_order; ++i) (*this)[i].next = i + 1;
  }

  [[nodiscard]] FarLevels& far() noexcept { return far_; }
  [[nodiscard]] const FarLevels& far() const noexcept { return far_; }

  /// Takes an anchor for a level, which is empty.
  [[nodiscard]] SlotIndex acquire_anchor(Side side) noexcept {
    const SlotIndex anchor = free_anchor_;
    OrderSlot& slot = (*this)[anchor];
    free_anchor_ = slot.next;
    slot = {0, 0, anchor, anchor, 0, 2 * static_cast<std::uint32_t>(side)};
    return anchor;
  }
  /// Gives back the anchor of an empty level.
  [[gnu::always_inline]] void release_anchor(SlotIndex anchor) noexcept {
    (*this)[anchor].next = free_anchor_;
    free_anchor_ = anchor;
  }

  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t capacity, std::size_t sides,
                                                          std::size_t places) noexcept {
    return (places + 2 * capacity) * sizeof(OrderSlot) + FarLevels::bytes(capacity, sides);
  }

 private:
  friend struct BookInspector;

  FarLevels far_;
  SlotIndex free_anchor_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
