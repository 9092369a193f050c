// SPDX-License-Identifier: MIT
//
// Where orders live, and the levels that queue them.
//
// A home of orders offers:
//   Home(capacity)
//   acquire(level) -> Order&           a place for an order of that level
//   release(order)                     frees the place of an order that has left its level, or is held
//   hold(order) -> Order&              the order between two levels, while a modify moves it
//   settle(held, level) -> Order&      the held order in its place on the new level
//   moves_with_level                   whether `hold` and `settle` change the address of the order
//
// A level offers:
//   empty(), front() -> Order*, total() -> Quantity
//   push_back(order), erase(order)
//   reduce(order, by)
//   keeps_total                        whether `total` is stored rather than added up
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bench/contenders/ruled_book.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

class Fifo;

/// The published order of 56 bytes.
struct Order {
  OrderId id;
  Tick tick;
  Side side;
  Quantity quantity;     ///< open lots
  std::uint64_t handle;  ///< the value of its handle; the published order had a timestamp here
  Order* previous;
  Order* next;  ///< in a free slot of a pool: the next free slot
  Fifo* level;
};
static_assert(sizeof(Order) == 56);

/// A level of 16 bytes: the queue of orders at one price. It keeps no total; `total` adds the orders up.
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

/// A level of 24 bytes: the same with a running total.
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

/// A home in which an order keeps its place while a modify takes it from one level to another.
struct StaysInPlace {
  static constexpr bool moves_with_level = false;

  Order& hold(Order& order) { return order; }
  Order& settle(Order& order, Fifo&) { return order; }
};

/// Every order in a heap node of its own, as in a std::list.
class HeapOrders : public StaysInPlace {
 public:
  explicit HeapOrders(std::size_t) {}

  Order& acquire(Fifo&) { return *new Order; }
  void release(Order& order) { delete &order; }
};

/// The level for HeapOrders: it deletes its orders when the book is destroyed.
class OwningFifo : public TotalledFifo {
 public:
  OwningFifo() = default;
  OwningFifo(const OwningFifo&) = delete;
  OwningFifo& operator=(const OwningFifo&) = delete;
  ~OwningFifo() {
    for (Order* order = front(); order != nullptr;) delete std::exchange(order, order->next);
  }
};

/// All orders in one array, allocated once. Free slots form a last in, first out list through `next`.
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

struct Chunk {
  std::size_t size;
  std::unique_ptr<Order[]> orders;
  Chunk* next;  ///< of the same level, or of the same size and free
};

/// The level for ChunkedOrders.
class ChunkedFifo : public TotalledFifo {
  friend class ChunkedOrders;

  Chunk* chunks_ = nullptr;  // the newest first; only the newest may have places never used
  std::size_t used_ = 0;     // places of the newest chunk that have been used
  Order* free_ = nullptr;    // places that have been used and are free again
};

/// Every level keeps its orders in chunks of its own, so that neighbours in the queue are neighbours in memory.
/// The first chunk of a level has room for 16 orders, each further one for twice as many, up to 256. A freed place
/// waits for the next order of the same level. When the last order leaves, all chunks of the level become free for
/// other levels. So an order that a modify takes to another level must move.
class ChunkedOrders {
 public:
  static constexpr bool moves_with_level = true;

  explicit ChunkedOrders(std::size_t) {}

  Order& acquire(Fifo& level) { return acquire_on(static_cast<ChunkedFifo&>(level)); }

  void release(Order& order) {
    if (&order == &held_) return;
    ChunkedFifo& level = static_cast<ChunkedFifo&>(*order.level);
    if (level.empty()) {
      release_chunks(level);
    } else {
      order.next = level.free_;
      level.free_ = &order;
    }
  }

  Order& hold(Order& order) {
    held_ = order;
    release(order);
    return held_;
  }
  Order& settle(const Order& order, Fifo& level) { return acquire(level) = order; }

 private:
  static constexpr std::size_t smallest = 16;
  static constexpr std::size_t largest = 256;

  Order& acquire_on(ChunkedFifo& level) {
    if (level.free_ != nullptr) return *std::exchange(level.free_, level.free_->next);
    if (level.chunks_ == nullptr || level.used_ == level.chunks_->size) grow(level);
    return level.chunks_->orders[level.used_++];
  }

  void grow(ChunkedFifo& level) {
    const std::size_t size = level.chunks_ == nullptr ? smallest : std::min(2 * level.chunks_->size, largest);
    Chunk* chunk = free_of(size);
    if (chunk != nullptr) {
      free_of(size) = chunk->next;
    } else {
      all_.push_back(std::make_unique<Chunk>(size, std::make_unique<Order[]>(size), nullptr));
      chunk = all_.back().get();
    }
    chunk->next = level.chunks_;
    level.chunks_ = chunk;
    level.used_ = 0;
  }

  void release_chunks(ChunkedFifo& level) {
    while (level.chunks_ != nullptr) {
      Chunk* chunk = std::exchange(level.chunks_, level.chunks_->next);
      chunk->next = std::exchange(free_of(chunk->size), chunk);
    }
    level.free_ = nullptr;
  }

  Chunk*& free_of(std::size_t size) { return free_[static_cast<std::size_t>(std::countr_zero(size / smallest))]; }

  std::vector<std::unique_ptr<Chunk>> all_;
  std::array<Chunk*, std::bit_width(largest / smallest)> free_{};  // by size
  Order held_{};                                                   // an order between two levels
};

}  // namespace llmes::bench
