// SPDX-License-Identifier: MIT
//
// The books that the fuzzers choose from: each height of the occupancy tree, and the sizes at which it changes,
// with either kind of side book, and one without a band.
#pragma once

#include <cstddef>

#include "llmes/book/order_book.hpp"
#include "tests/fuzz/decoder.hpp"

namespace llmes::test {

/// How many neighbouring prices a fuzzer asks for, and some beyond: the whole band. Of a book without a band they
/// are so many that the first and the last one are just in, or just beyond, the window about a price in the
/// middle.
template <class Book>
inline constexpr std::size_t price_count = Book::has_band ? Book::price_levels : 768;

/// Calls `check.template operator()<Book>()` for the book that `choice`, which is below 64, chooses. One of the
/// widest band takes as long to make as hundreds of small ones, so it is chosen the least.
template <class Check>
void with_book(std::size_t choice, Check check) {
  if (choice == 31) return check.template operator()<OrderBook<262'144>>();
  if (choice == 63) return check.template operator()<WideOrderBook<262'144>>();
  if (choice % 8 == 5) return check.template operator()<AnyPriceBook<512>>();
  switch (choice / 32 * 4 + choice % 4) {
    case 0: return check.template operator()<OrderBook<64>>();
    case 1: return check.template operator()<OrderBook<128>>();
    case 2: return check.template operator()<OrderBook<4096>>();
    case 3: return check.template operator()<OrderBook<8192>>();
    case 4: return check.template operator()<WideOrderBook<64>>();
    case 5: return check.template operator()<WideOrderBook<128>>();
    case 6: return check.template operator()<WideOrderBook<4096>>();
    default: return check.template operator()<WideOrderBook<8192>>();
  }
}

}  // namespace llmes::test
