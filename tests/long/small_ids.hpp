// SPDX-License-Identifier: MIT
//
// The ids of the small worlds: three for each way to keep them, so chosen that they get in each other's way. There
// is one more of them than orders can rest: either the index has no room for it, or the pool.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/ids/id_index.hpp"
#include "tests/support/id_of_hash.hpp"

namespace llmes::test {

/// `ids` are those of the requests. The orders of `standing` rest from the start, one lot each at the lowest
/// price.
struct NoneStanding {
  static constexpr std::array<OrderId, 0> standing{};
};

struct ThreeFromZero : NoneStanding {
  using Index = DenseIds;
  static constexpr const char* name = "ids from 0 to 2";
  static constexpr DenseIds::Config config{.first = 0, .count = 3};
  static constexpr std::array<OrderId, 3> ids{0, 1, 2};
};
/// The third id comes next after the range.
struct TheLargestTwo : NoneStanding {
  using Index = DenseIds;
  static constexpr const char* name = "the two largest ids";
  static constexpr OrderId largest = std::numeric_limits<OrderId>::max();
  static constexpr DenseIds::Config config{.first = largest - 1, .count = 2};
  static constexpr std::array<OrderId, 3> ids{largest - 1, largest, 0};
};

/// Two of the ids have the same tag.
struct OneBucket : NoneStanding {
  using Index = HashedIds;
  static constexpr const char* name = "ids of one bucket";
  static constexpr HashedIds::Config config{};
  static constexpr std::array<OrderId, 3> ids{0, id_of_hash(std::uint64_t{1} << 18),
                                              std::numeric_limits<OrderId>::max()};
};
/// Four buckets, for seven orders. The last one has room for one more; two ids of the same tag belong there, so
/// one of them goes on to the first. The third id, of the same tag, belongs to that one.
struct FullBucket {
  using Index = HashedIds;
  static constexpr const char* name = "ids of a full bucket";
  static constexpr HashedIds::Config config{};
  static constexpr std::uint64_t last_bucket = 0xf000'0000'0000'0000;
  static constexpr std::uint64_t tag = std::uint64_t{1} << 18;
  static constexpr std::array<OrderId, 3> ids{id_of_hash(last_bucket | tag), id_of_hash(last_bucket | tag | 1), 0};
  static constexpr std::array<OrderId, 5> standing{
      id_of_hash(last_bucket | 2 * tag), id_of_hash(last_bucket | tag | 2), id_of_hash(last_bucket | 2 * tag | 1),
      id_of_hash(last_bucket | tag | 3), id_of_hash(last_bucket | 2 * tag | 2)};
};

}  // namespace llmes::test
