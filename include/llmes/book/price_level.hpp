// SPDX-License-Identifier: MIT
//
// The orders at one price, in time priority: a circular doubly linked list of pool slots, closed by the level's
// anchor. A `PriceLevel` is a view of that list and holds two words.
//
// Invariants:
//  I1  `oldest` and `youngest` of the anchor are those orders. In an empty level both are the anchor itself, and
//      total and count are 0;
//  I2  the total is the sum of the orders' open lots and never wraps: callers ask `has_room` first.
#pragma once

#include <limits>
#include <utility>

#include "llmes/book/order_pool.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

class PriceLevel {
 public:
  PriceLevel(OrderSlots& pool, SlotIndex anchor) noexcept : pool_(pool), anchor_(anchor) {}

  [[nodiscard]] SlotIndex anchor() const noexcept { return anchor_; }
  [[nodiscard]] bool empty() const noexcept { return pool_[anchor_].oldest() == anchor_; }
  [[nodiscard]] SlotIndex front() const noexcept { return pool_[anchor_].oldest(); }
  [[nodiscard]] Quantity total() const noexcept { return pool_[anchor_].total(); }

  /// Whether the total can grow by `quantity` once `leaving` lots of it are gone.
  [[nodiscard, gnu::always_inline]] bool has_room(Quantity quantity, Quantity leaving = 0) const noexcept {
    return quantity <= std::numeric_limits<Quantity>::max() - (total() - leaving);
  }

  /// Appends the order in slot `index`, whose quantity is set, as the youngest.
  [[gnu::always_inline]] void push_back(SlotIndex index) noexcept { insert_before(anchor_, index); }

  /// Puts the order in slot `index`, whose quantity is set, in front of that in slot `neighbour`, which rests
  /// here, or in front of the anchor: behind all orders.
  [[gnu::always_inline]] void insert_before(SlotIndex neighbour, SlotIndex index) noexcept {
    OrderSlot& anchor = pool_[anchor_];
    OrderSlot& next = pool_[neighbour];
    OrderSlot& order = pool_[index];
    order.level = anchor_;
    order.previous = next.previous;
    pool_[next.previous].next = index;
    order.next = neighbour;
    next.previous = index;
    anchor.total() += order.quantity;
    ++anchor.order_count();
  }

  /// Removes the order in slot `index`, which rests here.
  [[gnu::always_inline]] void erase(SlotIndex index) noexcept {
    OrderSlot& anchor = pool_[anchor_];
    const OrderSlot& order = pool_[index];
    pool_[order.previous].next = order.next;
    pool_[order.next].previous = order.previous;
    anchor.total() -= order.quantity;
    --anchor.order_count();
  }

  /// Detaches all orders. They stay linked, from the oldest to the youngest and on to the anchor.
  [[gnu::always_inline]] void clear() noexcept {
    OrderSlot& anchor = pool_[anchor_];
    anchor.total() = 0;
    anchor.youngest() = anchor_;
    anchor.oldest() = anchor_;
    anchor.order_count() = 0;
  }

  /// Moves all orders to the empty level of `anchor`, and leaves this level empty. Linear in the orders.
  void move_to(SlotIndex anchor) noexcept {
    OrderSlot& from = pool_[anchor_];
    for (SlotIndex i = from.oldest(); i != anchor_; i = pool_[i].next) pool_[i].level = anchor;
    pool_[from.youngest()].next = anchor;
    pool_[from.oldest()].previous = anchor;
    pool_[anchor] = std::exchange(from, OrderSlot::empty_anchor(anchor_));
  }

  /// Takes `by` lots, fewer than are open, off the order in slot `index`, which keeps its place.
  void reduce(SlotIndex index, Quantity by) noexcept {
    pool_[index].quantity -= by;
    pool_[anchor_].total() -= by;
  }

 private:
  OrderSlots& pool_;
  SlotIndex anchor_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
