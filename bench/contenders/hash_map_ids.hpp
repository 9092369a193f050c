// SPDX-License-Identifier: MIT
//
// A hash map as an index from ids to orders: what most engines have. It has room for all orders from the start, so
// it never grows while it is timed.
#pragma once

#include <cstddef>
#include <optional>

#include "bench/contenders/containers.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

template <class Containers>
class HashMapIds {
 public:
  struct Config {};

  static std::optional<HashMapIds> create(const Config& /*config*/, std::size_t capacity, CreateStatus& status) {
    status = CreateStatus::Success;
    return HashMapIds(capacity);
  }

  /// An entry goes when its order goes, so there is nothing to confirm.
  template <class Matches>
  [[nodiscard]] SlotIndex find(OrderId id, Matches /*matches*/) const {
    const auto found = slots_.find(id);
    return found == slots_.end() ? 0 : found->second;
  }
  void insert(OrderId id, SlotIndex slot) { slots_.emplace(id, slot); }
  void erase(OrderId id, SlotIndex /*slot*/) { slots_.erase(id); }

 private:
  explicit HashMapIds(std::size_t capacity) : slots_(capacity) {}

  typename Containers::template HashMap<OrderId, SlotIndex> slots_;
};

}  // namespace llmes::bench
