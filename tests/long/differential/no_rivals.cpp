// SPDX-License-Identifier: MIT
//
// For builds without the benchmarks, whose books need Abseil.
#include "tests/long/differential/rivals.hpp"

namespace llmes::test {

std::vector<BookType> rivals(std::size_t) {
  return {};
}

}  // namespace llmes::test
