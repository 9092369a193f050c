// SPDX-License-Identifier: MIT
//
// The books that the product is compared with. They are independent of it: none shares its parts.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/support/any_book.hpp"

namespace llmes::test {

/// The rivals for a band of 128, 4,096 or 262,144 prices: none in a build without the benchmarks.
std::vector<BookType> rivals(std::size_t price_levels);

}  // namespace llmes::test
