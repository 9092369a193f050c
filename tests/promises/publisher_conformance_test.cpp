// SPDX-License-Identifier: MIT
//
// A publisher hands every call on as it is, and a reader of each stream has the book after every command, in all
// streams of the conformance suite.
#include "tests/support/conformance_suite.hpp"
#include "tests/support/published_book.hpp"

namespace llmes::test {
namespace {

template <std::size_t PriceLevels>
using PublishedBand = PublishedBook<OrderBook<PriceLevels>>;
template <std::size_t PriceLevels>
using PublishedWideBand = PublishedBook<WideOrderBook<PriceLevels>>;

INSTANTIATE_TEST_SUITE_P(Published, ConformanceSuite, (bands<PublishedBand, 64>()), by_band);
INSTANTIATE_TEST_SUITE_P(PublishedWide, ConformanceSuite, (bands<PublishedWideBand, 128>()), by_band);
INSTANTIATE_TEST_SUITE_P(PublishedAnyPrice, ConformanceSuite, (widths<PublishedBook<AnyPriceBook<512>>, 4096>()),
                         by_band);

}  // namespace
}  // namespace llmes::test
