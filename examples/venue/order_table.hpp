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
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/venue/id_slots.hpp"

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
  char side;  ///< these as OUCH has the letters
  char time_in_force;
  char display;
  char capacity;
  char intermarket_sweep;
  char cross_type;
  char unused[2];
};

class OrderTable {
  using Slots = llmes::detail::IdSlots;

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
  /// There must be room, and none with this id.
  KnownOrder& add(OrderId id) noexcept { return orders_[slots_.insert(id)] = {}; }
  void erase(OrderId id) noexcept {
    if (const Slots::Slot slot = slots_.find(id); slot != Slots::none) slots_.erase(slot);
  }
  /// There must be one with the first id, and none with the second.
  KnownOrder& rename(OrderId id, OrderId new_id) noexcept {
    const Slots::Slot slot = slots_.find(id);
    slots_.rename(slot, new_id);
    return orders_[slot];
  }
  /// Calls `visitor(id, order)` for each of the `count` orders of a user; it may erase that one. Linear in the
  /// capacity, unless they are found before.
  template <class Visitor>
  void visit(UserId user, std::size_t count, Visitor&& visitor) noexcept {
    for (Slots::Slot slot = 1; count != 0 && slot < slots_.slot_count(); ++slot) {
      if (!slots_.used(slot) || user_of(slots_.id_at(slot)) != user) continue;
      --count;
      visitor(slots_.id_at(slot), orders_[slot]);
    }
  }

  [[nodiscard]] bool holds() const noexcept { return slots_.holds(); }
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
