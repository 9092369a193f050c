// SPDX-License-Identifier: MIT
//
// One book of each way to find prices and orders: sorted maps of lists with hash tables of two kinds and with
// handles, arrays with bitmaps, and sorted maps of orders.
#include "tests/long/differential/rivals.hpp"

#include "bench/contenders/designs.hpp"
#include "bench/contenders/phases.hpp"

namespace llmes::test {
namespace {

template <std::size_t PriceLevels>
std::vector<BookType> rivals() {
  return {book_type<bench::Phase2dBook<PriceLevels>>(), book_type<bench::Phase2eBook<PriceLevels>>(),
          book_type<bench::Phase6aBook<PriceLevels>>(), book_type<bench::Phase10Book<PriceLevels>>(),
          book_type<bench::MapSeqBook<PriceLevels>>()};
}

}  // namespace

std::vector<BookType> rivals(std::size_t price_levels) {
  switch (price_levels) {
    case 128: return rivals<128>();
    case 4096: return rivals<4096>();
    default: return rivals<262144>();
  }
}

}  // namespace llmes::test
