// SPDX-License-Identifier: MIT
//
// The hash of ids and of other numbers.
#pragma once

#include <cstdint>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A bijection of 64 bits: different ids differ in some bit of it, and ids that follow each other, or are
/// multiples of a power of two, are far apart in its upper half. Not collision-resistant: assign your own ids if
/// clients may be hostile.
[[nodiscard]] constexpr std::uint64_t hash_of(std::uint64_t id) noexcept {
  id *= 0xff51'afd7'ed55'8ccd;
  id ^= id >> 30;
  return id * 0xc4ce'b9fe'1a85'ec53;
}

}  // namespace llmes::inline LLMES_NAMESPACE
