// SPDX-License-Identifier: MIT
//
// What the exchange knows of each open order beside the venue, so that it can tell its user: state, which an image
// keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "entry.hpp"
#include "llmes/venue.hpp"

namespace exchange {

struct KnownOrder {
  Quantity ordered;     ///< of the whole order
  Quantity cumulative;  ///< executed
  Quantity leaves;      ///< open
  std::uint64_t value;  ///< sum of price times lots over all fills, in ten-thousandths
  std::uint64_t price4;
  AccountNumber account;
  BookNumber book;
  ClientId client_id;
  ClientTerms terms;
  std::uint8_t unused[2];
  std::uint32_t client_tag;
  std::uint32_t reference;  ///< of a side of a quote; 0: it is an order, whose id has it
  std::uint32_t previous;   ///< slots of other orders of the user, in the order in which they came; 0: none
  std::uint32_t next;
};

/// The orders of a user, by slot; 0: none.
struct OrderList {
  std::uint32_t first;
  std::uint32_t last;
};

class OrderTable {
  using Slots = llmes::IdSlots;

 public:
  [[nodiscard]] static std::optional<OrderTable> create(std::size_t capacity,
                                                        llmes::CreateStatus& status) noexcept {
    std::optional<Slots> slots = Slots::create(capacity, status);
    if (!slots) return {};
    llmes::ZeroedArray<KnownOrder> orders(slots->slot_count());
    status = orders.allocated() ? llmes::CreateStatus::Success : llmes::CreateStatus::OutOfMemory;
    if (!orders.allocated()) return {};
    return OrderTable(std::move(*slots), std::move(orders));
  }

  [[nodiscard]] KnownOrder* find(OrderId id) noexcept {
    const Slots::Slot slot = slots_.find(id);
    return slot == Slots::none ? nullptr : &orders_[slot];
  }
  [[nodiscard]] bool full() const noexcept { return slots_.full(); }
  [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }
  /// There must be room, and none with this id. O(1), as `erase`.
  /// @param list of its user
  KnownOrder& add(OrderId id, OrderList& list) noexcept {
    const Slots::Slot slot = slots_.insert(id);
    KnownOrder& order = orders_[slot] = {};
    order.previous = list.last;
    (list.last != Slots::none ? orders_[list.last].next : list.first) = slot;
    list.last = slot;
    return order;
  }
  void erase(OrderId id, OrderList& list) noexcept {
    const Slots::Slot slot = slots_.find(id);
    if (slot == Slots::none) return;
    const KnownOrder& order = orders_[slot];
    (order.previous != Slots::none ? orders_[order.previous].next : list.first) = order.next;
    (order.next != Slots::none ? orders_[order.next].previous : list.last) = order.previous;
    slots_.erase(slot);
  }
  /// There must be one with the first id, and none with the second.
  KnownOrder& rename(OrderId id, OrderId new_id) noexcept {
    const Slots::Slot slot = slots_.find(id);
    slots_.rename(slot, new_id);
    return orders_[slot];
  }
  [[nodiscard]] static bool is_empty(const OrderList& list) noexcept { return list.first == Slots::none; }
  /// Calls `visitor(id, order)` for each order of a list, in the order in which they came. It changes none.
  template <class Visitor>
  void visit(const OrderList& list, Visitor&& visitor) const noexcept {
    for (Slots::Slot slot = list.first; slot != Slots::none; slot = orders_[slot].next)
      visitor(slots_.id_at(slot), orders_[slot]);
  }

  /// Whether its state is one that calls can lead to, if it comes from an untrusted image.
  [[nodiscard]] bool holds() const noexcept { return slots_.holds(); }
  /// The same of a list of `user`. @return how many orders it has, or nothing
  [[nodiscard]] std::optional<std::size_t> count(const OrderList& list, UserId user) const noexcept {
    std::size_t count = 0;
    Slots::Slot previous = Slots::none;
    for (Slots::Slot slot = list.first; slot != Slots::none; slot = orders_[slot].next) {
      const bool is_right = slot < slots_.slot_count() && slots_.used(slot) &&
                            user_of(slots_.id_at(slot)) == user && orders_[slot].previous == previous;
      if (!is_right || ++count > slots_.size()) return {};
      previous = slot;
    }
    return previous == list.last ? std::optional(count) : std::nullopt;
  }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.slots_, self.orders_);
  }

 private:
  OrderTable(Slots&& slots, llmes::ZeroedArray<KnownOrder>&& orders) noexcept
      : slots_(std::move(slots)), orders_(std::move(orders)) {}

  Slots slots_;
  llmes::ZeroedArray<KnownOrder> orders_;
};

}  // namespace exchange
