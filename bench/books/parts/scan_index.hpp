// SPDX-License-Identifier: MIT
//
// No index at all: orders are numbered in order of arrival, and found by looking at every one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/books/parts/order.hpp"

namespace llmes::bench {

class ScanIndex {
 public:
  explicit ScanIndex(std::size_t) {}

  /// Gives a new order its handle, and forgets that of one that is gone.
  void insert(Order& order) { order.handle = ++last_number_; }
  void erase(Order&) {}

  /// The resting order of that handle, or null.
  template <class Orders, class... Sides>
  [[nodiscard]] Order* find(OrderHandle handle, const Orders&, const Sides&... sides) const {
    Order* found = nullptr;
    const auto look_at = [&](const Fifo& level) {
      for (found = level.front(); found != nullptr; found = found->next) {
        if (found->handle == handle.value()) break;
      }
      return found == nullptr;
    };
    (..., (found == nullptr ? sides.visit_levels(look_at) : void()));
    return found;
  }

 private:
  std::uint64_t last_number_ = 0;
};

}  // namespace llmes::bench
