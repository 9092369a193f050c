// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace llmes::test {

inline double share(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace llmes::test
