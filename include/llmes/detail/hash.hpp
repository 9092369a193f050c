// SPDX-License-Identifier: MIT
//
// The hash of ids and other numbers.
#pragma once

#include <cstdint>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A bijection of 64 bits. Consecutive ids, and multiples of a power of two, are far apart in the upper half. Not
/// collision-resistant there: assign your own ids if clients may be hostile.
[[nodiscard]] constexpr std::uint64_t hash_of(std::uint64_t id) noexcept {
  id *= 0xff51'afd7'ed55'8ccd;
  id ^= id >> 30;
  return id * 0xc4ce'b9fe'1a85'ec53;
}

}  // namespace llmes::inline LLMES_NAMESPACE
