// SPDX-License-Identifier: MIT
//
// Where the nodes of a container come from: pools, and huge pages.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>

namespace llmes::bench {

/// Keeps a pool at the same address when the map that uses it is moved.
template <class Pool>
struct OwnsPool {
  std::unique_ptr<Pool> pool = std::make_unique<Pool>();
};

/// A map that owns the pool of its nodes. `Map` allocates from a std::pmr::memory_resource. The pool is a base, so
/// that it is made before the map and destroyed after it.
template <class Map, class Pool = std::pmr::unsynchronized_pool_resource>
class PooledMap : OwnsPool<Pool>, public Map {
 public:
  PooledMap() : Map(typename Map::allocator_type(OwnsPool<Pool>::pool.get())) {}
};

/// Memory that asks for transparent huge pages. That is advice: if the kernel has none, it is ordinary memory.
class HugePages final : public std::pmr::memory_resource {
  static constexpr std::size_t page = std::size_t{2} << 20;

  void* do_allocate(std::size_t bytes, std::size_t) override {
    bytes = (bytes + page - 1) / page * page;
    void* memory = ::operator new(bytes, std::align_val_t{page});
    madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override {
    ::operator delete(memory, std::align_val_t{page});
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

/// A pool in huge pages. Freed nodes are used again; pages are freed with the pool.
class HugePagePool final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return nodes_.allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    nodes_.deallocate(memory, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  HugePages pages_;
  std::pmr::monotonic_buffer_resource chunks_{std::size_t{2} << 20, &pages_};
  std::pmr::unsynchronized_pool_resource nodes_{&chunks_};
};

}  // namespace llmes::bench
