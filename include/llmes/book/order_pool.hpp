// SPDX-License-Identifier: MIT
//
// Where orders live: one array of 32-byte slots, allocated once, linked by 32-bit index. The first slots are the
// anchors of the price levels (see price_level.hpp); the others hold orders or are free. Kinds of pool differ in
// the slot that a new order gets: here the one freed last; in placed_pool.hpp its id decides.
//
// Invariants:
//  I1  a slot's generation is odd exactly while an order lives in it; `acquire` and `release` each add 1. A handle
//      carries the odd generation of its order, so one compare recognises a live handle. The generations of a slot
//      repeat after 2^31 uses;
//  I2  the free list of an `OrderPool` is last in, first out, linked through `next_free`. It ends with 0, which is
//      an anchor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/detail/reset_on_move.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

using SlotIndex = std::uint32_t;

/// A resting order, the anchor of a price level, or a free slot. The anchor is a node of the same circular list as
/// the orders, so linking and unlinking have no special case for head or tail.
struct alignas(32) OrderSlot {
  OrderId id;
  Quantity quantity;   ///< open lots
  SlotIndex previous;  ///< the order before this one on its level, or the anchor
  SlotIndex next;      ///< the order after this one on its level, or the anchor
  SlotIndex level;     ///< the anchor of the level on which this order rests
  std::uint32_t generation;

  // The same words in the anchor of a level.

  /// The rank, in the encoding of the side book.
  [[nodiscard, gnu::always_inline]] std::uint64_t& rank() noexcept { return id; }
  [[nodiscard, gnu::always_inline]] std::uint64_t rank() const noexcept { return id; }
  [[nodiscard, gnu::always_inline]] Quantity& total() noexcept { return quantity; }
  [[nodiscard, gnu::always_inline]] Quantity total() const noexcept { return quantity; }
  /// The oldest and the youngest order, or the anchor itself.
  [[nodiscard, gnu::always_inline]] SlotIndex& oldest() noexcept { return next; }
  [[nodiscard, gnu::always_inline]] SlotIndex oldest() const noexcept { return next; }
  [[nodiscard, gnu::always_inline]] SlotIndex& youngest() noexcept { return previous; }
  [[nodiscard, gnu::always_inline]] SlotIndex youngest() const noexcept { return previous; }
  [[nodiscard, gnu::always_inline]] SlotIndex& order_count() noexcept { return level; }
  [[nodiscard, gnu::always_inline]] SlotIndex order_count() const noexcept { return level; }
  /// 0 if the index implies the side; else of `owner_of`. Always even, so no handle names an anchor.
  [[nodiscard, gnu::always_inline]] std::uint32_t& owner() noexcept { return generation; }
  [[nodiscard, gnu::always_inline]] std::uint32_t owner() const noexcept { return generation; }

  [[nodiscard]] static constexpr std::uint32_t owner_of(Side side, std::uint32_t book = 0) noexcept {
    return static_cast<std::uint32_t>(side) << 31 | book << 1;
  }
  /// The side and the book that an owner of `owner_of` has.
  [[nodiscard]] Side side() const noexcept { return static_cast<Side>(owner() >> 31); }
  [[nodiscard]] std::uint32_t book() const noexcept { return owner() << 1 >> 2; }
  /// The anchor `index` of a level without orders.
  [[nodiscard]] static constexpr OrderSlot empty_anchor(SlotIndex index, std::uint64_t rank = 0,
                                                        std::uint32_t owner = 0) noexcept {
    return {rank, 0, index, index, 0, owner};
  }

  /// The next free slot or free anchor, in a free one.
  [[nodiscard, gnu::always_inline]] SlotIndex& next_free() noexcept { return next; }
  [[nodiscard, gnu::always_inline]] SlotIndex next_free() const noexcept { return next; }
};
static_assert(sizeof(OrderSlot) == 32, "two slots to a cache line, none across two");

/// The slots, and what all kinds of pool share.
class OrderSlots {
 public:
  static constexpr SlotIndex none = 0;

  [[nodiscard]] OrderSlot& operator[](SlotIndex index) noexcept { return slots_[index]; }
  [[nodiscard]] const OrderSlot& operator[](SlotIndex index) const noexcept { return slots_[index]; }

