// SPDX-License-Identifier: MIT
//
// Orders numbered in order of arrival, and a hash map from number to order. The caller's ids will not do as keys:
// they need not be unique.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/books/parts/order.hpp"

namespace llmes::bench {

/// `Map` maps std::uint64_t to Order*, with the calls of std::unordered_map that are made here.
template <class Map>
class HashIndex {
 public:
  explicit HashIndex(std::size_t capacity) { orders_.reserve(capacity); }

  void insert(Order& order) {
    order.handle = ++last_number_;
    orders_.emplace(order.handle, &order);
  }
  void erase(Order& order) { orders_.erase(order.handle); }

  /// The order of that handle now lives here.
  void reseat(Order& order) { orders_.find(order.handle)->second = &order; }

  template <class... Rest>
  [[nodiscard]] Order* find(OrderHandle handle, const Rest&...) const {
    const auto found = orders_.find(handle.value());
    return found == orders_.end() ? nullptr : found->second;
  }

 private:
  Map orders_;
  std::uint64_t last_number_ = 0;
};

}  // namespace llmes::bench
