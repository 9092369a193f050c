// SPDX-License-Identifier: MIT
//
// What an engine of a tree and a hash map is made of: chosen with care, or taken as it comes.
#pragma once

#include <memory>
#include <unordered_map>

#include "absl/container/flat_hash_map.h"
#include "bench/contenders/node_pool.hpp"

namespace llmes::bench {

/// The hash map of a well-kept library, and trees whose nodes come from a pool.
struct PooledContainers {
  template <class Key, class Value>
  using HashMap = absl::flat_hash_map<Key, Value>;
  using Nodes = NodePool;
  template <class T>
  using Allocator = NodeAllocator<T>;
};

/// Those of the standard library, with the nodes of both from operator new.
struct StandardContainers {
  template <class Key, class Value>
  using HashMap = std::unordered_map<Key, Value>;
  struct Nodes {};
  template <class T>
  struct Allocator : std::allocator<T> {
    explicit Allocator(Nodes&) {}
    template <class U>
    Allocator(const Allocator<U>&) {}
  };
};

}  // namespace llmes::bench
