// SPDX-License-Identifier: MIT
//
// A publisher hands every call on as it is, and a reader of each stream has the book after every command, in all
// streams of the conformance suite. Where a book keeps its levels makes no difference to a publisher, so one band
// is enough here; publisher_test.cpp and publisher_set_test.cpp have books for any price.
#include "tests/support/conformance_suite.hpp"
#include "tests/support/published_book.hpp"

namespace llmes::test {
namespace {

template <std::size_t PriceLevels>
using PublishedBand = PublishedBook<OrderBook<PriceLevels>>;

INSTANTIATE_TEST_SUITE_P(Published, ConformanceSuite, (bands<PublishedBand, 64>()), by_band);

}  // namespace
}  // namespace llmes::test
