// SPDX-License-Identifier: MIT
//
// Designs of other published engines. Those with price levels share the pool, the handles and the levels of
// phase 10. They differ from it in how a side finds its best level.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory_resource>

#include "absl/container/btree_map.h"
#include "bench/contenders/composed_book.hpp"
#include "bench/contenders/parts/memory.hpp"
#include "bench/contenders/parts/other_sides.hpp"
#include "bench/contenders/phases.hpp"
#include "bench/contenders/sequence_book.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// A circular array over prices modulo 1,024.
template <std::size_t N>
struct Ring1024Parts : Phase10Parts<N> {
  template <Side S, class Level>
  using SideBook = ModuloSide<S, Level, N, 1024>;
};

/// A binary heap of prices over an array of levels.
template <std::size_t N>
struct HeapParts : Phase10Parts<N> {
  template <Side S, class Level>
  using SideBook = HeapSide<S, Level, N>;
};

/// A radix tree of prices.
template <std::size_t N>
struct RadixParts : Phase10Parts<N> {
  template <Side S, class Level>
  using SideBook = RadixSide<S, Level, N>;
};

template <std::size_t N>
using Ring1024Book = Flattened<ComposedBook<Ring1024Parts<N>>>;
template <std::size_t N>
using HeapBook = Flattened<ComposedBook<HeapParts<N>>>;
template <std::size_t N>
using RadixBook = Flattened<ComposedBook<RadixParts<N>>>;

/// A sorted map of lists needs no band: it is the same for any, and holds the 2^32 prices from the base price on.
template <std::size_t N>
using MapListsBook = Phase6aBook<std::size_t{1} << 32>;

template <class Payload>
using HugeMap = PooledMap<std::pmr::map<PlaceInLine, Payload>, HugePagePool>;
template <class Payload>
using HugeBtree =
    PooledMap<absl::btree_map<PlaceInLine, Payload, std::less<PlaceInLine>,
                              std::pmr::polymorphic_allocator<std::pair<const PlaceInLine, Payload>>>,
              HugePagePool>;

template <std::size_t N>
using MapSeqBook = SequenceBook<N, std::map<PlaceInLine, Payload24>>;
template <std::size_t N>
using MapSeq256Book = SequenceBook<N, std::map<PlaceInLine, Payload256>>;
template <std::size_t N>
using MapSeqHugeBook = SequenceBook<N, HugeMap<Payload24>>;
template <std::size_t N>
using MapSeq256HugeBook = SequenceBook<N, HugeMap<Payload256>>;

template <std::size_t N>
using BtreeBook = SequenceBook<N, absl::btree_map<PlaceInLine, Payload24>>;
template <std::size_t N>
using Btree256Book = SequenceBook<N, absl::btree_map<PlaceInLine, Payload256>>;
template <std::size_t N>
using BtreeHugeBook = SequenceBook<N, HugeBtree<Payload24>>;
template <std::size_t N>
using Btree256HugeBook = SequenceBook<N, HugeBtree<Payload256>>;

}  // namespace llmes::bench
