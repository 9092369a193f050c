// SPDX-License-Identifier: MIT
//
// The phases of the published history, the rejected ones included. Each is an earlier phase with a part replaced.
// Phases 8a to 8c kept 65,536 prices, so their trees have that height here, even for a smaller band.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "absl/container/flat_hash_map.h"
#include "bench/contenders/composed_book.hpp"
#include "bench/contenders/parts/array_sides.hpp"
#include "bench/contenders/parts/indexes.hpp"
#include "bench/contenders/parts/map_sides.hpp"
#include "bench/contenders/parts/memory.hpp"
#include "bench/contenders/parts/orders.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// A sorted map of linked lists; a cancel scans the book.
template <std::size_t N>
struct Phase1Parts {
  static constexpr std::size_t price_levels = N;
  using Level = OwningFifo;
  using Orders = HeapOrders;
  using Index = ScanIndex;
  template <Side S, class Level>
  using SideBook = MapSide<S, Level, N>;
};

/// Orders in a pool.
template <std::size_t N>
struct Phase2aParts : Phase1Parts<N> {
  using Level = TotalledFifo;
  using Orders = PoolOrders;
};

/// A cancel finds its order in a hash map: the standard one, two written by hand, and Abseil's.
template <std::size_t N>
struct Phase2bParts : Phase2aParts<N> {
  using Index = HashIndex<std::unordered_map<std::uint64_t, Order*>>;
};
template <std::size_t N>
struct Phase2cParts : Phase2aParts<N> {
  using Index = HashIndex<TombstoneMap>;
};
template <std::size_t N>
struct Phase2dParts : Phase2aParts<N> {
  using Index = HashIndex<RobinHoodMap>;
};
template <std::size_t N>
struct Phase2eParts : Phase2aParts<N> {
  using Index = HashIndex<absl::flat_hash_map<std::uint64_t, Order*>>;
};

/// The map behind the interface of a side. Here every phase has that, so this is phase 2e again: a control.
template <std::size_t N>
struct Phase4aParts : Phase2eParts<N> {};

/// Orders in chunks that belong to a level.
template <std::size_t N>
struct Phase4bParts : Phase4aParts<N> {
  using Level = ChunkedFifo;
  using Orders = ChunkedOrders;
};

/// Handles that name slots of the pool, instead of a hash map.
template <std::size_t N>
struct Phase6aParts : Phase4aParts<N> {
  using Index = SlotIndex;
};

/// The nodes of the map from a pool.
template <std::size_t N>
struct Phase6bParts : Phase6aParts<N> {
  template <Side S, class Level>
  using SideBook = MapSide<S, Level, N, PooledMap<std::pmr::map<std::size_t, Level>>>;
};

/// A ring of the prices around the best, and the map for the others.
template <std::size_t N, std::size_t Slots = 16>
struct Phase7aParts : Phase6aParts<N> {
  template <Side S, class Level>
  using SideBook = RingSide<S, Level, N, Slots, SingleLevels>;
};

/// Levels in a pool too.
template <std::size_t N, std::size_t Slots = 16>
struct Phase7bParts : Phase7aParts<N, Slots> {
  template <Side S, class Level>
  using SideBook = RingSide<S, Level, N, Slots, PooledLevels>;
};

/// One array of levels instead of ring and map, and a bitmap to find the best of them.
template <std::size_t N>
struct Phase8aParts : Phase7bParts<N> {
  static constexpr std::size_t prices = std::max<std::size_t>(N, 65'536);
  template <Side S, class Level>
  using SideBook = CleaningSide<S, Level, prices, GenericBitmap<prices>>;
};

/// A tree without loops, and the best mark cached.
template <std::size_t N>
struct Phase8bParts : Phase8aParts<N> {
  template <Side S, class Level>
  using SideBook = GhostSide<S, Level, Phase8aParts<N>::prices, FixedTree<Phase8aParts<N>::prices>>;
};

/// No ghosts.
template <std::size_t N>
struct Phase8cParts : Phase8bParts<N> {
  template <Side S, class Level>
  using SideBook = EagerSide<S, Level, Phase8aParts<N>::prices, FixedTree<Phase8aParts<N>::prices>>;
};

/// Phase 8b with levels of 16 bytes instead of 24, and no more of them than there are prices.
template <std::size_t N>
struct Phase10Parts : Phase8bParts<N> {
  using Level = Fifo;
  template <Side S, class Level>
  using SideBook = GhostSide<S, Level, N, FixedTree<N>>;
};

template <std::size_t N>
using Phase1Book = ComposedBook<Phase1Parts<N>>;
template <std::size_t N>
using Phase2aBook = ComposedBook<Phase2aParts<N>>;
template <std::size_t N>
using Phase2bBook = ComposedBook<Phase2bParts<N>>;
template <std::size_t N>
using Phase2cBook = ComposedBook<Phase2cParts<N>>;
template <std::size_t N>
using Phase2dBook = ComposedBook<Phase2dParts<N>>;
template <std::size_t N>
using Phase2eBook = ComposedBook<Phase2eParts<N>>;
template <std::size_t N>
using Phase4aBook = ComposedBook<Phase4aParts<N>>;
template <std::size_t N>
using Phase4bBook = ComposedBook<Phase4bParts<N>>;
template <std::size_t N>
using Phase6aBook = ComposedBook<Phase6aParts<N>>;
template <std::size_t N>
using Phase6bBook = ComposedBook<Phase6bParts<N>>;
template <std::size_t N>
using Phase7aBook = ComposedBook<Phase7aParts<N>>;
template <std::size_t N>
using Phase7a8Book = ComposedBook<Phase7aParts<N, 8>>;
template <std::size_t N>
using Phase7a32Book = ComposedBook<Phase7aParts<N, 32>>;
template <std::size_t N>
using Phase7a64Book = ComposedBook<Phase7aParts<N, 64>>;
template <std::size_t N>
using Phase7bBook = ComposedBook<Phase7bParts<N>>;

/// Phase 7b with its helpers inlined by force, as all later ones.
template <std::size_t N>
using Phase7cBook = Flattened<Phase7bBook<N>>;
template <std::size_t N>
using Phase8aBook = Flattened<ComposedBook<Phase8aParts<N>>>;
template <std::size_t N>
using Phase8bBook = Flattened<ComposedBook<Phase8bParts<N>>>;
template <std::size_t N>
using Phase8cBook = Flattened<ComposedBook<Phase8cParts<N>>>;
template <std::size_t N>
using Phase10Book = Flattened<ComposedBook<Phase10Parts<N>>>;

}  // namespace llmes::bench
