// SPDX-License-Identifier: MIT
//
// The conformance suite: a book that passes it behaves like the oracle. It runs on any type that satisfies
// `llmes::bench::MatchingBook`. To run it on another book, once for each number of prices:
//
//   INSTANTIATE_TEST_SUITE_P(MyBook, ConformanceSuite, (bands<MyBook, 128, 4096>()), by_band);
//
// A book without a band takes `widths` for `bands`: how many neighbouring prices it is to be used at.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <vector>

#include "tests/support/any_book.hpp"

namespace llmes::test {

/// A type of book and the number of prices that it is to have, or to be used at if it has every price. Tests are
/// named after the number.
struct Band {
  BookType type;
  std::size_t price_levels;
  bool is_all = true;  ///< whether the book has no other prices

  friend std::ostream& operator<<(std::ostream& out, const Band& band) { return out << band.price_levels; }
};

template <template <std::size_t> class Book, std::size_t... PriceLevels>
auto bands() {
  return ::testing::ValuesIn(std::vector<Band>{{book_type<Book<PriceLevels>>(), PriceLevels}...});
}

template <class Book, std::size_t... PriceLevels>
auto widths() {
  return ::testing::ValuesIn(std::vector<Band>{{book_type<Book>(), PriceLevels, false}...});
}

inline constexpr ::testing::PrintToStringParamName by_band{};

/// Its tests are in conformance_suite.cpp.
class ConformanceSuite : public ::testing::TestWithParam<Band> {};

}  // namespace llmes::test
