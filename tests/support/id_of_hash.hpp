// SPDX-License-Identifier: MIT
//
// The way back from the hash of an id, for ids that are to meet in one bucket.
#pragma once

#include <cstdint>

#include "llmes/detail/hash.hpp"
#include "llmes/types/types.hpp"

namespace llmes::test {

/// The id that `hash_of` makes this number of: there is one for each, as it is a bijection.
constexpr OrderId id_of_hash(std::uint64_t number) {
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t x = odd;  // right in its lowest 3 bits; each step doubles them
    for (int step = 0; step < 5; ++step) x *= 2 - odd * x;
    return x;
  };
  number *= inverse(0xc4ce'b9fe'1a85'ec53);
  number ^= number >> 30 ^ number >> 60;
  return number * inverse(0xff51'afd7'ed55'8ccd);
}

}  // namespace llmes::test
