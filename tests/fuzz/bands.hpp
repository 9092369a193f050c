// SPDX-License-Identifier: MIT
//
// The numbers of prices that the fuzzers choose from: each height of the occupancy tree, and the sizes at which it
// changes.
#pragma once

#include <cstddef>

#include "tests/fuzz/decoder.hpp"

namespace llmes::test {

/// Calls `check.template operator()<PriceLevels>()` for the band that the next byte chooses. A book of the widest
/// band takes as long to make as hundreds of small ones, so it is chosen the least.
template <class Check>
void with_band(Decoder& decoder, Check check) {
  const std::size_t choice = decoder.below(32);
  if (choice == 31) return check.template operator()<262'144>();
  switch (choice % 4) {
    case 0: return check.template operator()<64>();
    case 1: return check.template operator()<128>();
    case 2: return check.template operator()<4096>();
    default: return check.template operator()<8192>();
  }
}

}  // namespace llmes::test
