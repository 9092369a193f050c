// SPDX-License-Identifier: MIT
//
// The proof that two replays did the same work: every fill goes into a count and a checksum over maker, price and
// quantity, and every rejected command is counted.
#pragma once

#include <cstdint>

#include "llmes/types.hpp"

namespace llmes::bench {

struct Digest {
  std::uint64_t checksum = 0;
  std::uint64_t fills = 0;
  std::uint64_t misses = 0;  ///< commands that were rejected

  /// The sink: an order-dependent checksum at the price of a few instructions a trade.
  void operator()(const Trade& trade) noexcept {
    const std::uint64_t word =
        trade.maker_id ^ (static_cast<std::uint64_t>(trade.price) << 20) ^ (trade.quantity << 44);
    checksum = (checksum ^ word) * 0x9e3779b97f4a7c15u;
    checksum ^= checksum >> 29;
    ++fills;
  }
  void count(Status status) noexcept { misses += status != Status::Success; }

  friend bool operator==(const Digest&, const Digest&) = default;
};

}  // namespace llmes::bench
