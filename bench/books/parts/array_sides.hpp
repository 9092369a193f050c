// SPDX-License-Identifier: MIT
//
// One side as an array of levels, one for each of N prices, and marks on those that hold orders. The three differ
// in what becomes of the mark of a level that a cancel has emptied: a ghost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "bench/books/parts/order.hpp"

namespace llmes::bench {

/// What they share. `Tree` is a GenericBitmap or a FixedTree.
template <Side S, class Level, std::size_t N, class Tree>
class ArraySide {
 public:
  [[nodiscard]] const Level* find(Tick tick) const { return &levels_[rank_of<S, N>(tick)]; }

  template <class Visitor>
  void visit_levels(Visitor&& visitor) const {
    for (std::size_t rank = marked_.first(); rank < N; rank = marked_.first_from(rank + 1)) {
      if (!levels_[rank].empty() && !visitor(levels_[rank])) return;
    }
  }

 protected:
  std::unique_ptr<Level[]> levels_ = std::make_unique<Level[]>(N);
  Tree marked_;
};

/// Whoever looks for the best level clears the ghosts in front of it, those that trades left too.
template <Side S, class Level, std::size_t N, class Tree>
class CleaningSide : public ArraySide<S, Level, N, Tree> {
 public:
  Level* best_within(Tick limit) {
    std::size_t best = this->marked_.first();
    for (; best < N && this->levels_[best].empty(); best = this->marked_.first()) this->marked_.erase(best);
    return best <= rank_of<S, N>(limit) ? &this->levels_[best] : nullptr;
  }
  Level& open(Tick tick) {
    const std::size_t rank = rank_of<S, N>(tick);
    this->marked_.insert(rank);
    return this->levels_[rank];
  }
  void emptied_by_cancel(Tick) {}
  void emptied_by_trade(Tick) {}
};

/// The best mark is cached.
template <Side S, class Level, std::size_t N, class Tree>
class CachedBestSide : public ArraySide<S, Level, N, Tree> {
 public:
  Level& open(Tick tick) {
    const std::size_t rank = rank_of<S, N>(tick);
    this->marked_.insert(rank);
    best_ = std::min(best_, rank);
    return this->levels_[rank];
  }
  void emptied_by_trade(Tick) { clear_best(); }

 protected:
  void clear_best() {
    this->marked_.erase(best_);
    best_ = this->marked_.first();
  }

  std::size_t best_ = N;  // N: nothing is marked
};

/// A ghost stays until it is the best and somebody wants to trade with it.
template <Side S, class Level, std::size_t N, class Tree>
class GhostSide : public CachedBestSide<S, Level, N, Tree> {
 public:
  Level* best_within(Tick limit) {
    while (this->best_ <= rank_of<S, N>(limit)) {
      if (!this->levels_[this->best_].empty()) return &this->levels_[this->best_];
      this->clear_best();
    }
    return nullptr;
  }
  void emptied_by_cancel(Tick) {}
};

/// No ghosts: the cancel clears the mark.
template <Side S, class Level, std::size_t N, class Tree>
class EagerSide : public CachedBestSide<S, Level, N, Tree> {
 public:
  Level* best_within(Tick limit) {
    return this->best_ <= rank_of<S, N>(limit) ? &this->levels_[this->best_] : nullptr;
  }
  void emptied_by_cancel(Tick tick) {
    const std::size_t rank = rank_of<S, N>(tick);
    if (rank == this->best_) {
      this->clear_best();
    } else {
      this->marked_.erase(rank);
    }
  }
};

}  // namespace llmes::bench
