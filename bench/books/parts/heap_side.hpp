// SPDX-License-Identifier: MIT
//
// One side as an array of levels, one for each of N prices, and a binary heap of those that are in use. A heap can
// only give up its best entry, so a level that a cancel has emptied stays in it until it gets there.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "bench/books/parts/order.hpp"

namespace llmes::bench {

template <Side S, class Level, std::size_t N>
class HeapSide {
 public:
  Level* best_within(Tick limit) {
    for (; !heap_.empty(); heap_.pop()) {
      const std::size_t best = heap_.top();
      if (!levels_[best].empty()) return best <= rank_of<S, N>(limit) ? &levels_[best] : nullptr;
      queued_[best] = false;
    }
    return nullptr;
  }

  Level& open(Tick tick) {
    const std::size_t rank = rank_of<S, N>(tick);
    if (!queued_[rank]) {
      queued_[rank] = true;
      heap_.push(rank);
    }
    return levels_[rank];
  }

  void emptied_by_cancel(Tick) {}
  void emptied_by_trade(Tick) {}

  [[nodiscard]] const Level* find(Tick tick) const { return &levels_[rank_of<S, N>(tick)]; }

  template <class Visitor>
  void visit_levels(Visitor&& visitor) const {
    for (Heap heap = heap_; !heap.empty(); heap.pop()) {
      if (!levels_[heap.top()].empty() && !visitor(levels_[heap.top()])) return;
    }
  }

 private:
  using Heap = std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>;

  std::unique_ptr<Level[]> levels_ = std::make_unique<Level[]>(N);
  Heap heap_;                                        // lowest rank first, none twice
  std::vector<bool> queued_ = std::vector<bool>(N);  // those in the heap
};

}  // namespace llmes::bench
