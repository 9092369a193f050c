// SPDX-License-Identifier: MIT
//
// The product at each height of its tree, with either kind of side book. What names it is in a source file of its
// own, so that a mutant of the product costs the compilation of nothing else.
#pragma once

#include <vector>

#include "tests/support/any_book.hpp"

namespace llmes::test {

std::vector<BookType> mutated_books();

}  // namespace llmes::test
