// SPDX-License-Identifier: MIT
//
// The nodes of a tree, from a pool that is made for nodes of one size.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace llmes::bench {

/// The nodes of a tree, from blocks; one that is freed is used next.
class NodePool {
 public:
  void* acquire(std::size_t bytes) {
    if (free_ != nullptr) return std::exchange(free_, free_->next);
    if (used_ == block_nodes) {
      blocks_.push_back(std::make_unique<std::byte[]>(block_nodes * bytes));
      used_ = 0;
    }
    return &blocks_.back()[bytes * used_++];
  }
  void release(void* node) { free_ = ::new (node) Free{free_}; }

 private:
  struct Free {
    Free* next;
  };
  static constexpr std::size_t block_nodes = 1024;

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t used_ = block_nodes;  // nodes of the last block that have been used
  Free* free_ = nullptr;
};

template <class T>
struct NodeAllocator {
  using value_type = T;

  explicit NodeAllocator(NodePool& nodes) : pool(&nodes) {}
  template <class U>
  NodeAllocator(const NodeAllocator<U>& other) : pool(other.pool) {}

  T* allocate(std::size_t) { return static_cast<T*>(pool->acquire(sizeof(T))); }
  void deallocate(T* node, std::size_t) { pool->release(node); }
  friend bool operator==(const NodeAllocator&, const NodeAllocator&) = default;

  NodePool* pool;
};

}  // namespace llmes::bench
