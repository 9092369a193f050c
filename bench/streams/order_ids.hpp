// SPDX-License-Identifier: MIT
//
// The ids of a plan's orders in a book: their numbers, or a random permutation of them, like the ids of clients.
// The permutation is computed for each order, because a table would take room in the caches.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "llmes/types/types.hpp"

namespace llmes::bench {

/// The number of an order within its plan, from 0 in order of arrival.
using OrderNumber = std::uint32_t;

enum class Ids : std::uint8_t { Numbers, Permuted };

class OrderIds {
 public:
  OrderIds() = default;

  /// Different ids for the first `count` numbers or more.
  OrderIds(Ids ids, std::size_t count, std::uint64_t seed)
      : ids_(ids),
        mask_(std::bit_ceil(count) - 1),
        key_(seed * factor),
        shift_(1 + static_cast<int>(std::bit_width(mask_)) / 2) {}

  [[nodiscard]] OrderId id_of(OrderNumber number) const {
    std::uint64_t id = number;
    if (ids_ == Ids::Numbers) return id;
    // Each step can be undone, so no two numbers have the same id.
    for (int round = 0; round < 3; ++round) {
      id = (id * factor + key_) & mask_;
      id ^= id >> shift_;
    }
    return id;
  }

  /// Every id is below this.
  [[nodiscard]] std::size_t size() const { return mask_ + 1; }

 private:
  static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;

  Ids ids_ = Ids::Numbers;
  std::uint64_t mask_ = 0;
  std::uint64_t key_ = 0;
  int shift_ = 1;
};

}  // namespace llmes::bench