  [[nodiscard]] std::size_t live_count() const noexcept { return live_count_; }
  [[nodiscard]] std::size_t slot_count() const noexcept { return slot_count_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  [[nodiscard]] OrderHandle handle(SlotIndex index) const noexcept { return {index, slots_[index].generation}; }

  /// The handle of the order in slot `slot` (any number), if it has this id; else one that names nothing.
  [[nodiscard, gnu::always_inline]] OrderHandle handle_at(SlotIndex slot, OrderId id) const noexcept {
    if (slot >= slot_count_ || !lives_at(slot, id)) return {};
    return handle(slot);
  }

  /// Whether `handle` names an order; its slot is then `handle.index`.
  [[nodiscard]] bool contains(OrderHandle handle) const noexcept {
    return handle.index < slot_count_ && slots_[handle.index].generation == handle.generation &&
           handle.generation % 2 == 1;
  }

  // Forced inline: GCC takes a function that only prefetches for one without effect and drops its calls.

  /// Hints: fetch a slot (any number), or the slots that it links to. They do not check whether an order lives
  /// there: that branch would cost more than it saves.
  [[gnu::always_inline]] void prefetch(SlotIndex slot) const noexcept { __builtin_prefetch(address_of(slot), 1); }
  /// The same into the second-level cache, long before use: the first-level one can wait for fewer lines at once.
  [[gnu::always_inline]] void prefetch_early(SlotIndex slot) const noexcept {
    __builtin_prefetch(address_of(slot), 0, 2);
  }
  [[gnu::always_inline]] void prefetch_neighbours(SlotIndex index) const noexcept {
    const OrderSlot& slot = any_slot(index);
    __builtin_prefetch(&slots_[slot.previous], 1);
    __builtin_prefetch(&slots_[slot.next], 1);
  }

  /// Hint: 1 if `contains` is true, else 0; a forged handle may give 1. Branch-free, as the branch
  /// would mispredict.
  [[nodiscard, gnu::always_inline]] std::uint32_t seems_live(OrderHandle handle) const noexcept {
    return std::uint32_t{any_slot(handle.index).generation == handle.generation} & handle.generation;
  }

  /// The slot of that number, or the first one: safe to read for a hint.
  [[nodiscard, gnu::always_inline]] const OrderSlot& any_slot(SlotIndex index) const noexcept {
    return slots_[index < slot_count_ ? index : 0];
  }

 protected:
  friend struct BookInspector;

  /// The address of a slot, as a number: a forged one may lie outside the array, where only a hint may go.
  [[nodiscard, gnu::always_inline]] const void* address_of(SlotIndex slot) const noexcept {
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(&slots_[0]) +
                                         std::uintptr_t{slot} * sizeof(OrderSlot));
  }

  /// Whether an order with this id lives in `slot`, which must exist.
  [[nodiscard, gnu::always_inline]] bool lives_at(SlotIndex slot, OrderId id) const noexcept {
    return slots_[slot].id == id && slots_[slot].generation % 2 == 1;
  }

  /// No slots.
  OrderSlots() noexcept = default;

  /// Allocates `anchor_count` (at least 1) anchors and `order_slots` slots for up to `capacity` orders. Writes to
  /// all of them, so no later call touches a page for the first time. Has no slots if memory runs out.
  OrderSlots(std::size_t anchor_count, std::size_t order_slots, std::size_t capacity) noexcept
      : slots_(anchor_count + order_slots) {
    if (!slots_.allocated()) return;
    slot_count_ = static_cast<SlotIndex>(slots_.size());
    capacity_ = static_cast<SlotIndex>(capacity);
    const auto first_order = static_cast<SlotIndex>(anchor_count);
    for (SlotIndex i = 0; i < first_order; ++i) slots_[i] = OrderSlot::empty_anchor(i);
    for (SlotIndex i = first_order; i < slot_count_ - 1; ++i) slots_[i].next_free() = i + 1;
  }

  ZeroedArray<OrderSlot> slots_;  ///< without slots: one zero, which is no live order
  detail::ResetOnMove<SlotIndex> slot_count_;
  detail::ResetOnMove<SlotIndex> capacity_;
  detail::ResetOnMove<std::size_t> live_count_;
};

class OrderPool : public OrderSlots {
 public:
  /// The largest capacity of a pool with `anchor_count` anchors.
  [[nodiscard]] static constexpr std::size_t capacity_max(std::size_t anchor_count) noexcept {
    return std::numeric_limits<SlotIndex>::max() - anchor_count;
  }
  /// The bytes of so many anchors and orders.
  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t anchor_count,
                                                          std::size_t capacity) noexcept {
    return slots_for(anchor_count, capacity) * sizeof(OrderSlot);
  }
  [[nodiscard]] static constexpr std::size_t slots_for(std::size_t anchor_count, std::size_t capacity) noexcept {
    return anchor_count + capacity;
  }

  OrderPool() noexcept = default;

  /// Allocates what `capacity` (1 to `capacity_max`) orders and `anchor_count` anchors need.
  OrderPool(std::size_t anchor_count, std::size_t capacity) noexcept
      : OrderSlots(anchor_count, capacity, capacity),
        free_(slot_count_ == 0 ? none : static_cast<SlotIndex>(anchor_count)) {}

  [[nodiscard]] bool full() const noexcept { return free_ == none; }

  /// Acquires a slot; the pool must not be full. The caller fills in all but the generation.
  SlotIndex acquire(OrderId /*id*/) noexcept {
    const SlotIndex index = free_;
    OrderSlot& slot = slots_[index];
    free_ = slot.next_free();
    ++slot.generation;
    ++live_count_;
    return index;
  }

  /// Releases the slot of an order, whose handle becomes stale.
  void release(SlotIndex index) noexcept {
    OrderSlot& slot = slots_[index];
    ++slot.generation;
    slot.next_free() = free_;
    free_ = index;
    --live_count_;
  }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept { visit(self.slots_, self.free_, self.live_count_); }

 private:
  friend struct ImageCheck;
  friend struct BookInspector;

  detail::ResetOnMove<SlotIndex> free_;  ///< at first and once moved from: none
};

}  // namespace llmes::inline LLMES_NAMESPACE
