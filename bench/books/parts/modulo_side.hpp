// SPDX-License-Identifier: MIT
//
// One side as a circular array of levels, indexed by price modulo their number. A slot remembers whose price it
// has; one that still belongs to a price long gone is noticed when another price comes round to it. Two prices in
// use that are a multiple of the length apart cannot both be held. The next best level is found by walking.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include "bench/books/parts/order.hpp"

namespace llmes::bench {

template <Side S, class Level, std::size_t N, std::size_t Slots>
class ModuloSide {
 public:
  Level* best_within(Tick limit) {
    return live_ > 0 && best_ <= rank_of<S, N>(limit) ? &slot(best_).level : nullptr;
  }

  /// Whether the slot of that price is free, or has been its own all along.
  [[nodiscard]] bool can_hold(Tick tick) const {
    const std::size_t rank = rank_of<S, N>(tick);
    return slot(rank).rank == rank || slot(rank).level.empty();
  }

  Level& open(Tick tick) {
    const std::size_t rank = rank_of<S, N>(tick);
    if (slot(rank).level.empty()) {
      slot(rank).rank = rank;
      best_ = live_ == 0 ? rank : std::min(best_, rank);
      ++live_;
    }
    return slot(rank).level;
  }

  void emptied_by_cancel(Tick tick) { close(rank_of<S, N>(tick)); }
  void emptied_by_trade(Tick tick) { close(rank_of<S, N>(tick)); }

  [[nodiscard]] const Level* find(Tick tick) const {
    const std::size_t rank = rank_of<S, N>(tick);
    return slot(rank).rank == rank ? &slot(rank).level : nullptr;
  }

  template <class Visitor>
  void visit_levels(Visitor&& visitor) const {
    std::size_t left = live_;
    for (std::size_t rank = best_; left > 0; ++rank) {
      if (!holds(rank)) continue;
      --left;
      if (!visitor(slot(rank).level)) return;
    }
  }

 private:
  struct Slot {
    std::size_t rank = N;
    Level level;
  };

  [[nodiscard]] Slot& slot(std::size_t rank) { return slots_[rank % Slots]; }
  [[nodiscard]] const Slot& slot(std::size_t rank) const { return slots_[rank % Slots]; }
  [[nodiscard]] bool holds(std::size_t rank) const { return slot(rank).rank == rank && !slot(rank).level.empty(); }

  void close(std::size_t rank) {
    --live_;
    if (rank != best_ || live_ == 0) return;
    while (!holds(best_)) ++best_;
  }

  std::unique_ptr<Slot[]> slots_ = std::make_unique<Slot[]>(Slots);
  std::size_t live_ = 0;  // levels that hold orders
  std::size_t best_ = 0;  // the lowest rank of those, if there are any
};

}  // namespace llmes::bench
