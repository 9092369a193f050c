// SPDX-License-Identifier: MIT
//
// What the historical books share below the level of a policy: the published 56-byte order and the queue of orders
// at one price, a null-terminated list through the orders themselves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/books/ruled_book.hpp"
#include "llmes/llmes.hpp"

namespace llmes::bench {

class Fifo;

struct Order {
  OrderId id;
  Tick tick;
  Side side;
  Quantity quantity;     ///< open lots
  std::uint64_t handle;  ///< the value of its handle; the published order kept a timestamp here
  Order* previous;
  Order* next;  ///< free slot of a pool: the next free slot
  Fifo* level;
};
static_assert(sizeof(Order) == 56);

/// The orders at one price, in 16 bytes: what it does not keep, its total, has to be added up.
class Fifo {
 public:
  static constexpr bool keeps_total = false;

  [[nodiscard]] bool empty() const { return head_ == nullptr; }
  [[nodiscard]] Order* front() const { return head_; }
  [[nodiscard]] Quantity total() const {
    Quantity sum = 0;
    for (const Order* order = head_; order != nullptr; order = order->next) sum += order->quantity;
    return sum;
  }

  void push_back(Order& order) {
    order.level = this;
    order.previous = tail_;
    order.next = nullptr;
    if (tail_ != nullptr) {
      tail_->next = &order;
    } else {
      head_ = &order;
    }
    tail_ = &order;
  }
  void erase(const Order& order) {
    (order.previous != nullptr ? order.previous->next : head_) = order.next;
    (order.next != nullptr ? order.next->previous : tail_) = order.previous;
  }
  void reduce(Order& order, Quantity by) { order.quantity -= by; }

 private:
  Order* head_ = nullptr;
  Order* tail_ = nullptr;
};
static_assert(sizeof(Fifo) == 16);

/// The same with a running total, in 24 bytes.
class TotalledFifo : public Fifo {
 public:
  static constexpr bool keeps_total = true;

  [[nodiscard]] Quantity total() const { return total_; }

  void push_back(Order& order) {
    Fifo::push_back(order);
    total_ += order.quantity;
  }
  void erase(const Order& order) {
    Fifo::erase(order);
    total_ -= order.quantity;
  }
  void reduce(Order& order, Quantity by) {
    Fifo::reduce(order, by);
    total_ -= by;
  }

 private:
  Quantity total_ = 0;
};
static_assert(sizeof(TotalledFifo) == 24);

/// Which prices a side likes: rank 0 is its most aggressive one, the highest for bids and the lowest for asks.
template <Side S, std::size_t N>
[[nodiscard]] constexpr std::size_t rank_of(Tick tick) {
  return S == Side::Buy ? N - 1 - tick : tick;
}

}  // namespace llmes::bench
