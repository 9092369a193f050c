// SPDX-License-Identifier: MIT
//
// The handle is the index: it names a slot of the pool, and the use of it. Whoever wants to find an order by an id
// keeps a map of their own, at the gateway.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/books/parts/order.hpp"
#include "bench/books/parts/pool_orders.hpp"

namespace llmes::bench {

/// The pool numbers its slots in the lower half of `Order::handle`. The upper half is odd while the slot is in
/// use.
class SlotIndex {
 public:
  explicit SlotIndex(std::size_t) {}

  void insert(Order& order) { order.handle += next_use; }
  void erase(Order& order) { order.handle += next_use; }

  template <class... Sides>
  [[nodiscard]] Order* find(OrderHandle handle, const PoolOrders& orders, const Sides&...) const {
    if (handle.index >= orders.slot_count() || handle.generation % 2 == 0) return nullptr;
    Order& order = orders[handle.index];
    return order.handle == handle.value() ? &order : nullptr;
  }

 private:
  static constexpr std::uint64_t next_use = std::uint64_t{1} << 32;
};

}  // namespace llmes::bench
