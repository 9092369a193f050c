// SPDX-License-Identifier: MIT
//
// The conformance check as a GoogleTest expectation: a failure prints the shortest sequence that still fails, as
// source of a test.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/support/any_book.hpp"
#include "tests/support/operation.hpp"

namespace llmes::test {

void expect_conformance(const BookType& type, const BookConfig& config, const std::vector<Operation>& operations,
                        std::size_t state_every = 1);

template <bench::MatchingBook Book>
void expect_conformance(const BookConfig& config, const std::vector<Operation>& operations,
                        std::size_t state_every = 1) {
  expect_conformance(book_type<Book>(), config, operations, state_every);
}

}  // namespace llmes::test
