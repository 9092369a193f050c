// SPDX-License-Identifier: MIT
//
// All orders in one array, allocated once; its free slots are a last in, first out list through `next`.
#pragma once

#include <cstddef>
#include <memory>

#include "bench/books/parts/heap_orders.hpp"
#include "bench/books/parts/order.hpp"

namespace llmes::bench {

class PoolOrders : public StaysInPlace {
 public:
  explicit PoolOrders(std::size_t capacity)
      : slots_(std::make_unique<Order[]>(capacity)), slot_count_(capacity), free_(slots_.get()) {
    for (std::size_t i = 0; i < capacity; ++i) {
      slots_[i].handle = i;
      slots_[i].next = i + 1 < capacity ? &slots_[i + 1] : nullptr;
    }
  }

  Order& acquire(Fifo&) {
    Order& order = *free_;
    free_ = order.next;
    return order;
  }
  void release(Order& order) {
    order.next = free_;
    free_ = &order;
  }

  [[nodiscard]] std::size_t slot_count() const { return slot_count_; }
  [[nodiscard]] Order& operator[](std::size_t index) const { return slots_[index]; }

 private:
  std::unique_ptr<Order[]> slots_;
  std::size_t slot_count_;
  Order* free_;
};

}  // namespace llmes::bench
