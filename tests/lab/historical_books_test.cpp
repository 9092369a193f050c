// SPDX-License-Identifier: MIT
//
// Every book of the benchmarks' list against the oracle, at LLMES_PRICE_LEVELS prices. A new book needs only its
// header here.
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <vector>

#include "bench/contenders/core_books.hpp"
#include "bench/contenders/designs.hpp"
#include "bench/contenders/id_books.hpp"
#include "bench/contenders/phases.hpp"
#include "bench/contenders/reference.hpp"
#include "bench/contenders/reporting_books.hpp"
#include "bench/contenders/risk_books.hpp"
#include "bench/contenders/ruled_core.hpp"
#include "bench/contenders/set_id_books.hpp"
#include "bench/contenders/split/calls.cpp"
#include "bench/contenders/split/sides.cpp"
#include "bench/contenders/split/split_book.hpp"
#include "bench/contenders/tree_hash_book.hpp"
#include "bench/contenders/user_map_book.hpp"
#include "bench/contenders/venue_book.hpp"
#include "bench/harness/id_replay.hpp"
#include "bench/harness/replay.hpp"
#include "tests/support/conformance_suite.hpp"

namespace llmes::test {
namespace {

using namespace bench;  // books.inc names the product as well

/// Whether a row is played by the ids of its orders, and not by handles.
template <template <class> class RunnerOf>
constexpr bool by_id = false;
template <>
constexpr bool by_id<IdReplay> = true;

template <template <std::size_t> class Book, template <class> class RunnerOf>
auto bands_of() {
  if constexpr (by_id<RunnerOf>) {
    return ::testing::ValuesIn(std::vector<Band>{});  // see id_replay_test.cpp, and below
  } else if constexpr (std::same_as<Book<128>, NullBook<128>> || std::same_as<Book<128>, SilentBook<128>>) {
    return ::testing::ValuesIn(std::vector<Band>{});  // no orders, or no queries
  } else if constexpr (std::same_as<Book<128>, MapListsBook<128>>) {
    return ::testing::ValuesIn(std::vector<Band>{});  // see below
  } else if constexpr (std::same_as<Book<128>, Ring1024Book<128>>) {
    return bands<Book, std::min(LLMES_PRICE_LEVELS, 1024)>();  // rejects orders further apart
  } else if constexpr (requires { requires !Book<128>::has_band; }) {
    return widths<Book<128>, LLMES_PRICE_LEVELS>();
  } else {
    return bands<Book, LLMES_PRICE_LEVELS>();
  }
}

#define LLMES_BOOK(name, runner, Book, ...) \
  INSTANTIATE_TEST_SUITE_P(name, ConformanceSuite, (bands_of<Book, runner>()), by_band);
#include "bench/contenders/books.inc"
#undef LLMES_BOOK

template <std::size_t N>
using TreeHashByArrival = TreeHashBook<N, false>;
INSTANTIATE_TEST_SUITE_P(tree_hash_by_arrival, ConformanceSuite, (bands<TreeHashByArrival, LLMES_PRICE_LEVELS>()),
                         by_band);

// At 2^32 prices, which are too many for the suite, the rows of phase 6a are this book.
static_assert(std::same_as<MapListsBook<128>, Phase6aBook<std::size_t{1} << 32>>);

}  // namespace
}  // namespace llmes::test
