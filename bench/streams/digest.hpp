// SPDX-License-Identifier: MIT
//
// The proof that two replays did the same work: a count of fills, a checksum over the maker, price and quantity of
// each, and a count of rejected commands.
#pragma once

#include <cstdint>

#include "llmes/types/types.hpp"

namespace llmes::bench {

struct Digest {
  std::uint64_t checksum = 0;
  std::uint64_t fills = 0;
  std::uint64_t misses = 0;  ///< commands that were rejected

  /// The sink for trades: an order-dependent checksum, which costs a few instructions a trade.
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
