// SPDX-License-Identifier: MIT
//
// Every order in a heap node of its own, as a std::list keeps it.
#pragma once

#include <cstddef>
#include <utility>

#include "bench/books/parts/order.hpp"

namespace llmes::bench {

/// A home in which an order can stay while a modify takes it from one level to another.
struct StaysInPlace {
  static constexpr bool moves_with_level = false;

  /// The order between the two levels, and on the new one.
  Order& hold(Order& order) { return order; }
  Order& settle(Order& order, Fifo&) { return order; }
};

class HeapOrders : public StaysInPlace {
 public:
  explicit HeapOrders(std::size_t) {}

  /// A place for an order of that level; the place of one that has left its level, or is held.
  Order& acquire(Fifo&) { return *new Order; }
  void release(Order& order) { delete &order; }
};

/// A level that takes its orders along when the book is destroyed.
class OwningFifo : public TotalledFifo {
 public:
  OwningFifo() = default;
  OwningFifo(const OwningFifo&) = delete;
  OwningFifo& operator=(const OwningFifo&) = delete;
  ~OwningFifo() {
    for (Order* order = front(); order != nullptr;) delete std::exchange(order, order->next);
  }
};

}  // namespace llmes::bench
