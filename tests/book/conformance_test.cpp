// SPDX-License-Identifier: MIT
//
// The product, at each height of its tree and with each kind of side book, against the oracle. Books for any price
// get streams that lie within their window, around it, and far beyond it; so does a book of a set, among others
// that are busy.
#include "tests/support/conformance_suite.hpp"

#include "llmes/book.hpp"
#include "tests/support/busy_set_book.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

template <std::size_t PriceLevels>
using Plain = OrderBook<PriceLevels>;
template <std::size_t PriceLevels>
using Wide = WideOrderBook<PriceLevels>;

// A sanitizer takes minutes for them: a band of each number of levels of the tree will do.
#if LLMES_TEST_SANITIZED
INSTANTIATE_TEST_SUITE_P(OrderBook, ConformanceSuite, (bands<Plain, 64, 4096, 262144>()), by_band);
INSTANTIATE_TEST_SUITE_P(WideOrderBook, ConformanceSuite, (bands<Wide, 128, 262144>()), by_band);
INSTANTIATE_TEST_SUITE_P(AnyPriceBook512, ConformanceSuite, (widths<AnyPriceBook<512>, 128, 262144>()), by_band);
INSTANTIATE_TEST_SUITE_P(BusySetBook, ConformanceSuite, (widths<BusySetBook, 128, 262144>()), by_band);
#else
INSTANTIATE_TEST_SUITE_P(OrderBook, ConformanceSuite, (bands<Plain, 64, 128, 4096, 8192, 262144>()), by_band);
INSTANTIATE_TEST_SUITE_P(WideOrderBook, ConformanceSuite, (bands<Wide, 64, 128, 4096, 262144>()), by_band);
INSTANTIATE_TEST_SUITE_P(AnyPriceBook512, ConformanceSuite, (widths<AnyPriceBook<512>, 128, 4096, 262144>()),
                         by_band);
INSTANTIATE_TEST_SUITE_P(AnyPriceBook1024, ConformanceSuite, (widths<AnyPriceBook<1024>, 128, 4096, 262144>()),
                         by_band);
INSTANTIATE_TEST_SUITE_P(BusySetBook, ConformanceSuite, (widths<BusySetBook, 128, 4096, 262144>()), by_band);
#endif
INSTANTIATE_TEST_SUITE_P(BusyPlacedBook, ConformanceSuite, (widths<BusyPlacedBook, 4096>()), by_band);

}  // namespace
}  // namespace llmes::test
