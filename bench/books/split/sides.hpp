// SPDX-License-Identifier: MIT
//
// The calls of its sides, for the unit that has them.
#pragma once

#include "bench/books/split/split_book.hpp"

namespace llmes::bench {

template <Side S, class Level, std::size_t N, Build build>
Level* SplitSide<S, Level, N, build>::best_within(Tick limit) {
  return side_.best_within(limit);
}

template <Side S, class Level, std::size_t N, Build build>
Level& SplitSide<S, Level, N, build>::open(Tick tick) {
  return side_.open(tick);
}

template <Side S, class Level, std::size_t N, Build build>
void SplitSide<S, Level, N, build>::emptied_by_cancel(Tick tick) {
  side_.emptied_by_cancel(tick);
}

template <Side S, class Level, std::size_t N, Build build>
void SplitSide<S, Level, N, build>::emptied_by_trade(Tick tick) {
  side_.emptied_by_trade(tick);
}

}  // namespace llmes::bench
