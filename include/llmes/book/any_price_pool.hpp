// SPDX-License-Identifier: MIT
//
// An order pool with the anchors of all levels of a book for any price (see any_price_side_book.hpp). Each side
// has a row of anchors, its *cells*. If its cell is taken, a level is *displaced*: a hash table finds its anchor.
//
// Invariants:
//  I1  in the `owner` of an anchor the highest bit is its side and all others are 0, so no handle names it;
//  I2  the table has all displaced levels, each with an anchor of its own whose `rank` is the level's. Free
//      anchors have no rank and are a list, last in, first out, linked through `next_free`. It never runs out: a
//      level in use has an order of its own, and there are as many anchors beside the cells as orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/book/far_levels.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/detail/hash.hpp"
#include "llmes/detail/probing_table.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

class AnyPricePool : public OrderPool {
 public:
  static constexpr SlotIndex no_anchor = std::numeric_limits<SlotIndex>::max();

  /// A pool with no slots.
  AnyPricePool() noexcept = default;

  /// Allocates room for `capacity` orders and `cells` cells of both sides together, and writes to all of it. No
  /// slots if memory runs out.
  AnyPricePool(std::size_t capacity, std::size_t cells) noexcept
      : OrderPool(cells + capacity, capacity),
        far_(capacity, 2),
        displaced_(capacity),
        cell_count_(static_cast<SlotIndex>(cells)),
        free_anchor_(cell_count_) {
    if (slot_count() == 0 || !far_.allocated() || !displaced_.allocated()) {
      *this = AnyPricePool();
      return;
    }
    for (SlotIndex i = 0; i < cells + capacity; ++i) {
      OrderSlot& slot = (*this)[i];
      slot.rank() = FarLevels::no_rank;
      slot.owner() = OrderSlot::owner_of(is_cell(i) && i >= cells / 2 ? Side::Sell : Side::Buy);
      if (!is_cell(i)) slot.next_free() = i + 1;
    }
  }

  [[nodiscard]] static constexpr std::size_t memory_bytes(std::size_t capacity, std::size_t cells) noexcept {
    return OrderPool::memory_bytes(cells + capacity, capacity) + FarLevels::bytes(capacity, 2) +
           ProbingTable<Displaced>::bytes(capacity);
  }

  /// The levels beyond the windows of both sides.
  [[nodiscard]] FarLevels& far() noexcept { return far_; }
  [[nodiscard]] const FarLevels& far() const noexcept { return far_; }

  [[nodiscard]] bool is_cell(SlotIndex anchor) const noexcept { return anchor < cell_count_; }

  /// The anchor of a displaced level, or `no_anchor`.
  [[nodiscard, gnu::noinline]] SlotIndex find_displaced(Side side, std::uint64_t rank) const noexcept {
    return displaced_[search(OrderSlot::empty_anchor(0, rank, OrderSlot::owner_of(side)))].anchor - 1;
  }
  /// Takes a free anchor for an empty level, which becomes displaced.
  [[nodiscard]] SlotIndex displace(Side side, std::uint64_t rank) noexcept {
    const SlotIndex anchor = free_anchor_;
    OrderSlot& slot = (*this)[anchor];
    free_anchor_ = slot.next_free();
    slot = OrderSlot::empty_anchor(anchor, rank, OrderSlot::owner_of(side));
    displaced_[search(slot)] = {anchor + 1, hash(slot)};
    return anchor;
  }
  /// Frees the anchor of a displaced level that is empty.
  void release_anchor(SlotIndex anchor) noexcept {
    OrderSlot& slot = (*this)[anchor];
    displaced_.free(search(slot));
    slot.next_free() = free_anchor_;
    slot.rank() = FarLevels::no_rank;
    free_anchor_ = anchor;
  }

 private:
  friend struct BookInspector;

  struct Displaced {
    SlotIndex anchor;  ///< plus 1; 0 if the entry is free
    std::uint32_t of;  ///< the hash of its level

    [[nodiscard]] bool used() const noexcept { return anchor != 0; }
    [[nodiscard]] std::uint32_t hash() const noexcept { return of; }
  };

  [[nodiscard]] static std::uint32_t hash(const OrderSlot& level) noexcept {
    return static_cast<std::uint32_t>(hash_of(level.rank() ^ std::uint64_t{level.owner()} << 32) >> 32);
  }
  [[nodiscard]] std::size_t search(const OrderSlot& level) const noexcept {
    const std::uint32_t of = hash(level);
    return displaced_.search(of, [&](const Displaced& entry) {
      const OrderSlot& other = (*this)[entry.anchor - 1];
      return entry.of == of && other.rank() == level.rank() && other.owner() == level.owner();
    });
  }

  FarLevels far_;
  ProbingTable<Displaced> displaced_;
  SlotIndex cell_count_ = 0;
  SlotIndex free_anchor_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
