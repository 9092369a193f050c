// SPDX-License-Identifier: MIT
//
// Open addressing with linear probing, hand-written: one array of number and order, twice as large as it need be,
// and a number's home where the upper bits of a multiplication put it. Number 0 belongs to no order and marks an
// entry as free. What happens on a collision and on erasure is up to the maps that derive from it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/books/parts/order.hpp"

namespace llmes::bench {

class OpenTable {
 public:
  struct Entry {
    std::uint64_t first = 0;
    Order* second = nullptr;
  };

  /// Makes room for `count` orders; the table must be empty.
  void reserve(std::size_t count) {
    const std::size_t size = std::bit_ceil(std::max<std::size_t>(2 * count, 8));
    entries_.assign(size, {});
    shift_ = 64 - std::countr_zero(size);
  }

  [[nodiscard]] static constexpr const Entry* end() { return nullptr; }

 protected:
  [[nodiscard]] std::size_t home(std::uint64_t key) const { return key * 0x9e3779b97f4a7c15u >> shift_; }
  [[nodiscard]] std::size_t after(std::size_t place) const { return (place + 1) & (entries_.size() - 1); }

  std::vector<Entry> entries_;

 private:
  int shift_ = 0;
};

}  // namespace llmes::bench
