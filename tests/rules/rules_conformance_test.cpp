// SPDX-License-Identifier: MIT
//
// Books with rules that no call uses answer exactly as plain books do.
#include "tests/support/conformance_suite.hpp"

#include "llmes/rules.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/unused_rules.hpp"

namespace llmes::test {
namespace {

template <std::size_t PriceLevels>
using Plain = UnusedRules<OrderBook<PriceLevels, ArraySideBook, VenueRules<>>>;
template <std::size_t PriceLevels>
using Wide = UnusedRules<OrderBook<PriceLevels, WideSideBook, VenueRules<>>>;
using AnyPrice = UnusedRules<OrderBook<512, AnyPriceSideBook, VenueRules<>>>;

#if LLMES_TEST_SANITIZED  // which takes minutes for all of them
INSTANTIATE_TEST_SUITE_P(RuledOrderBook, ConformanceSuite, (bands<Plain, 4096>()), by_band);
INSTANTIATE_TEST_SUITE_P(RuledWideOrderBook, ConformanceSuite, (bands<Wide, 128>()), by_band);
INSTANTIATE_TEST_SUITE_P(RuledAnyPriceBook, ConformanceSuite, (widths<AnyPrice, 4096>()), by_band);
#else
INSTANTIATE_TEST_SUITE_P(RuledOrderBook, ConformanceSuite, (bands<Plain, 64, 4096>()), by_band);
INSTANTIATE_TEST_SUITE_P(RuledWideOrderBook, ConformanceSuite, (bands<Wide, 128, 4096>()), by_band);
INSTANTIATE_TEST_SUITE_P(RuledAnyPriceBook, ConformanceSuite, (widths<AnyPrice, 128, 4096>()), by_band);
#endif

}  // namespace
}  // namespace llmes::test
