// SPDX-License-Identifier: MIT
//
// The product, at each height of its tree, against the oracle.
#include "tests/conformance_suite.hpp"

#include "llmes/llmes.hpp"

namespace llmes::test {
namespace {

using Books = ::testing::Types<OrderBook<64>, OrderBook<128>, OrderBook<4096>, OrderBook<8192>, OrderBook<262144>>;
INSTANTIATE_TYPED_TEST_SUITE_P(OrderBook, ConformanceSuite, Books);

}  // namespace
}  // namespace llmes::test
