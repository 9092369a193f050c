// SPDX-License-Identifier: MIT
//
// One side as a sorted map from price to level, the best first. A level lives as long as an order rests on it.
#pragma once

#include <map>

#include "bench/books/parts/order.hpp"

namespace llmes::bench {

template <Side S, class Level, std::size_t N, class Map = std::map<std::size_t, Level>>
class MapSide {
 public:
  /// The best level, if it is no worse than `limit`.
  Level* best_within(Tick limit) {
    const auto best = levels_.begin();
    return best != levels_.end() && best->first <= rank_of<S, N>(limit) ? &best->second : nullptr;
  }

  /// The level at `tick`, for an order to join.
  Level& open(Tick tick) { return levels_.try_emplace(rank_of<S, N>(tick)).first->second; }

  /// The level at `tick` has lost its last order to a cancel; to a trade, which only the best one can.
  void emptied_by_cancel(Tick tick) { levels_.erase(rank_of<S, N>(tick)); }
  void emptied_by_trade(Tick) { levels_.erase(levels_.begin()); }

  /// The level at `tick`, or null; a side that keeps empty levels may return one.
  [[nodiscard]] const Level* find(Tick tick) const {
    const auto found = levels_.find(rank_of<S, N>(tick));
    return found == levels_.end() ? nullptr : &found->second;
  }

  /// Calls `visitor` with each level that holds orders, the best first, until it returns false.
  template <class Visitor>
  void visit_levels(Visitor&& visitor) const {
    for (const auto& [rank, level] : levels_) {
      if (!visitor(level)) return;
    }
  }

 private:
  Map levels_;
};

}  // namespace llmes::bench
