// SPDX-License-Identifier: MIT
//
// Every level keeps its orders in chunks of its own, so that neighbours in the queue are neighbours in memory. A
// level's first chunk has room for 16 orders, each further one for twice as many, up to 256. When its last order
// has left, all its chunks go back, to be used by other levels; until then a freed place waits for the same
// level's next order. So an order that a modify takes to another level has to leave its place.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "bench/books/parts/order.hpp"

namespace llmes::bench {

struct Chunk {
  std::size_t size;
  std::unique_ptr<Order[]> orders;
  Chunk* next;  ///< of the same level, or of the same size and free
};

class ChunkedFifo : public TotalledFifo {
  friend class ChunkedOrders;

  Chunk* chunks_ = nullptr;  // the newest first; all but the newest have been used up
  std::size_t used_ = 0;     // places of the newest chunk that have been taken
  Order* free_ = nullptr;    // taken before, and free again
};

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
