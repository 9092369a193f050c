// SPDX-License-Identifier: MIT
//
// A map that brings the pool its nodes come from.
#pragma once

#include <memory>
#include <memory_resource>

namespace llmes::bench {

/// Where a map is moved to, its nodes still come from the same pool.
template <class Pool>
struct OwnsPool {
  std::unique_ptr<Pool> pool = std::make_unique<Pool>();
};

/// `Map` takes its nodes from a std::pmr::memory_resource. The pool is a base, to be there before the map and
/// after it.
template <class Map, class Pool = std::pmr::unsynchronized_pool_resource>
class PooledMap : OwnsPool<Pool>, public Map {
 public:
  PooledMap() : Map(typename Map::allocator_type(OwnsPool<Pool>::pool.get())) {}
};

}  // namespace llmes::bench
