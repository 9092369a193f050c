// SPDX-License-Identifier: MIT
//
// Memory for the nodes of a container, out of huge pages if the kernel has any for us.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory_resource>
#include <new>

namespace llmes::bench {

/// Asks for transparent huge pages. That is advice: without them it is memory like any other.
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

/// Nodes that come back are used again; pages come back when the pool goes.
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
