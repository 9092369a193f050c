// SPDX-License-Identifier: MIT
//
// The product, at each height of its tree, against the oracle.
#include "tests/support/conformance_suite.hpp"

#include "llmes/llmes.hpp"

namespace llmes::test {
namespace {

INSTANTIATE_TEST_SUITE_P(OrderBook, ConformanceSuite, (bands<OrderBook, 64, 128, 4096, 8192, 262144>()), by_band);

}  // namespace
}  // namespace llmes::test
