// SPDX-License-Identifier: MIT
//
// The calls of the sides of the split book: one of its three units. LLMES_BUILD names the build that it is
// compiled for.

#include "bench/contenders/split/split_book.hpp"

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

#ifdef LLMES_BUILD
template class SplitSide<Side::Buy, Fifo, 4096, Build::LLMES_BUILD>;
template class SplitSide<Side::Sell, Fifo, 4096, Build::LLMES_BUILD>;
template class SplitSide<Side::Buy, Fifo, 131'072, Build::LLMES_BUILD>;
template class SplitSide<Side::Sell, Fifo, 131'072, Build::LLMES_BUILD>;
#endif

}  // namespace llmes::bench
